// The charts that the drawing library draws: size against time, the winner by link, growth and split.
const Drawing = (() => {
  const LABELLED = 8, APART = 17, GREY = "#8a94a0";
  let wanted = ""; // The text of the search.
  let drawn = {}; // The views of the place that is shown, by the name of their box.

  // No evaluation of text as code: expressions are interpreted.
  const embed = async (box, spec) => (await vegaEmbed(box, spec, { actions: false, renderer: "svg", ast: true, tooltip: { disableDefaultStyle: true } })).view;

  async function chart(name, spec, tables) {
    if (drawn[name]) drawn[name].finalize();
    delete drawn[name];
    byId(name).replaceChildren();
    if (!spec) return null;
    drawn[name] = await embed(byId(name), tables ? { ...spec, datasets: tables } : spec);
    drawn[name].searched = searched(spec);
    if (drawn[name].searched) await drawn[name].signal("found", wanted).runAsync();
    return drawn[name];
  }

  function put(view, tables) {
    for (const [name, rows] of Object.entries(tables)) view.data(name, rows);
    return view.runAsync();
  }

  // Charts of bars have no search, because all of their names are labels.
  const searched = (spec) => (spec.params || []).some((each) => each.name === "found");

  function find(text) {
    wanted = text;
    for (const view of Object.values(drawn)) if (view.searched) view.signal("found", text).runAsync();
  }

  // Nothing is both smaller and faster than a point of the front.
  function front(points) {
    let least = Infinity;
    return [...points].sort((a, b) => a.nbytes - b.nbytes || a.seconds - b.seconds).filter((each) => {
      const better = each.seconds < least;
      if (better) least = each.seconds;
      return better;
    });
  }

  function sizes(place, view) {
    const rows = (view.exact.length ? view.exact : view.lossy).filter((row) => row.nbytes > 0);
    const points = rows.map((row) => {
      const engine = place.engines[row.engine];
      return {
        name: engine.name, nbytes: row.nbytes, seconds: row.time, kind: engine.ours ? "ours" : "others", engine,
        shown: `${Units.bytes(row.nbytes)}, ${Answer.timeOf(view, row)}`,
      };
    });
    const best = front(points);
    for (const point of points) point.front = best.includes(point);
    const steps = best.flatMap((point, k) => (k ? [{ nbytes: point.nbytes, seconds: best[k - 1].seconds }, point] : [point]));
    return { points, best, steps: steps.map(({ nbytes, seconds }, order) => ({ nbytes, seconds, order })) };
  }

  // At most eight numbers, none upon another: the ends of the front first, then what is between.
  function numbered(best, view) {
    const at = (point) => [view.scale("x")(point.nbytes), view.scale("y")(point.seconds)];
    const order = [...new Set([0, best.length - 1, ...best.keys()])].filter((k) => k >= 0);
    const chosen = [];
    for (const k of order) {
      const [x, y] = at(best[k]);
      if (chosen.length < LABELLED && chosen.every((other) => Math.hypot(x - other.x, y - other.y) >= APART)) chosen.push({ k, x, y });
    }
    return chosen.sort((a, b) => a.k - b.k).map(({ k }, number) => ({ ...best[k], text: String(number + 1) }));
  }

  async function scatter(place, current) {
    const { points, best, steps } = sizes(place, current);
    const bare = points.map(({ engine, ...rest }) => rest);
    byId("front").replaceChildren();
    const view = await chart("scatter", points.length ? place.charts.scatter : null, { points: bare, front: steps, numbers: [{ ...bare[0], text: "" }] });
    if (!view) return;
    const label = () => {
      const numbers = numbered(best, view);
      byId("front").replaceChildren(...numbers.map((each) => element("li", [markOf(each.engine), ` ${each.name}: `, element("span", each.shown, "figure")])));
      return put(view, { numbers: numbers.map(({ engine, ...rest }) => rest) });
    };
    await label();
    if (!byId("scatter").dataset.watched) {
      byId("scatter").dataset.watched = "yes";
      let wide = byId("scatter").clientWidth;
      new ResizeObserver(() => {
        if (byId("scatter").clientWidth === wide) return;
        wide = byId("scatter").clientWidth;
        clearTimeout(Drawing.later);
        Drawing.later = setTimeout(() => Drawing.again && Drawing.again(), 100);
      }).observe(byId("scatter"));
    }
  }

  function links(place, set, view) {
    const pieces = View.stretches(place, set), won = new Set(pieces.map((each) => each.candidate.engine));
    const named = [...won].slice(0, LABELLED);
    const steps = Array.from({ length: 81 }, (_, k) => place.low * (place.high / place.low) ** (k / 80));
    const wide = view ? Math.abs(view.scale("x").range()[1] - view.scale("x").range()[0]) / Math.log10(place.high / place.low) : 0;
    const curves = View.known(place).filter((each) => place.engines[each.engine].exact || won.has(each.engine)).flatMap((each) => {
      const { name, colour } = place.engines[each.engine], strong = named.includes(each.engine);
      return steps.map((bps) => {
        const seconds = Model.seconds(each, bps, set);
        return { name, colour: strong ? colour : GREY, opacity: strong ? 1 : 0.3, bps, seconds, shown: `${Units.rate(bps, 2)}: ≈ ${Units.time(seconds, 2)}` };
      });
    });
    const stretches = pieces.map(({ low, high, candidate }) => {
      const { name, colour } = place.engines[candidate.engine];
      return { name, colour, low, high, middle: Math.sqrt(low * high), label: name.length * 7 + 10 <= wide * Math.log10(high / low) ? name : "" };
    });
    return { curves, pieces: stretches, link: set.way == null ? [{ bps: set.bps }] : [] };
  }

  async function ribbon(place, set) {
    const view = await chart("ribbon", place.charts.ribbon, links(place, set, null));
    if (view) await put(view, links(place, set, view));
  }

  async function slide(place, set) {
    if (drawn.ribbon) await put(drawn.ribbon, links(place, set, drawn.ribbon));
  }

  function forget() {
    for (const view of Object.values(drawn)) view.finalize();
    drawn = {};
  }

  return { scatter, ribbon, slide, chart, find, forget, links };
})();
