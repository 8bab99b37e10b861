// The arithmetic of colonnade_bench.panel.model, once more: seconds, bytes, bits per second. Change both together.
const Model = (() => {
  const PIECES = 16;

  function decoding(candidate, columns) {
    if (candidate.column_decode_s == null) return candidate.decode_s;
    const least = Math.min(candidate.column_decode_s, candidate.decode_s);
    return least + (candidate.decode_s - least) * columns;
  }

  function serial(candidate, bps, set) {
    const cpu = candidate.encode_s + set.reads * decoding(candidate, set.columns);
    return cpu + 8 * candidate.nbytes * set.reads / bps + set.reads * set.delay_s;
  }

  function line(stages) {
    const slowest = Math.max(...stages);
    return slowest + (stages.reduce((a, b) => a + b, 0) - slowest) / PIECES;
  }

  function stages(candidate, set) {
    const decode = decoding(candidate, set.columns);
    return set.cores > 1 ? [candidate.encode_s, decode] : [candidate.encode_s + decode];
  }

  function pipelined(candidate, bps, set) {
    const move = 8 * candidate.nbytes / bps;
    const later = line([move, decoding(candidate, set.columns)]);
    return line([...stages(candidate, set), move]) + (set.reads - 1) * later + set.reads * set.delay_s;
  }

  function seconds(candidate, bps, set) {
    return set.kind === "serial" ? serial(candidate, bps, set) : pipelined(candidate, bps, set);
  }

  // Where a candidate's time has a corner, in 1 / bandwidth: where moving becomes the slowest stage.
  function corners(candidate, set) {
    if (set.kind === "serial") return [];
    const bits = 8 * candidate.nbytes;
    return [Math.max(...stages(candidate, set)) / bits, decoding(candidate, set.columns) / bits];
  }

  // Exact: between corners every time is a straight line in 1 / bandwidth, and the least of lines changes where two cross.
  function winners(candidates, low, high, set) {
    const from = 1 / high, to = 1 / low;
    const at = (candidate, x) => seconds(candidate, 1 / x, set);
    const inner = candidates.flatMap((each) => corners(each, set)).filter((x) => x > from && x < to);
    const ends = [from, ...new Set(inner.sort((a, b) => a - b)), to];
    const out = [];
    const add = (x0, x1, candidate) => {
      const last = out[out.length - 1];
      if (last && last.candidate === candidate) last.low = 1 / x1;
      else out.push({ low: 1 / x1, high: 1 / x0, candidate });
    };
    for (let k = 0; k + 1 < ends.length; k++) {
      const [left, right] = [ends[k], ends[k + 1]];
      const lines = candidates.map((candidate) => {
        const [a, b] = [at(candidate, left), at(candidate, right)];
        return { candidate, a, slope: (b - a) / (right - left) };
      });
      // At the fast end; of those that tie there, the one that grows least towards slow links.
      let best = lines.reduce((a, b) => (b.a < a.a || (b.a === a.a && b.slope < a.slope) ? b : a));
      let x = left;
      for (;;) {
        let next = null, cross = right;
        for (const rival of lines) {
          if (rival.slope >= best.slope) continue;
          const here = left + (rival.a - best.a) / (best.slope - rival.slope);
          if (here < cross || (next && here === cross && rival.slope < next.slope)) [next, cross] = [rival, Math.max(here, x)];
        }
        if (cross > x) add(x, cross, best.candidate);
        if (!next) break;
        [best, x] = [next, cross];
      }
    }
    return out.reverse();
  }

  // The longest of the three steps.
  function limit(candidate, bps, set) {
    const times = {
      encoding: candidate.encode_s,
      "the link": set.reads * 8 * candidate.nbytes / bps,
      decoding: set.reads * decoding(candidate, set.columns),
    };
    return Object.keys(times).reduce((a, b) => (times[b] > times[a] ? b : a));
  }

  return { seconds, winners, limit };
})();
