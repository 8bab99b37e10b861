"use strict";
(async () => {
  async function unpack(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }
  const drawing = document.createElement("script");
  drawing.textContent = await unpack("library");
  document.head.append(drawing); // It runs at once, for the policy names its hash.
  const places = JSON.parse(await unpack("data"));
  const sections = [...document.querySelectorAll(".place")];
  const THEMES = ["system", "light", "dark"];

  function three(value) {
    if (value >= 99.95) return Math.round(value).toLocaleString("en");
    return value.toFixed(value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3);
  }
  function unit(value, units) {
    const [factor, name] = units.find(([size]) => value >= 0.9995 * size) || units[units.length - 1];
    return `${three(value / factor)} ${name}`;
  }
  const time = (s) => unit(s, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]]);
  const rate = (b) => unit(b, [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"]]);

  function element(name, text, classes) {
    const out = document.createElement(name);
    if (text != null) out.textContent = text;
    if (classes) out.className = classes;
    return out;
  }

  // No evaluation of text as code: expressions are interpreted.
  const embed = (box, spec) => vegaEmbed(box, spec, { actions: false, renderer: "svg", ast: true, tooltip: { disableDefaultStyle: true } });

  async function draw(box, specs) {
    const cards = specs.map((spec) => {
      const card = element("div", null, "card");
      card.setAttribute("role", "img");
      const title = spec.title && (spec.title.text || spec.title);
      card.setAttribute("aria-label", `Chart: ${title}. Its figures are in the tables.`);
      return card;
    });
    box.replaceChildren(...cards);
    for (const [k, spec] of specs.entries()) await embed(cards[k], spec);
  }

  function controls(section, place) {
    const one = (name) => section.querySelector(`.${name}`);
    const [link, reads, columns, cores, lossy] = ["link", "reads", "columns", "cores", "lossy"].map(one);
    link.min = Math.log10(place.low);
    link.max = Math.log10(place.high);
    link.value = Math.log10(place.bps);
    if (!place.candidates.some((each) => each.exact)) lossy.checked = true;
    let view = null;
    let moved = false; // Until the slider is moved, the link is exactly as it was measured.

    function setting() {
      return {
        reads: Number(reads.value), columns: Number(columns.value) / 100, cores: Number(cores.value), delay_s: place.delay_s,
        kind: section.querySelector(".kind:checked").value,
      };
    }

    function tables(chosen, stretches, bps, set) {
      const won = new Set(stretches.map((each) => each.candidate));
      const steps = Array.from({ length: 121 }, (_, k) => place.low * (place.high / place.low) ** (k / 120));
      const wide = view ? Math.abs(view.scale("x").range()[1] - view.scale("x").range()[0]) : 0;
      const span = wide / Math.log10(place.high / place.low);
      return {
        curves: chosen.flatMap((each) => steps.map((b) => ({
          name: each.name, colour: each.colour, opacity: won.has(each) ? 1 : 0.25, bps: b, seconds: Model.seconds(each, b, set),
        }))),
        pieces: stretches.map(({ low, high, candidate }) => ({
          name: candidate.name, colour: candidate.colour, low, high, middle: Math.sqrt(low * high),
          label: candidate.name.length * 7 + 10 <= span * Math.log10(high / low) ? candidate.name : "",
        })),
        link: [{ bps }],
      };
    }

    function describe(chosen, stretches, bps, set) {
      const inOrder = [...chosen].sort((a, b) => Model.seconds(a, bps, set) - Model.seconds(b, bps, set));
      const [best, next] = inOrder;
      const least = Model.seconds(best, bps, set);
      const now = one("now");
      now.replaceChildren(`At ${rate(bps)}: `, element("strong", best.name), `, ${time(least)} (modelled), limited by ${Model.limit(best, bps, set)}.`);
      if (next) now.append(` Next is ${next.name}, ${(Model.seconds(next, bps, set) / least).toFixed(2)} times as long.`);
      now.dataset.winner = best.name;
      one("stretches").replaceChildren(...stretches.map(({ low, high, candidate }, k) => {
        const item = element("li");
        const swatch = element("span", null, "swatch");
        swatch.style.background = candidate.colour;
        const from = k > 0, to = k + 1 < stretches.length;
        const where = from && to ? `${rate(low)} to ${rate(high)}` : to ? `below ${rate(high)}` : from ? `above ${rate(low)}` : "on every link";
        item.append(swatch, element("span", `${where}: ${candidate.name}`));
        Object.assign(item.dataset, { low, high, name: candidate.name });
        if (low <= bps && bps <= high) item.setAttribute("aria-current", "true");
        return item;
      }));
    }

    const compared = () => place.candidates.filter((each) => each.exact || lossy.checked);

    function update() {
      const set = setting(), bps = moved ? 10 ** Number(link.value) : place.bps;
      const chosen = compared();
      one("link-out").textContent = link.ariaValueText = rate(bps);
      one("reads-out").textContent = reads.value;
      one("columns-out").textContent = columns.ariaValueText = `${columns.value} %`;
      one("cores-out").textContent = cores.ariaValueText = set.cores > 1 ? "2 or more" : "1";
      cores.parentElement.classList.toggle("muted", set.kind === "serial");
      if (!chosen.length) {
        one("now").textContent = "Nothing was measured whose encoding and decoding are known apart.";
        return;
      }
      const stretches = Model.winners(chosen, place.low, place.high, set);
      describe(chosen, stretches, bps, set);
      if (view) {
        for (const [name, rows] of Object.entries(tables(chosen, stretches, bps, set))) view.data(name, rows);
        view.runAsync();
      }
    }

    section.querySelector(".controls").addEventListener("input", (event) => event.target === link || update());
    link.addEventListener("input", () => { moved = true; update(); });
    update();
    return {
      async start() {
        if (!place.charts.ribbon.length) return;
        const chosen = compared(), set = setting();
        const datasets = tables(chosen, Model.winners(chosen, place.low, place.high, set), place.bps, set);
        view = (await embed(one("ribbon"), { ...place.charts.ribbon[0], datasets })).view;
        update();
        await view.runAsync();
        // Names are put onto the ribbon where they fit: again whenever its width changes.
        new ResizeObserver(() => setTimeout(() => view.resize().runAsync().then(update), 50)).observe(one("ribbon"));
      },
    };
  }

  async function show(number) {
    sections.forEach((section, k) => { section.hidden = k !== number; });
    const section = sections[number];
    if (!section || section.dataset.drawn) return;
    section.dataset.drawn = "begun";
    const charts = places[number].charts, one = (name) => section.querySelector(`.${name}`);
    await controls(section, places[number]).start();
    await draw(one("growth-charts"), charts.log);
    section.querySelectorAll(".scale-choice").forEach((choice) => {
      choice.addEventListener("change", () => draw(one("growth-charts"), charts[choice.value]));
    });
    const chosen = one("package");
    chosen.addEventListener("change", () => draw(one("package-chart"), [charts.package[chosen.selectedIndex]]));
    await draw(one("package-chart"), charts.package.slice(0, 1));
    await draw(one("split-charts"), charts.split);
    await draw(one("storage-chart"), charts.storage);
    section.dataset.drawn = "yes";
  }

  const theme = document.getElementById("theme");
  let chosen = 0;
  theme.addEventListener("click", () => {
    chosen = (chosen + 1) % THEMES.length;
    if (chosen) document.documentElement.dataset.theme = THEMES[chosen];
    else delete document.documentElement.dataset.theme;
    theme.textContent = `Colours: ${["as the system", "light", "dark"][chosen]}`;
    theme.setAttribute("aria-label", theme.textContent);
  });

  const choice = document.getElementById("place");
  if (choice) choice.addEventListener("change", () => show(Number(choice.value)));
  show(0);
})();
