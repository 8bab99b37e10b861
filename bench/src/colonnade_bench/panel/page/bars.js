// The ranked bars: a table that can be searched, filtered and sorted. Exact engines and those with losses are apart.
const Bars = (() => {
  const SHOWN = 12, FEW = 4, FAR = 10;
  const state = { key: "time", open: new Set() };
  let last = null;

  const controls = () => ({
    search: byId("search").value.trim().toLowerCase(), whose: byId("whose").value, format: byId("format").value, exact: byId("exact").checked,
  });
  const passes = (engine, want) => engine.name.toLowerCase().includes(want.search)
    && (want.whose === "all" || engine.ours === (want.whose === "ours")) && (!want.format || engine.format === want.format);

  const textOf = (key, value, view) => (value == null ? "–" : key === "nbytes" ? Units.bytes(value) : `${view.measured ? "" : "≈ "}${Units.time(value, view.measured ? 3 : 2)}`);

  // Bars begin at zero. One that is over ten times the shortest is torn at its end.
  function bar(row, least, scale, engine) {
    const value = row[state.key], box = element("div", null, "bar");
    if (value == null) return box;
    const fill = element("span", null, `fill${engine.ours ? " ours" : ""}${engine.exact ? "" : " lossy"}${value > scale ? " torn" : ""}`);
    const share = (x) => `${Math.min(100, 100 * x / scale)}%`;
    fill.style.width = share(value);
    box.append(fill);
    if (state.key === "time" && row.low != null && row.n > 1 && value <= scale) {
      const whisker = element("span", null, "whisker");
      whisker.style.left = share(row.low);
      whisker.style.width = `calc(${share(row.high)} - ${share(row.low)})`;
      box.append(whisker);
    }
    return box;
  }

  function line(place, view, row, rank, least, scale) {
    const engine = place.engines[row.engine];
    const [value, low, high] = row.slower;
    const slower = value === 1 ? "first" : `× ${Units.ratio(value)}${row.tied ? (row.n < place.fewest ? " ?" : " tied") : ""}`;
    const ratio = element("td", slower, "slower");
    if (low != null && value !== 1) ratio.title = `95 % interval of the ratio: ${Units.ratio(low)} to ${Units.ratio(high)}`;
    const name = element("th", [element("span", engine.exact ? rank : "", "rank"), markOf(engine), " ", element("span", engine.name, "name")]);
    name.scope = "row";
    if (engine.call) name.title = engine.call;
    const lost = engine.lost ? element("span", `▲ ${engine.lost}`, `lost${engine.lost === "metadata only" ? "" : " bad"}`) : null;
    if (lost) lost.title = engine.losses;
    const time = element("td", textOf("time", row.time, view), "time");
    if (row.low != null && row.n >= place.fewest) time.title = `95 % interval: ${Units.time(row.low)} to ${Units.time(row.high)}`;
    const out = element("tr", [
      name, element("td", bar(row, least, scale, engine), "bar-cell"), time, ratio,
      element("td", textOf("nbytes", row.nbytes, view), "size"), element("td", textOf("first", row.first, view), "first-call"),
      element("td", row.n == null ? "–" : `${row.n}`, "count"), element("td", lost, "loses"),
    ]);
    Object.assign(out.dataset, { name: engine.name, time: row.time, nbytes: row.nbytes, tied: row.tied });
    return out;
  }

  function title(text, count) {
    const cell = element("th", `${text} (${count})`);
    cell.colSpan = 8;
    cell.scope = "rowgroup";
    return element("tr", cell, "group");
  }

  function group(name, text, rows, most, make) {
    if (!rows.length) return null;
    const open = state.open.has(name), shown = open ? rows : rows.slice(0, most);
    const body = element("tbody", [title(text, rows.length), ...shown.map(make)]);
    body.dataset.group = name;
    if (rows.length > most) {
      const button = element("button", open ? "Show fewer" : `Show all ${rows.length}`, "more");
      button.type = "button";
      button.addEventListener("click", () => {
        if (open) state.open.delete(name);
        else state.open.add(name);
        redraw();
      });
      const cell = element("td", button);
      cell.colSpan = 8;
      body.append(element("tr", cell, "unfold"));
    }
    return body;
  }

  function redraw() {
    const [place, view] = last, want = controls(), key = state.key;
    const order = (rows) => rows.filter((row) => passes(place.engines[row.engine], want)).sort((a, b) => (a[key] ?? Infinity) - (b[key] ?? Infinity) || a.time - b.time);
    const exact = order(view.exact), lossy = want.exact ? [] : order(view.lossy);
    const values = [...(state.open.has("exact") ? exact : exact.slice(0, SHOWN)), ...(state.open.has("lossy") ? lossy : lossy.slice(0, FEW))].map((row) => row[key]).filter((x) => x != null);
    const least = Math.min(...values), scale = Math.min(FAR * least, Math.max(...values)) * 1.02;
    const ranks = new Map(view.exact.map((row, k) => [row.engine, k + 1]));
    const make = (row) => line(place, view, row, ranks.get(row.engine), least, scale);
    const absent = view.absent.filter(([name]) => name.toLowerCase().includes(want.search) && want.whose === "all" && !want.format);
    [...byId("bars").tBodies].forEach((body) => body.remove());
    byId("bars").append(...[
      group("exact", "Give the data back exactly", exact, SHOWN, make),
      group("lossy", "Lose something", lossy, FEW, make),
      group("absent", "No figure here", absent, 0, ([name, reason]) => {
        const cell = element("td", reason, "reason"), head = element("th", name);
        cell.colSpan = 7;
        head.scope = "row";
        return element("tr", [head, cell], "absent");
      }),
    ].filter(Boolean));
    for (const button of byId("bars").querySelectorAll("thead button")) {
      const on = button.dataset.key === key;
      button.closest("th").setAttribute("aria-sort", on ? "ascending" : "none");
    }
    byId("bars-none").hidden = exact.length + lossy.length + absent.length > 0;
  }

  function show(place, view) {
    if (!last || last[0] !== place) {
      const formats = [...new Set(place.engines.map((engine) => engine.format))].sort();
      byId("format").replaceChildren(new Option("all formats", ""), ...formats.map((name) => new Option(name)));
    }
    last = [place, view];
    const rows = [...view.exact, ...view.lossy], whisker = rows.some((row) => row.n >= place.fewest) ? "its 95 % interval" : "the range of the few repetitions";
    const doubt = view.measured && rows.some((row) => row.n < place.fewest) ? " A question mark: too few repetitions to tell apart from the first." : "";
    const how = view.measured ? `Measured: median, ${whisker} as a whisker.` : "≈ Modelled from measured encoding, decoding and bytes.";
    byId("bars-how").textContent = `${view.where[0].toUpperCase()}${view.where.slice(1)}. ${how} ◆ Colonnade's own, ○ others; hatched with ▲: loses something.${doubt}`;
    redraw();
  }

  function start(found) {
    for (const id of ["search", "whose", "format", "exact"]) byId(id).addEventListener("input", () => { redraw(); found(controls().search); });
    for (const button of byId("bars").querySelectorAll("thead button")) {
      button.addEventListener("click", () => { state.key = button.dataset.key; redraw(); });
    }
  }

  return { show, start };
})();
