// The charts of report.html: engines, memory and register bus over time, and bandwidth; lanes under one axis, drawn from `timeline` of
// report.json. All charts have one view, which zooms, and one cursor, which reads figures out.
const UNITS = ["SDP", "PDP", "CDP", "BDMA", "RBK"], BARS = 600, TICKS = 6;
const lanes = []; // { value, all, read(step) }
const zeros = () => Array(timeline.count).fill(0);
const clocks = (i) => Math.min(timeline.bucket, timeline.cycles - timeline.origin - i * timeline.bucket);
const place = (cycle) => 100 * Math.max(0, Math.min(1, (cycle - timeline.origin) / (timeline.count * timeline.bucket)));
const mean = (series) => sum(series) / (timeline.origin + timeline.count * timeline.bucket <= timeline.cycles
  ? timeline.count * timeline.bucket : timeline.cycles - timeline.origin);
// The outline of a series on top of another, as shares of the height.
const outline = (kind, height, from = null) => {
  const steps = [];
  for (let i = 0, end; i < height.length; i = end) {
    const low = Math.floor(100.5 - 100 * (from ? from[i] : 0));
    let high = Math.floor(100.5 - 100 * ((from ? from[i] : 0) + height[i]));
    if (height[i] > 0 && high === low) high--; // what there is can be seen
    for (end = i + 1; end < height.length && height[end] === height[i] && (!from || from[end] === from[i]); ) end++;
    if (height[i] > 0) steps.push(`M${i} ${low}V${high}H${end}V${low}z`);
  }
  return drawn("path", { class: kind, d: steps.join("") });
};
const laneRow = (kind, name, value, ...plot) => element("div", { class: `lane ${kind}` }, element("span", { class: "name" }, name), value,
  element("div", { class: "plot" }, ...plot));
const plainValue = (text = "") => element("span", { class: "value" }, text);
const lane = (kind, name, summary, text, busy, wait, read) => {
  const value = plainValue(text), made = laneRow(kind, name, value, drawn("svg",
    { role: "img", preserveAspectRatio: "none", viewBox: `0 0 ${timeline.count} 100`, "aria-label": `${name}: ${summary}` },
    outline("busy", busy), outline("wait", wait, busy)));
  made.dataset.lane = lanes.push({ value, text, read }) - 1;
  return made;
};
const shares = (series) => series.map((n, i) => Math.min(1, n / clocks(i)));
const engineLane = ({ engine, before, busy = zeros(), waits = zeros(), waits_for_memory: memory = zeros() }) => {
  const high = shares(busy), wait = waits.map((n, i) => (n + memory[i]) / clocks(i)), works = mean(busy),
    stands = mean(waits) + mean(memory);
  const read = (i) => `${fixed(100 * high[i], 0)} %${wait[i] >= 0.005 ? ` \u00b7 waits ${fixed(100 * wait[i], 0)} % for ${memory[i] ? "the memory" : before}` : ""}`;
  return lane("unit", engine, `busy in ${percent(works)} of the clocks, waits in ${percent(stands)}`,
    `${percent(works, 0)}, waits ${percent(stands, 0)}`, high, wait, read);
};
const busLane = (name, series = zeros()) => {
  const high = shares(series), share = mean(high.map((n, i) => n * clocks(i)));
  return lane("bus", name, `in ${percent(share)} of the clocks`, percent(share), high, zeros(), (i) => `${fixed(100 * high[i], 0)} %`);
};
const bandwidthLane = (kind, name, series, scale) => {
  const rate = series.map((n, i) => n / clocks(i)), most = Math.max(...rate);
  return most > 0 && lane(kind, name, `${short(mean(series))} bytes a clock over the run, ${short(most)} at most`,
    `${short(mean(series))} B/clk`, rate.map((n) => n / scale), zeros(),
    (i) => `${Number(rate[i].toPrecision(4))} B/clk`);
};
// The layers that a unit ends, as bars. What is too narrow to be told from the one before it is hidden until there is room.
const bars = (unit) => {
  let last = -1;
  const made = layers.map((layer, i) => {
    if (layer.unit !== unit || layer.start === undefined) return null;
    const end = layer.end || timeline.cycles, left = place(layer.start), right = place(end), narrow = right - last < 100 / BARS,
      name = `${unit} #${layer.launch}`;
    last = narrow ? last : right;
    return element("a", { class: `layer${layer.wrong ? " wrong" : layer.end ? "" : " endless"}${narrow ? " narrow" : ""}`,
      href: `#layer-${i}`,
      style: `left:${fixed(left, 3)}%;width:${fixed(Math.max(0, right - left), 3)}%`,
      title: `${name}: ${layer.end ? "" : "not done, "}${count(Math.max(0, end - layer.start))} clocks from cycle ${count(layer.start)} on${layer.wrong ? ", its output differs" : ""}` }, name);
  }).filter(Boolean);
  return made.length > 0 && laneRow("layers", `${unit} layers`, plainValue(), made);
};
const mark = ({ name, cycle }) => cycle >= timeline.origin && cycle < timeline.cycles &&
  laneRow("mark", name, plainValue(count(cycle)), element("i", { style: `left:${fixed(place(cycle), 3)}%` }));
