// Pieces and charts of the page of a night and of the one that compares nights, behind base.js.
const page = JSON.parse(one("#tests-data").textContent);
const show = (...parts) => document.body.append(...parts);
const SIGNS = { PASS: "\u2713", FAIL: "\u2717", HANG: "\u25ae\u25ae", REFUSED: "\u2298", CRASH: "\u26a1\ufe0e", ERROR: "!",
  "not run": "\u2013" };

// ---- pieces ----

// The verdict with a sign of its own, so that it can be read without the colour.
const badge = (verdict, known) => {
  const kind = !verdict ? "open" : verdict === "PASS" ? "pass" : "bad", word = verdict || "not run";
  return element("span", { class: `badge ${kind}${known ? " known" : ""}` }, element("span", { "aria-hidden": "true" }, SIGNS[word]),
    ` ${word}`);
};
const number = (n) => element("span", { class: "n" }, n);
const titled = (title, n) => element("h3", {}, `${title} `, number(n));
const chip = (text) => text && [element("span", { class: "chip" }, text), " "];
const reason = (text) => text && element("p", { class: "reason" }, text);
const duration = (s) => (s >= 100 ? `${Math.floor(s / 60)} min ${Math.round(s % 60)} s` : `${fixed(s, s < 10 ? 2 : 1)} s`);
const percent = (part, whole, none) => (whole ? (100 * part) / whole : none);
const scaled = (value) => {
  const units = ["", " k", " M", " G", " T"];
  while (value >= 10000 && units.length > 1) { value /= 1000; units.shift(); }
  return fixed(value, units[0] ? 1 : 0) + units[0];
};
const mean = (ratios) => Math.exp(sum(ratios, Math.log) / ratios.length);
const readable = (address) => { try { return decodeURIComponent(address); } catch { return address; } };
// What a night is of, for its head.
const date = (night) => `${night.started.slice(0, 10)} ${night.started.slice(11, 16)} UTC`;
const revision = (night) => ["revision ", night.revision ? element("code", { title: night.revision }, night.revision.slice(0, 12)) : "not known",
  night.dirty && " with changes that are not committed"];
const night_link = (night, href) => (href ? link(href, `night ${night}`) : `night ${night}`);
const cell = (kind, name, ...content) => element("td", { class: kind, "data-name": name }, ...content);

// ---- charts: an SVG in its own units, which a phone shows as pixels ----

const WIDTH = 340, HEIGHT = 132, LEFT = 40, RIGHT = 12, TOP = 8, BOTTOM = 20, NAMES = 58, TICKS = 3, LINES = 6;
const label = (x, y, anchor, text, kind = null) =>
  drawn("text", { x: fixed(x, 0), y: fixed(y, 1), "text-anchor": anchor, class: kind }, text);
