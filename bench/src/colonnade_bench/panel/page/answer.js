// The first screen: the winner, its number, its call, who is next, and where another wins.
const Answer = (() => {
  const listed = (names, most) => (names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`);
  const about = (view) => (view.measured ? "" : "≈ ");
  const timeOf = (view, row) => `${about(view)}${Units.time(row.time, view.measured ? 3 : 2)}`;

  function how(view, row, place) {
    if (!view.measured) return "≈ modelled from measured encoding, decoding and bytes";
    if (row.n < place.fewest) return `measured; ${row.n === 1 ? "1 repetition" : `median of ${row.n} repetitions`}, too few for an interval`;
    return `measured; median of ${row.n} repetitions, 95 % interval ${Units.time(row.low)} to ${Units.time(row.high)}`;
  }

  function nextLine(place, view) {
    const row = view.next;
    if (!row) return null;
    const [value, low, high] = row.slower;
    const far = low != null && view.certain ? ` (${Units.ratio(low)} to ${Units.ratio(high)})` : "";
    const engine = place.engines[row.engine];
    const doubt = view.certain ? "" : " Too few repetitions to tell them apart.";
    return element("p", [element("b", view.certain ? "Runner-up: " : "Next: "), markOf(engine), ` ${engine.spoken}, ${timeOf(view, row)}, ${Units.ratio(value)}${far} times as long.${doubt}`], "next");
  }

  function tiedLine(place, view) {
    if (!view.tied.length) return null;
    const names = listed(view.tied.map((row) => place.engines[row.engine].spoken), 4);
    return element("p", [element("b", view.measured ? "Tied with: " : "Within 10 %, too close for a model: "), names], "tied");
  }

  function call(text) {
    if (!text) return null;
    const button = element("button", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(text); } catch {
        const range = document.createRange(); // Without the permission the text is selected, to be copied by hand.
        range.selectNodeContents(button.previousSibling);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
    });
    return element("div", [element("code", text), button], "call");
  }

  function winner(place, view) {
    const engine = place.engines[view.winner.engine];
    const head = element("h2", [markOf(engine), " ", element("span", engine.spoken, "name")], "winner");
    head.title = `In the tables: ${engine.name}`;
    return [
      element("p", `Fastest ${view.where}`, "lead"),
      head,
      element("p", [element("strong", timeOf(view, view.winner), "number"), " ", element("span", how(view, view.winner, place), "how")]),
      engine.exact ? null : element("p", `Nothing that was compared gives this data back exactly; this loses: ${engine.lost}.`, "warn"),
      call(engine.call),
      nextLine(place, view),
      tiedLine(place, view),
    ];
  }

  function none(place, view) {
    const why = view.unmeasured.length ? `Not measured, and might win: ${listed(view.unmeasured, 6)}.` : "Nothing was measured to the end here.";
    const row = [...view.exact, ...view.lossy][0], engine = row && place.engines[row.engine];
    return [
      element("p", `Fastest ${view.where}`, "lead"), element("h2", "No winner yet", "winner"), element("p", why),
      row ? element("p", ["Fastest so far: ", markOf(engine), ` ${engine.spoken}, ${timeOf(view, row)}.`]) : null,
    ];
  }

  function show(place, set, view) {
    const box = byId("winner");
    box.dataset.winner = view.winner ? place.engines[view.winner.engine].name : "";
    box.dataset.seconds = view.winner ? view.winner.time : "";
    box.dataset.measured = view.measured;
    box.replaceChildren(...(view.winner ? winner(place, view) : none(place, view)).filter(Boolean));
    const lines = View.elsewhere(place, set, view).map(({ where, engine, time }) => element("li", [
      `${where[0].toUpperCase()}${where.slice(1)}: `, markOf(place.engines[engine]), ` ${place.engines[engine].spoken}${time ? `, ${Units.time(time)}` : ""}`,
    ]));
    byId("elsewhere").replaceChildren(...lines);
    byId("elsewhere-title").hidden = !lines.length;
    byId("data-line").textContent = `${place.data}. Run ${place.run}.`;
    byId("changes").hidden = !place.changes;
    byId("changes").textContent = place.changes;
    byId("banner").hidden = !place.banner;
    byId("banner").textContent = place.banner;
  }

  function presets(place, set, choose) {
    const button = (each, number) => {
      const out = element("button", [each.label, each.way == null ? element("small", " ≈ modelled") : null]);
      out.type = "button";
      out.setAttribute("aria-pressed", set.preset === number);
      out.addEventListener("click", () => choose(number));
      return out;
    };
    const all = place.presets.map((each, number) => [each, number]);
    byId("presets").replaceChildren(...all.filter(([each]) => !each.more).map(([each, number]) => button(each, number)));
    const more = all.filter(([each]) => each.more), select = byId("more");
    select.parentElement.hidden = !more.length;
    select.replaceChildren(new Option("more, measured", ""), ...more.map(([each, number]) => new Option(each.label, number)));
    select.value = more.some(([, number]) => number === set.preset) ? set.preset : "";
    select.onchange = () => select.value !== "" && choose(Number(select.value));
  }

  // One line a table, never an average over them.
  function tables(places, current, label) {
    byId("by-table").hidden = places.length < 2;
    const rows = places.map((place, number) => {
      const same = place.presets.findIndex((each) => each.label === label);
      const view = View.of(place, View.preset(place, same < 0 ? place.first : same));
      const won = view.winner && place.engines[view.winner.engine];
      const cells = [
        element("th", `${place.name}${places.filter((each) => each.name === place.name).length > 1 ? `, run ${place.run}` : ""}`),
        element("td", won ? [markOf(won), ` ${won.spoken}`] : "no winner yet"),
        element("td", won ? timeOf(view, view.winner) : "-"),
        element("td", won && view.next ? `${place.engines[view.next.engine].spoken}, ${Units.ratio(view.next.slower[0])} times as long` : "-"),
        element("td", view.where),
      ];
      cells[0].scope = "row";
      const row = element("tr", cells);
      if (number === current) row.setAttribute("aria-current", "true");
      return row;
    });
    byId("by-table").querySelector("tbody").replaceChildren(...rows);
  }

  return { show, presets, tables, timeOf };
})();