const axis = () => {
  const made = laneRow("axis", "cycle", plainValue());
  made.setAttribute("aria-hidden", "true");
  return made;
};
const chart = (label, ...children) => element("div", { class: "chart", tabindex: 0, role: "group",
  "aria-label": `${label}; left and right arrow keys read out the figures` },
  element("output", { class: "now" }, "\u00a0"), ...children, axis());
const overTime = () => {
  if (!timeline?.count || !timeline.cycles)
    return page.rtl && section("timeline", "Over time", null, paragraph("Nothing was counted while this trace played. ",
      code("nvcosim run --html"), " counts what the engines and the memory do, and when."));
  const shown = timeline.origin + timeline.count * timeline.bucket;
  return section("timeline", "Who was busy, who waited",
    timeline.inside ? "An engine is busy while it hands something on, to the next engine or to memory. It waits while it has a layer to work on and neither takes nor gives."
    : "Of this RTL only the ports are seen: an engine is busy while it writes memory, CDMA while it reads.",
    element("p", { class: "legend" }, key("busy"), " busy ", key("wait"), " waits ", key("layer"), " a layer, from its start to its end"),
    chart("Engines over time", page.marks.map(mark), UNITS.map(bars), timeline.engines.map(engineLane),
      busLane("register bus", timeline.accesses), busLane("interrupt", timeline.interrupt)),
    timeline.cycles > shown &&
      about(`From the first start of a layer, cycle ${count(timeline.origin)}, to the last movement; for the ${count(timeline.cycles - shown)} clocks after it nothing moved but registers.`));
};
const bandwidth = () => {
  if (!timeline?.count || !timeline.cycles) return null;
  const moved = timeline.clients.filter((client) => client.bytes), together = (write) =>
    moved.filter((client) => client.write === write).reduce((all, { bytes }) => all.map((n, i) => n + bytes[i]), zeros());
  const sums = [together(false), together(true)], scale = Math.max(...sums.flatMap((series) => series.map((n, i) => n / clocks(i)))) || 1;
  return section("bandwidth", "Bandwidth over time",
    `Bytes that each client of the memory moves. All lanes have the same scale: full height is ${short(scale)} bytes a clock, the most that was reached; the port takes ${timeline.port_bytes}. A step is ${count(timeline.bucket)} clocks.`,
    chart("Bandwidth over time", bandwidthLane("sum reads", "all reads", sums[0], scale),
      bandwidthLane("sum writes", "all writes", sums[1], scale),
      moved.map(({ client, write, bytes }) => bandwidthLane(write ? "writes" : "reads", `${client} ${write ? "writes" : "reads"}`, bytes,
        scale))));
};

// ---- what a reader does ----

