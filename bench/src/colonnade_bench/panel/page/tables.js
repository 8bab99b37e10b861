// The folded part: every table of the report, sortable, and the charts of growth and of the split of the time.
const Tables = (() => {
  const BAD = ["silently wrong", "crash", "hang", "failed"];
  const UNITS = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9 };

  // The value by which a cell is sorted: its first number with its unit, else its text. A dash comes last.
  function value(text) {
    if (text === "-" || text === "") return null;
    const found = /^[!?≈×\s]*([+-]?[\d,]*\.?\d+)\s*([a-zA-Zµ/]*)/.exec(text);
    return found ? Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] || 1) : text.toLowerCase();
  }

  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function classOf(part, column, text) {
    if (column >= part.numbers) return "";
    if (text.split(", ").some((word) => BAD.includes(word))) return "bad";
    return text.length > 40 ? "prose" : /^\d/.test(text) ? "figure" : "";
  }

  function body(part, rows) {
    return rows.map((row) => element("tr", row.map((text, k) => {
      const cell = element(k ? "td" : "th", text, classOf(part, k, text));
      if (!k) cell.scope = "row";
      return cell;
    })));
  }

  function sorted(part, column, down) {
    const rows = part.rows.map((row) => [value(row[column]), row]);
    rows.sort(([a], [b]) => (a === null || b === null || !down ? compare(a, b) : compare(b, a)));
    return rows.map(([, row]) => row);
  }

  function table(part) {
    const out = element("table", null, `numbers-${part.numbers}`), rows = element("tbody", body(part, part.rows));
    let by = null, down = false;
    const heads = part.header.map((name, k) => {
      const button = element("button", name), head = element("th", button);
      button.type = "button";
      head.scope = "col";
      button.addEventListener("click", () => {
        down = by === k && !down;
        by = k;
        rows.replaceChildren(...body(part, sorted(part, k, down)));
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
      });
      return head;
    });
    out.append(element("thead", element("tr", heads)), rows);
    const box = element("div", out, "scroll");
    Object.assign(box, { tabIndex: 0, role: "region" });
    box.setAttribute("aria-label", part.title);
    return [box, ...part.notes.map((note) => element("p", note, "note"))];
  }

  function fold(id, title, make) {
    const box = element("div", null, "inside"), out = element("details", [element("summary", title), box], "fold");
    out.id = id;
    out.addEventListener("toggle", async () => {
      if (!out.open || out.dataset.filled) return;
      out.dataset.filled = "begun";
      await make(box);
      out.dataset.filled = "yes";
    });
    return out;
  }

  function choice(label, options, chosen, change) {
    const select = element("select", options.map((text, k) => new Option(text, k)));
    select.value = chosen;
    select.addEventListener("change", () => change(Number(select.value)));
    return element("label", [`${label} `, select], "choice");
  }

  const titleOf = (spec) => (spec.title && (spec.title.text || spec.title)) || "";

  // One way at a time, as wide as the page: nothing has to be drawn small, and no place stays empty.
  function charts(id, place, names, wanted) {
    return async (box) => {
      const scales = names.map((name) => place.charts[name]), specs = scales[0];
      const card = element("div", null, "card chart");
      card.id = `${id}-chart`;
      card.setAttribute("role", "img");
      let way = Math.max(0, specs.findIndex((spec) => titleOf(spec) === wanted)), scale = 0;
      const draw = () => {
        card.setAttribute("aria-label", `Chart: ${titleOf(specs[way])}. Its figures are in the tables.`);
        return Drawing.chart(card.id, { ...scales[scale][way], title: "" });
      };
      const tools = [choice("Over", specs.map(titleOf), way, (k) => { way = k; draw(); })];
      if (scales.length > 1) tools.push(choice("Scale", ["logarithmic", "straight"], 0, (k) => { scale = k; draw(); }));
      box.append(element("div", tools, "tools"), card);
      await draw();
    };
  }

  const GROUPS = [["growth", "Growth with size", ["growth", "extrapolated"]], ["split", "Where the time goes", []]];
  const FIRST = ["findings", "fastest", "times", "stored"];

  function show(place, wanted) {
    const left = new Map(place.parts.map((part) => [part.name, part])), folds = [];
    const take = (names) => names.flatMap((name) => {
      const part = left.get(name);
      left.delete(name);
      return part ? [part] : [];
    });
    const plain = (part) => folds.push(fold(part.name, part.title, (box) => box.append(...table(part))));
    take(FIRST).forEach(plain);
    for (const [id, title, names] of GROUPS) {
      const parts = take(names), kinds = id === "growth" ? ["log", "straight"] : ["split"];
      if (!place.charts[kinds[0]].length) continue;
      folds.push(fold(id, title, async (box) => {
        await charts(id, place, kinds, wanted)(box);
        for (const part of parts) box.append(part.title === title ? "" : element("h3", part.title), ...table(part));
      }));
    }
    left.forEach(plain);
    byId("folds").replaceChildren(...folds);
    const all = [...folds, byId("how")];
    byId("contents").replaceChildren(...all.map((each) => {
      const link = element("a", each.querySelector("summary").textContent);
      link.href = `#${each.id}`;
      link.addEventListener("click", () => { each.open = true; });
      return element("li", link);
    }));
  }

  return { show, value };
})();
