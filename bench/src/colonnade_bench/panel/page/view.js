// What a setting shows: measured rows of one way, or rows modelled for a link. Never both in one view.
const View = (() => {
  // The setting of a preset. A way that was measured is shown as it was measured, until a slider moves.
  function preset(place, number) {
    const { way, bps } = place.presets[number];
    const measured = way != null;
    const found = measured ? place.ways[way] : null;
    return {
      preset: number, way, bps: found ? found.bps : bps, delay_s: found ? found.delay_s : 0,
      reads: 1, columns: 1, cores: 2, kind: "serial",
    };
  }

  const known = (place) => place.engines.map((engine, number) => ({ ...engine.cost, engine: number, known: engine.cost })).filter((each) => each.known);

  function measured(place, set) {
    const way = place.ways[set.way];
    const winner = way.winner == null ? null : [...way.exact, ...way.lossy].find((row) => row.engine === way.winner);
    const rows = way.exact.length ? way.exact : way.lossy;
    const certain = rows.length > 0 && rows[0].n >= place.fewest;
    return {
      measured: true, where: way.phrase, exact: way.exact, lossy: way.lossy, absent: way.absent, winner, certain,
      unmeasured: way.unmeasured,
      tied: certain ? rows.slice(1).filter((row) => row.tied) : [],
      next: certain ? rows.slice(1).find((row) => !row.tied) : rows[1],
    };
  }

  function modelled(place, set) {
    const rows = known(place).map((cost) => ({
      engine: cost.engine, time: Model.seconds(cost, set.bps, set), nbytes: cost.nbytes, n: null, first: null, tied: false,
    })).sort((a, b) => a.time - b.time);
    const [exact, lossy] = [true, false].map((kind) => rows.filter((row) => place.engines[row.engine].exact === kind));
    for (const group of [exact, lossy]) group.forEach((row) => { row.slower = [row.time / group[0].time]; });
    const ranked = exact.length ? exact : lossy;
    const absent = place.engines.filter((engine) => !engine.cost)
      .map((engine) => [engine.name, "not modelled: encoding and decoding are not known apart"]);
    return {
      measured: false, where: `over ${Units.rate(set.bps)}`, exact, lossy, absent, unmeasured: place.blocked,
      winner: place.blocked.length ? null : ranked[0] || null, certain: true,
      tied: ranked.slice(1).filter((row) => row.slower[0] <= 1.1),
      next: ranked.slice(1).find((row) => row.slower[0] > 1.1),
    };
  }

  const of = (place, set) => (set.way == null ? modelled : measured)(place, set);

  // The winner of each stretch of links, always modelled.
  function stretches(place, set) {
    const all = known(place), exact = all.filter((each) => place.engines[each.engine].exact);
    const chosen = exact.length ? exact : all;
    return chosen.length && !place.blocked.length ? Model.winners(chosen, place.low, place.high, set) : [];
  }

  function range(pieces, k) {
    const { low, high } = pieces[k], from = k > 0, to = k + 1 < pieces.length;
    return from && to ? `${Units.rate(low)} to ${Units.rate(high)}` : to ? `below ${Units.rate(high)}` : from ? `above ${Units.rate(low)}` : "on every link";
  }

  // Where another engine wins, in at most three lines: on other measured ways, or on other modelled links.
  function elsewhere(place, set, view) {
    if (!view.winner) return [];
    const here = place.engines[view.winner.engine].name;
    if (!view.measured) {
      const pieces = stretches(place, set);
      const at = pieces.findIndex((each) => each.low <= set.bps && set.bps <= each.high);
      return pieces.map((each, k) => ({ where: range(pieces, k), engine: each.candidate.engine, far: Math.abs(k - at) }))
        .filter((each) => place.engines[each.engine].name !== here).sort((a, b) => a.far - b.far).slice(0, 3);
    }
    const found = new Map();
    for (const { way, label } of place.presets) {
      const other = way == null || way === set.way ? null : place.ways[way];
      if (!other || other.winner == null || place.engines[other.winner].name === here) continue;
      const row = [...other.exact, ...other.lossy].find((each) => each.engine === other.winner);
      const group = found.get(other.winner) || { where: [], engine: other.winner, times: [] };
      group.where.push(label);
      group.times.push(row.time);
      found.set(other.winner, group);
    }
    return [...found.values()].slice(0, 3).map(({ where, engine, times }) => ({ where: where.join(", "), engine, time: times.length === 1 ? times[0] : null }));
  }

  return { preset, of, known, stretches, range, elsewhere };
})();
