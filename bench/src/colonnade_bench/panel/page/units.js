"use strict";
// Numbers as colonnade writes them everywhere: three digits, decimal units.
const Units = (() => {
  function digits(value, count = 3) {
    const rounded = Number(value.toPrecision(count));
    return Math.abs(value) >= 10 ** (count - 1) ? Math.round(rounded).toLocaleString("en") : String(rounded);
  }
  function scaled(value, units, count) {
    const fits = ([size]) => Number((Math.abs(value) / size).toPrecision(count)) >= 1;
    const [size, name] = units.find(fits) || units[units.length - 1];
    return `${digits(value / size, count)} ${name}`;
  }
  const of = (...units) => (value, count = 3) => scaled(value, units, count);
  return {
    digits,
    time: of([1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]),
    bytes: of([1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]),
    rate: of([1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]),
    ratio: (value) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0),
  };
})();

function element(name, content, classes) {
  const out = document.createElement(name);
  if (classes) out.className = classes;
  out.append(...[content].flat().filter((each) => each != null));
  return out;
}
const byId = (id) => document.getElementById(id);

// Ours and others have different marks, so that colour is never needed to tell them apart.
function markOf(engine) {
  const out = element("span", engine.ours ? "◆" : "○", engine.ours ? "mark ours" : "mark");
  out.title = engine.ours ? "Colonnade's own" : "another engine";
  out.setAttribute("aria-label", out.title);
  out.setAttribute("role", "img");
  return out;
}