// charts: one view and one cursor for all of them; the view is a range of steps, which the pictures show as their viewBox
const readCharts = () => {
  if (!lanes.length) return;
  const pictures = all(".lane[data-lane] svg");
  const bars = all(".plot > a.layer, .plot > i").map((bar) => ({ bar, left: parseFloat(bar.style.left),
    width: parseFloat(bar.style.width || "0") }));
  const axes = all(".axis .plot");
  let from = 0, to = timeline.count;
  const ticks = () => {
    const first = timeline.origin + from * timeline.bucket, span = (to - from) * timeline.bucket, apart = Math.max(1, step(span, TICKS));
    for (const axis of axes) {
      axis.replaceChildren();
      for (let at = Math.ceil(first / apart) * apart; at < first + span; at += apart) axis.append(element("span",
        { style: `left:${(100 * (at - first)) / span}%` }, count(at)));
    }
  };
  // shows steps a to b, at least four of them
  const look = (a, b) => {
    const size = Math.min(timeline.count, Math.max(4, b - a));
    from = Math.max(0, Math.min(timeline.count - size, (a + b - size) / 2));
    to = from + size;
    for (const picture of pictures) picture.setAttribute("viewBox", `${from} 0 ${size} 100`);
    const scale = timeline.count / size;
    for (const { bar, left, width } of bars) {
      bar.style.left = `${(left - (100 * from) / timeline.count) * scale}%`;
      if (bar.tagName === "A") bar.style.width = `${width * scale}%`;
    }
    for (const chart of all(".chart")) chart.classList.toggle("zoomed", scale > 1);
    ticks();
  };
  const zoom = (factor, around = (from + to) / 2) => look(around - (around - from) / factor, around + (to - around) / factor);
  const charts = all(".chart").map((chart) => {
    const cursor = element("div", { class: "cursor", hidden: true }), range = element("div", { class: "range", hidden: true });
    chart.append(cursor, range);
    return { chart, cursor, range, now: one(".now", chart), plot: one(".axis .plot", chart) };
  });
  for (const { chart } of charts) {
    const tool = (text, label, act) => {
      const button = element("button", { type: "button", "aria-label": label, title: label }, text);
      button.addEventListener("click", act);
      return button;
    };
    chart.prepend(element("div", { class: "tools" }, tool("+", "zoom in", () => zoom(2)), tool("\u2212", "zoom out", () => zoom(0.5)),
      tool("whole run", "show the whole run", () => look(0, timeline.count)),
      element("span", {}, "drag over a range to zoom into it")));
  }
  // search: layers by their name; Enter goes to the next one
  const search = element("input", { type: "search", "aria-label": "search for a layer", title: "Enter: the next one", class: "search" });
  const found = document.createElement("output");
  let next = 0;
  const matches = () => {
    const text = search.value.trim().toLowerCase();
    const hits = bars.filter(({ bar }) => bar.tagName === "A" && text && bar.title.toLowerCase().includes(text));
    for (const { bar } of bars) bar.classList.toggle("found", hits.some((hit) => hit.bar === bar));
    found.textContent = text ? `${hits.length} found` : "";
    return hits;
  };
  search.addEventListener("input", () => { next = 0; matches(); });
  search.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const hits = matches();
    if (event.key !== "Enter" || !hits.length) return;
    event.preventDefault();
    const { left, width } = hits[next++ % hits.length], share = timeline.count / 100;
    look((left - width / 2) * share, (left + 1.5 * width) * share);
  });
  if (bars.some(({ bar }) => bar.tagName === "A") && charts.length) one(".tools", charts[0].chart).append("layer ", search, found);
  ticks();
  let at = -1;
  const show = (bucket) => {
    at = bucket;
    const first = timeline.origin + bucket * timeline.bucket;
    const last = Math.min(first + timeline.bucket, timeline.cycles) - 1;
    for (const { chart, cursor, now, plot } of charts) {
      cursor.hidden = bucket < 0;
      now.textContent = bucket < 0 ? "\u00a0" : first === last ? `cycle ${count(first)}` : `cycles ${count(first)} to ${count(last)}`;
      if (bucket < 0) continue;
      const box = plot.getBoundingClientRect(), outer = chart.getBoundingClientRect();
      cursor.style.left = `${box.left - outer.left + (box.width * (bucket + 0.5 - from)) / (to - from)}px`;
      cursor.style.top = `${now.offsetHeight + 8}px`;
      cursor.style.bottom = "0.5rem";
    }
    for (const { value, text, read } of lanes) {
      value.textContent = bucket < 0 ? text : read(bucket);
      value.title = bucket < 0 ? "" : value.textContent;
    }
  };
  for (const { chart, range, plot } of charts) {
    let start = null;
    const share = (event) => {
      const box = plot.getBoundingClientRect();
      return (event.clientX - box.left) / box.width;
    };
    const inside = (n) => Math.max(0, Math.min(1, n));
    chart.addEventListener("pointerdown", (event) => {
      const n = share(event);
      if (event.button === 0 && event.pointerType === "mouse" && n >= 0 && n < 1 && !event.target.closest(".tools")) start = n;
    });
    chart.addEventListener("dragstart", (event) => event.preventDefault());
    chart.addEventListener("pointermove", (event) => {
      const n = share(event);
      show(n < 0 || n >= 1 ? -1 : Math.min(timeline.count - 1, Math.floor(from + n * (to - from))));
      const box = plot.getBoundingClientRect(), outer = chart.getBoundingClientRect();
      range.hidden = start === null || Math.abs(n - start) * box.width < 5;
      if (range.hidden) return;
      const [low, high] = [inside(start), inside(n)].sort((a, b) => a - b);
      range.style.left = `${box.left - outer.left + low * box.width}px`;
      range.style.width = `${(high - low) * box.width}px`;
    });
    chart.addEventListener("click", (event) => { if (!range.hidden) { event.preventDefault(); range.hidden = true; } }, true);
    addEventListener("pointerup", (event) => {
      if (start === null) return;
      const [low, high] = [inside(start), inside(share(event))].sort((a, b) => a - b);
      start = null;
      if (range.hidden) return;
      setTimeout(() => { range.hidden = true; });
      look(from + low * (to - from), from + high * (to - from));
    });
    chart.addEventListener("pointerleave", () => show(-1));
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") show(-1);
      const factor = { "+": 2, "-": 0.5, "0": 0 }[event.key];
      if (factor !== undefined) factor ? zoom(factor, at < 0 ? undefined : at + 0.5) : look(0, timeline.count);
      if (!step) return;
      event.preventDefault();
      show(Math.max(0, Math.min(timeline.count - 1, at + step * (event.shiftKey ? 10 : 1))));
      if (at < from || at >= to) look(at - (to - from) / 2, at + (to - from) / 2);
    });
  }
};