const figure = (kind, title, about, words, ...content) =>
  element("figure", { class: `chart${kind}` }, element("figcaption", {}, element("b", {}, title), about && [" ", small(about)]),
    drawn("svg", { role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-label": words }, ...content));

// Lines over the nights of the trend: {name: values}, null where there is none. unit: after numbers; least: the axis begins at or
// below it, null: at a round number below the values.
const chart = (title, about, unit, least, lines) => {
  const trends = page.trends, names = Object.keys(lines).slice(0, LINES), named = names.length > 1 || names[0] !== "";
  const right = WIDTH - (named ? NAMES : RIGHT), values = names.flatMap((name) => lines[name]).filter((value) => value !== null);
  if (least !== null) values.push(least);
  const top = Math.max(...values), bottom = Math.min(...values), low = top > bottom ? bottom : top > 0 ? top * 0.9 : top - 1;
  const tick = step(top - low, TICKS), from = Math.floor(low / tick) * tick, to = Math.ceil(top / tick - 1e-9) * tick;
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - from) / (to - from));
  const x = (i) => (trends.length < 2 ? (LEFT + right) / 2 : LEFT + ((right - LEFT) * i) / (trends.length - 1));
  const axis = drawn("g", { class: "axis", "aria-hidden": "true" });
  for (let at = from; values.length && at <= to + tick / 2; at += tick) {
    axis.append(drawn("path", { d: `M${LEFT} ${fixed(y(at), 1)}H${right}` }),
      label(LEFT - 5, y(at) + 3.5, "end", String(Number(at.toPrecision(6)))));
  }
  axis.append(label(LEFT, HEIGHT - 5, "start", trends[0].started.slice(0, 10)),
    label(right, HEIGHT - 5, "end", trends.at(-1).started.slice(0, 10)));
  const point = (name, value, i) => {
    const night = trends[i], own = night.night === page.night, open = night.state !== "done",
      text = `${name} ${Number(value.toPrecision(4))}${unit}`.trim();
    const dot = drawn("circle", { cx: fixed(x(i), 1), cy: fixed(y(value), 1), r: own ? 4 : 2.6, class: open && "open" },
      drawn("title", {}, `night ${night.night}, ${night.started.slice(0, 10)}: ${text}${open ? " (not done)" : ""}`));
    return own || !night.page ? dot : drawn("a", { href: night.page }, dot);
  };
  const line = (name, l) => {
    const there = lines[name].map((value, i) => [value, i]).filter(([value]) => value !== null);
    const path = there.map(([value, i], n) => `${n ? "L" : "M"}${fixed(x(i), 1)} ${fixed(y(value), 1)}`).join("");
    return drawn("g", { class: `line l${l}` }, drawn("path", { d: path }), there.map(([value, i]) => point(name, value, i)));
  };
  // Names at the ends of the lines, moved apart.
  let above = 0;
  const end = (name) => y(lines[name].findLast((value) => value !== null)) + 3.5;
  const ends = !named ? [] : names.map((name, l) => [end(name), name, l]).sort((a, b) => a[0] - b[0])
    .map(([at, name, l]) => label(right + 8, above = Math.max(at, above + 11), "start", name.slice(0, 10), `l${l}`));
  const last = lines[names[0]].at(-1);
  return figure("", title, about,
    `${title} over ${trends.length} nights${last === null ? "" : `, the last ${names[0]} ${Number(last.toPrecision(4))}${unit}`}`,
    axis, names.map(line), ends);
};

// Two figures of each of many things against each other, [x, y], both on logarithmic axes: y / x as the ratio. Points that coincide
// are drawn as one.
const scatter = (title, about, xName, yName, points) => {
  const COLUMNS = 140, ROWS = 45 /* odd: the middle one has those that are equal */, MOST = 9;
  if (points.length === 0) return null;
  const logs = points.map(([x]) => Math.log10(x)), low = Math.floor(Math.min(...logs)),
    high = Math.max(Math.ceil(Math.max(...logs)), low + 1);
  const ratios = points.map(([x, y]) => Math.log2(y / x));
  const most = Math.min(1.08 * Math.max(0.05, ...ratios.map(Math.abs)), 4); // beyond: at the border
  const place = (value, from, to, cells) => Math.max(0, Math.min(cells - 1, Math.floor((cells * (value - from)) / (to - from))));
  const cells = new Map();
  ratios.forEach((ratio, i) => {
    const key = place(ratio, -most, most, ROWS) * COLUMNS + place(logs[i], low, high, COLUMNS);
    cells.set(key, (cells.get(key) || 0) + 1);
  });
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value + most) / (2 * most)),
    x = (share) => LEFT + (WIDTH - RIGHT - LEFT) * share;
  const axis = drawn("g", { class: "axis", "aria-hidden": "true" }, [-0.8 * most, 0, 0.8 * most].map((at) =>
    [drawn("path", { d: `M${LEFT} ${fixed(y(at), 1)}H${WIDTH - RIGHT}` }), label(LEFT - 5, y(at) + 3.5, "end", fixed(2 ** at, 2))]));
  for (let at = low; at <= high; at++) {
    const power = at >= 6 ? [at - 6, " M"] : at >= 3 ? [at - 3, " k"] : [at, ""];
    axis.append(label(x((at - low) / (high - low)), HEIGHT - 5, at === low ? "start" : at === high ? "end" : "middle",
      `${10 ** power[0]}${power[1]}`));
  }
  const middle = (ROWS - 1) / 2;
  const dots = [...cells].map(([key, n]) => {
    const row = Math.floor(key / COLUMNS), column = key % COLUMNS;
    return drawn("circle", { cx: fixed(x((column + 0.5) / COLUMNS), 1), cy: fixed(y(-most + (2 * most * (row + 0.5)) / ROWS), 1),
      r: fixed(1.4 + 0.25 * Math.min(n, MOST), 1), class: row === middle ? "same" : row > middle ? "more" : "less" });
  });
  return figure(" scatter", title, about, `${yName} over ${xName} of ${points.length} tests`, axis, drawn("g", { class: "dots" }, dots));
};
// The tests whose cycles changed most; rows: [name, cycles before, cycles now, cell].
const extremes = (title, rows) => rows.length > 0 && table("ratios", title, [],
  element("tbody", {}, rows.map(([name, before, now, ratio]) =>
  element("tr", {}, rowHead(name, " ", small(`${count(before)} \u2192 ${count(now)}`)), ratio))));
