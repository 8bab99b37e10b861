(async () => {
  async function unpack(id) {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }
  const places = JSON.parse(await unpack("data"));
  const THEMES = ["system", "light", "dark"];
  const SLIDERS = ["link", "reads", "columns", "cores"];
  let place = null, number = 0, set = null, drawing = null;

  function showSliders() {
    const [link, reads, columns, cores] = SLIDERS.map(byId);
    Object.assign(link, { min: Math.log10(place.low), max: Math.log10(place.high) });
    link.value = Math.log10(Math.min(Math.max(set.bps, place.low), place.high));
    [reads.value, columns.value, cores.value] = [set.reads, 100 * set.columns, set.cores];
    for (const kind of document.querySelectorAll(".kind")) kind.checked = kind.value === set.kind;
  }

  function said() {
    const [link, reads, columns, cores] = SLIDERS.map(byId);
    byId("link-out").textContent = link.ariaValueText = Units.rate(set.bps);
    byId("reads-out").textContent = String(set.reads);
    byId("columns-out").textContent = columns.ariaValueText = `${Math.round(100 * set.columns)} %`;
    byId("cores-out").textContent = cores.ariaValueText = set.cores > 1 ? "2 or more" : "1";
    cores.parentElement.classList.toggle("muted", set.kind === "serial");
    reads.ariaValueText = byId("reads-out").textContent;
  }

  function now(view) {
    const box = byId("now");
    if (view.measured) {
      box.textContent = "Above is what was measured. Move a slider to model another link.";
    } else if (view.winner) {
      const engine = place.engines[view.winner.engine];
      box.replaceChildren(
        `At ${Units.rate(set.bps)}: `, element("strong", engine.name), `, ${Answer.timeOf(view, view.winner)} (modelled), limited by ${Model.limit(engine.cost, set.bps, set)}.`,
      );
    } else box.textContent = "No winner yet: an engine that might win is not measured, or nothing can be modelled.";
    const pieces = View.stretches(place, set);
    byId("stretches").replaceChildren(...pieces.map((each, k) => {
      const engine = place.engines[each.candidate.engine], swatch = element("span", null, "swatch");
      swatch.style.background = engine.colour;
      const item = element("li", [swatch, element("span", [`${View.range(pieces, k)}: `, markOf(engine), ` ${engine.name}`])]);
      Object.assign(item.dataset, { low: each.low, high: each.high, name: engine.name });
      if (set.way == null && each.low <= set.bps && set.bps <= each.high) item.setAttribute("aria-current", "true");
      return item;
    }));
  }

  function update() {
    const view = View.of(place, set);
    Answer.show(place, set, view);
    Answer.presets(place, set, choose);
    Answer.tables(places, number, place.presets[set.preset ?? place.first].label);
    Bars.show(place, view);
    said();
    now(view);
    return view;
  }

  // One drawing after the other: an answer that came later is never drawn over by an earlier one.
  function redraw(make) {
    drawing = (drawing || Promise.resolve()).then(make).catch((error) => console.error(error));
    return drawing;
  }
  const current = () => Drawing.scatter(place, View.of(place, set));

  function choose(preset) {
    set = View.preset(place, preset);
    showSliders();
    update();
    byId("presets").querySelector("[aria-pressed=true]")?.focus();
    redraw(async () => { await Drawing.slide(place, set); await current(); });
  }

  let waiting = 0;
  function slide(event) {
    const moved = event.target.id === "link";
    set = {
      preset: null, way: null, delay_s: set.delay_s, bps: moved ? 10 ** Number(byId("link").value) : set.bps,
      reads: Number(byId("reads").value), columns: Number(byId("columns").value) / 100, cores: Number(byId("cores").value),
      kind: document.querySelector(".kind:checked").value,
    };
    update();
    redraw(() => Drawing.slide(place, set));
    clearTimeout(waiting); // The other chart is drawn once the slider rests.
    waiting = setTimeout(() => redraw(current), 150);
  }

  function show(which) {
    number = which;
    place = places[which];
    document.body.dataset.drawn = "begun";
    Drawing.forget();
    set = View.preset(place, place.first);
    showSliders();
    update();
    Tables.show(place, set.way == null ? "" : place.ways[set.way].title);
    return redraw(async () => {
      const drawing = document.createElement("script");
      if (!window.vegaEmbed) {
        drawing.textContent = await unpack("library");
        document.head.append(drawing); // It runs at once, for the policy names its hash.
      }
      await current();
      await Drawing.ribbon(place, set);
      document.body.dataset.drawn = "yes";
    });
  }

  function themes() {
    const theme = byId("theme");
    let chosen = 0;
    theme.addEventListener("click", () => {
      chosen = (chosen + 1) % THEMES.length;
      if (chosen) document.documentElement.dataset.theme = THEMES[chosen];
      else delete document.documentElement.dataset.theme;
      theme.textContent = `Colours: ${["as the system", "light", "dark"][chosen]}`;
      theme.setAttribute("aria-label", theme.textContent);
    });
  }

  themes();
  if (!places.length) {
    document.querySelector("main").textContent = "No records.";
    document.body.dataset.drawn = "yes";
    return;
  }
  const names = places.map((each) => (new Set(places.map((other) => other.run)).size > 1 ? `${each.name}, run ${each.run}` : each.name));
  byId("place").replaceChildren(...names.map((name, k) => new Option(name, k)));
  byId("place").parentElement.hidden = places.length < 2;
  byId("place").addEventListener("change", () => show(Number(byId("place").value)));
  byId("controls").addEventListener("input", slide);
  Bars.start(Drawing.find);
  Drawing.again = () => redraw(async () => { await current(); await Drawing.ribbon(place, set); });
  await show(0);
})();
