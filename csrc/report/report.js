// Script of report.html behind those of every page (base.js) and of its charts (timeline.js): draws the report of its data, which is
// report.json and `page`, tells what a map shows below the pointer, sorts and opens rows of the table of layers.
// Control characters and what XML forbids are written as on a terminal; a message keeps its line ends.
const visible = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, (c) =>
  ({ "\n": "\\n", "\t": "\\t", "\r": "\\r" })[c] ?? (c > "\ufff0" ? "\ufffd" : c < "\u0080"
    ? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}` : `\\xc2\\x${c.charCodeAt(0).toString(16)}`));
const data = JSON.parse(one("#data").textContent, (key, value) =>
  typeof value === "string" ? (key === "message" ? value.split("\n").map(visible).join("\n") : visible(value)) : value);
const { devices, layers, timeline, verdict, page } = data;
const short = (n) => String(Number(n.toPrecision(3))); // three digits
const percent = (share, digits = 1) => `${fixed(100 * share, digits)} %`;
const hex = (byte) => byte.toString(16).padStart(2, "0");
const about = (...text) => element("p", { class: "about" }, ...text);
const what = (...text) => element("p", { class: "what" }, ...text);
const key = (kind) => element("span", { class: `key ${kind}` });
const sign = (text) => element("span", { "aria-hidden": "true" }, text);
const row = (...cells) => element("tr", {}, cells.map((cell) => (cell instanceof Element && cell.tagName === "TH" ? cell
  : element("td", {}, cell))));
const bytes = (n) => {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  for (; n >= 10000 && unit < units.length - 1; unit++) n /= 1000;
  return `${fixed(n, unit ? 1 : 0)} ${units[unit]}`;
};
const measure = (share) => gauge(Math.min(100, 100 * share));

// ---- the verdict ----
const runFigures = () => {
  const device = devices.find(({ cycles }) => cycles);
  if (!device) return [];
  const moved = (name, beats) => tile(name, count(sum(Object.values(beats))),
    `beats, ${fixed(sum(Object.values(beats)) / (device.op_cycles || device.cycles), 2)} a clock`);
  return [tile("Run", count(device.cycles), device.op_cycles ? `clocks, ${count(device.op_cycles)} from first start to last interrupt`
    : "clocks"),
    moved("Read", device.read_beats), moved("Written", device.write_beats)];
};
const figures = () => {
  const timed = layers.filter((layer) => layer.macs && layer.clocks);
  const used = sum(timed.map((layer) => layer.macs)) / (sum(timed.map((layer) => layer.clocks)) * page.macs);
  const failed = sum(page.devices.map((device) => device.failures));
  return tiles(...runFigures(), timed.length > 0 && tile("Multipliers used", percent(used),
    `of ${page.macs} a clock while convolutions ran`),
    tile("Layers", count(page.layers), `${page.launches} ${plural(page.launches, "launch", "launches")}`),
    tile("Checks", count(sum(devices.map((device) => device.checks_done))), failed ? `done, ${failed} failed` : "done, none failed"));
};
const header = () => {
  const [kind, mark] = { PASS: ["pass", "\u2713"], FAIL: ["fail", "\u2717"], HANG: ["hang", "\u25ae\u25ae"],
    REFUSED: ["refused", "\u2298"] }[data.status];
  const names = devices.map((device) => device.device);
  const passed = names.length > 1 ? `${names[0]} and ${names[1]} leave the same memory, and every check of the trace passed.`
    : "Every check of the trace passed.";
  return head(kind, mark, data.status, data.trace, verdict?.sentence || data.reason || passed,
    verdict && data.reason && element("p", { class: "reason" }, data.reason),
    data.disagrees?.sentence && data.disagrees.sentence !== verdict?.sentence &&
      element("p", { class: "reason" }, data.disagrees.sentence),
    what("trace ", code(data.file),
      `, configuration ${data.configuration} (memory port of ${page.dbb_data_bits} bits), played on ${names.join(" and ")}`),
    page.again && what("again: ", code(page.again)),
    page.wave && what("waves: ", code(page.wave), ", opened by ", code(`gtkwave ${page.wave_save}`)), figures());
};

// ---- where it went wrong, and who stands still: boxes in the order of the data path ----
const box = (kind, title, level, ...children) => element("li", { class: `engine${kind && ` ${kind}`}` }, element(level, {}, title),
  ...children);
const path = (boxes, kind = "") => element("ol", { class: `path${kind && ` ${kind}`}` }, boxes);
const tap = (kind, ...children) => element("li", { class: `tap${kind && ` ${kind}`}` }, ...children);
const clock = (text, cycle) => small(`${text} cycle ${count(cycle)}`);
const walkStates = {
  equal: ["equal", "\u2713", "equal"], "passed on unchanged": ["equal", "\u2192", "passed on unchanged"], differs: ["differs", "\u2717", "differs"],
  "one side has ended": ["short", "\u21a6", "ends early"], "not recorded": ["unseen", "?", "not recorded"],
};
const walkStep = (step, first) => {
  const [kind, mark, words] = walkStates[step.state];
  return tap(kind + (first ? " first" : ""), element("b", {}, sign(mark), ` ${step.tap}`), " ", element("em", {}, words),
    first && [" ", element("strong", {}, "first wrong here")],
    step.elements > 0 && small(`${count(step.elements)} elements equal`), kind !== "unseen" && step.cycle &&
      small(`cycle ${count(step.cycle)}`),
    step.text && element("span", { class: "text" }, step.text));
};
// Streams of one engine share a box; engines of which nothing was recorded are named below.
const walkBoxes = () => {
  const boxes = [], unseen = new Set();
  verdict.walk.forEach((step, i) => {
    if (boxes.at(-1)?.engine !== step.engine) boxes.push({ engine: step.engine, steps: [] });
    boxes.at(-1).steps.push([step, i === verdict.first]);
  });
  const shown = boxes.filter(({ engine, steps }) => steps.some(([step, first]) =>
    first || step.state !== "not recorded") || !unseen.add(engine));
  const silent = [...unseen].filter((name) => !shown.some(({ engine }) => engine === name));
  return [path(shown.map(({ engine, steps }) => box(steps.some(([, first]) => first) ? "guilty" : "", engine, "h3",
    element("ul", {}, steps.map(([step, first]) => walkStep(step, first)))))),
    silent.length > 0 && about(`No element was recorded of: ${silent.join(", ")}.`)];
};
// What moved around the first sign: a row for each stream, a column for each clock.
const BEAT = [76, 24, 150]; // width of a clock, height of a row, width of the names
const beat = (from, y) => ({ cycle, value, expected, place }) => {
  const [width, height] = BEAT, x = BEAT[2] + (cycle - from) * width, bad = expected !== null;
  return drawn("g", { class: bad && "bad" }, drawn("title", {}, `${place}: ${value}${bad ? `, expected ${expected}` : ""}`),
    drawn("path", { d: `M${x} ${y + height / 2}l4 ${3 - height / 2}h${width - 8}l4 ${height / 2 - 3}l-4 ${height / 2 - 3}h${8 - width}z` }),
    drawn("text", { x: x + width / 2, y: y + height / 2 + 4 }, value.length > 10 ? `${value.slice(0, 9)}\u2026` : value));
};
const beats = ({ from, to, rows }) => {
  const [width, height, names] = BEAT, all = names + (to - from + 1) * width, clocks = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const at = verdict.cycle, mark = names + (at - from) * width;
  return section("beats", "What moved around it", "The elements of each stream by clocks; of several in a clock the first, or the first wrong one. Wrong ones are red; below the pointer stands what was expected.",
    scroll(drawn("svg", { class: "beats", role: "img", "aria-label": `streams from cycle ${from} to ${to}`, width: all, height: (rows.length + 1) * height,
      viewBox: `0 0 ${all} ${(rows.length + 1) * height}` }, drawn("rect", { class: "mark", x: mark, width, height: (rows.length + 1) * height }),
      clocks.filter((clock) => (clock - at) % 4 === 0).map((clock) => drawn("text", { class: "clock", x: names + (clock - from + 0.5) * width, y: 16 }, String(clock))),
      rows.map((line, i) => drawn("g", {}, drawn("text", { class: "name", x: 0, y: (i + 1.5) * height + 4 }, line.tap),
        drawn("path", { class: "idle", d: `M${names} ${(i + 1.5) * height}H${all}` }), line.beats.map(beat(from, (i + 1) * height)))))));
};
const walk = () => {
  const facts = [["engine", verdict.engine], ["certainty", verdict.certainty], ["or", verdict.or_before && "an engine before it"],
    [verdict.check ? "check" : "stream", verdict.tap],
    [verdict.check ? "instance" : "element", verdict.element], ["expected", verdict.expected], ["got", verdict.got],
      ["cycle", verdict.cycle && count(verdict.cycle)]];
  return section("path", "Where it went wrong", null,
    element("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    verdict.evidence.length > 0 && element("pre", { class: "evidence" }, verdict.evidence.map((line) => `${line}\n`)),
    verdict.walk.length > 0 &&
      [about("The streams between the engines in the order of the data path, compared with the model. The engine whose stream is the first to differ made the error; what follows only passes it on."), walkBoxes()]);
};

// Without the state of the design: what is armed, and when each link moved last.
const links = (hang) => path(page.engines.map(({ name, folder }) => {
  const armed = hang.armed.filter((unit) => unit.engine === folder), from = hang.links.filter((link) => link.from === folder);
  if (!armed.length && !from.some((link) => link.last !== null)) return null;
  return box(armed.length ? "waiting" : "", name, "h3", element("ul", {},
    armed.map((unit) => tap("differs", element("b", {}, unit.unit), " ", element("em", {},
      `group ${unit.group} ${unit.behind ? "armed, after the other" : "armed, not done"}`))),
    from.map((link) => tap(link.last !== null ? "short" : "unseen", element("b", {}, link.link.slice(name.length + 1)), " ",
      element("em", {}, link.last !== null ? `moved last about cycle ${count(link.last)}` : "never moved"),
      link.last !== null && small(`${count(Math.max(0, hang.cycle - link.last))} clocks before the end`)))));
}));
// From the engine whose end does not come to the one at the end of the chain: each box waits for the next.
const chain = (steps) => steps.length > 0 && [element("h3", {}, "Who waits for whom"),
  path(steps.map((step, i) => box(i + 1 === steps.length ? "guilty" : "waiting", step.unit, "h4",
  paragraph(step.text, step.since && clock("since", step.since)), i + 1 === steps.length &&
    element("strong", {}, "the waiting ends here"))), "chain")];
// A link out of an engine: how far it came, who of the two is not ready, and since when.
const triageLink = (link) => tap(link.stuck ? "differs" : "equal", element("b", {}, sign(link.stuck ? "\u25ae\u25ae" : "\u2192"),
  ` to ${link.to}, ${link.name}`),
  link.required > 0 && [measure(link.moved / link.required), ` ${count(link.moved)} of ${count(link.required)}`],
  link.beyond > 0 && [" ", element("strong", {}, `${count(link.beyond)} too many`)],
  link.since !== undefined && clock(`valid ${Number(link.valid)}, ready ${Number(link.ready)} since`, link.since),
  link.last ? clock("moved last at", link.last) : link.counted && link.elements === 0 && small("never moved"));
const triageEngine = (triage, engine) => box(triage.unit === engine.unit ? "guilty" : engine.waits_for ? "waiting" : "", engine.unit, "h4",
  paragraph(engine.text, engine.armed > 0 && small(`${engine.armed} armed and not done`)),
  element("ul", {}, triage.states.filter((state) => state.unit === engine.unit).map((state) =>
    tap("", `${state.name}: `, element("b", {}, state.value || "no legal state"), " ",
    element("em", {}, `since cycle ${count(state.since)}`))),
    triage.links.filter((link) => link.from === engine.unit).map(triageLink)));
const triageRest = (triage) => details("credits and counters, bursts without answer", scroll(
  table("", null, ["engine", "counter", "value"], body(triage.counters.map((counter) => row(counter.unit, counter.name, counter.value)))),
  table("", null, ["burst", "AXI ID", "address", "beats left", "age, clocks"], body(triage.outstanding.map((burst) =>
    row(`${burst.client} ${burst.write ? "writes" : "reads"}, ${burst.space} port`, burst.axi_id, burst.address, burst.beats,
      count(burst.age)))))));
// The hang of the device that shows the most of its inside. The same trace hangs for the same reason on the others.
const hang = () => {
  const hangs = devices.map((device) => device.hang).filter(Boolean), hang = hangs.find(({ triage }) => triage) ?? hangs[0],
    triage = hang?.triage;
  if (!hang) return null;
  if (!triage) return section("hang", "What is stuck",
    "The engines in the order of the data path: what is armed and not done, and when each link between them moved last. Where a link that has moved is followed by one that has not, the engine between them holds things up.", links(hang));
  return section("hang", "What is stuck", null, element("p", { class: "reason" }, triage.text), chain(triage.chain),
    element("h3", {}, "The engines, along the data path"), path(triage.engines.map((engine) => triageEngine(triage, engine))),
      triageRest(triage));
};

// ---- maps of what differs ----
// Pixels of a map across at most, of a cell at least and at most; there are lines between cells up to so many across.
const PICTURE = 300, CELL = [2, 18], GRID = 64;
const mapCell = ([column, line, n, all, ...first]) => {
  const isFirst = first.pop(), share = n / all;
  return drawn("rect", { x: column, y: line, width: 1, height: 1,
    class: `c${share < 0.34 ? 1 : share < 0.67 ? 2 : 3}${isFirst ? " first" : ""}`,
    "data-n": `${n}/${all}`, "data-b": [...first.slice(0, 3), ...first.slice(3).map(hex)].join() });
};
const grid = (width, height) => {
  const lines = [];
  for (let x = 1; x < width; x++) lines.push(`M${x} 0V${height}`);
  for (let y = 1; y < height; y++) lines.push(`M0 ${y}H${width}`);
  return drawn("path", { class: "grid", d: lines.join("") });
};
const panel = (map, { batch, surface, cells, reached }) => {
  const { cube, step } = map, width = Math.ceil(cube.columns / step), height = Math.ceil(cube.height / step),
    longest = Math.max(width, height);
  const pixels = Math.max(CELL[0], Math.min(CELL[1], Math.floor(PICTURE / longest)));
  const n = sum(cells.map((cell) => cell[2])), first = cells.filter((cell) => cell[9]);
  const channel = surface * cube.atom, last = Math.min(channel + cube.atom, cube.channels) - 1;
  const title = cube.descriptor ? `surface ${surface}`
    : `${cube.batches > 1 ? `batch ${batch}, ` : ""}surface ${surface}, channel${last > channel ? `s ${channel} to ${last}` : ` ${channel}`}`;
  const differ = `${count(n)} ${plural(n, "byte differs", "bytes differ")}`;
  return element("figure", { class: first.length > 0 && "has-first" },
    drawn("svg", { role: "img", preserveAspectRatio: "xMinYMin", "aria-label": `${title}: ${differ}`,
      viewBox: `-0.1 -0.1 ${width}.2 ${height}.2`, width: width * pixels, height: height * pixels,
      "data-step": step, "data-surface": surface, "data-batch": batch }, drawn("rect", { class: "field", width, height }),
    reached.length > 0 && drawn("path", { class: "reached", d: reached.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join("") }),
    cells.filter((cell) => !cell[9]).map(mapCell), longest <= GRID && grid(width, height), first.map(mapCell)),
    element("figcaption", {}, title, element("br"), small(`${differ}${first.length ? ", the first among them" : ""}`)));
};
const panels = (map) => {
  const { cube, step } = map, surfaces = cube.surfaces * cube.batches;
  return [element("p", { class: "legend" }, key("c1"), " up to a third of the bytes of a cell differ ", key("c2"), " up to two thirds ",
    key("c3"), " more ", key("first"), " the first that differs. ",
    map.reaches && [key("reached"), " written before it, and right. "],
    step > 1 ? `A cell is ${step} columns by ${step} lines. ` : "A cell is an atom: a column of a line, with the channels of its surface. ",
    map.cut && "The map ends where there were too many to draw. ", "Columns go to the right, lines down."),
  element("div", { class: "maps" }, map.panels.map((part) => panel(map, part))),
  map.panel_count > map.panels.length && paragraph(`${map.panel_count - map.panels.length} more surfaces with differences are not drawn.`),
  surfaces > map.panel_count && !map.reaches && paragraph(`${surfaces - map.panel_count} of ${surfaces} surfaces are equal.`)];
};
const hexRow = (address, name, line, other) => element("tr", {}, element("td", {}, address), rowHead(name),
  line.map((byte, i) => element("td", {}, byte === other[i] ? hex(byte) : element("mark", {}, hex(byte)))));
const mapArticle = (map) => {
  const { cube } = map, several = (n, name) => `${n} ${plural(n, name)}`;
  return element("article", {}, element("h3", {}, cube ? `${map.launch}, armed at ${map.position}`
    : `${map.space} memory at ${map.base}, of no layer`),
    paragraph(`${count(map.count)} ${plural(map.count, "byte differs", "bytes differ")} between ${map.got_name} and ${map.expected_name}; the first lies at ${map.space} ${map.first}${cube ? `, ${map.element}` : ""}: expected 0x${hex(map.expected)}, got 0x${hex(map.got)}; ${map.origin}.`),
    cube && [about(`Output: ${several(cube.width, "column")}, ${several(cube.height, "line")}, ${several(cube.channels, "channel")}, ${several(cube.surfaces, "surface")} at ${cube.base}.`), panels(map)],
    details("the first bytes that differ, as a list", scroll(table("", null, ["address", "element", "expected", "got"],
      body(map.elements.map(([address, place, expected, got]) => row(code(address), place, code(hex(expected)), code(hex(got)))))))),
    details("bytes around the first that differs", scroll(table("hex", null, [], body(map.window.map(([address, expected, got]) =>
      [hexRow(address, map.expected_name, expected, got), expected.join() !== got.join() &&
        hexRow(address, map.got_name, got, expected)]))))),
    cube && details("registers of the layer", map.registers.map((launch) => scroll(table("registers",
      `${launch.launch}, group ${launch.group}, armed at ${launch.position}; those at their reset value left out`, [],
      body(launch.registers.map((cells) => row(...cells))))))));
};
const maps = () => page.maps && section("map", page.maps.first_wrong_beat ? "The first wrong beat" : "What differs",
  page.maps.first_wrong_beat ? "The first beat in time that is wrong. Later beats are not compared." : null,
    page.maps.items.map(mapArticle),
  page.maps.more > 0 && paragraph(`${page.maps.more} more areas differ; report.txt lists them.`));

// ---- toggles, layers, messages ----
const activity = () => {
  if (!data.activity) return null;
  const { clocks, parts } = data.activity, all = sum(parts.map((part) => part.toggles));
  return section("activity", "Toggles by engine",
    `Changes of bits in the ${count(clocks)} recorded clocks, those of clocks and resets too; the same counts as in the SAIF file. A wire that leads through several instances counts in each of them.`,
    scroll(table("", null, ["engine", "instance", "bits", "toggles", "of a bit in a clock", "share"],
      body(parts.map(({ engine, instance, bits, toggles }) =>
      row(rowHead(engine), instance || "wires between them", count(bits), count(toggles),
        fixed(bits && clocks ? toggles / (bits * clocks) : 0, 4), percent(all ? toggles / all : 0)))))));
};
const clientRow = (layer, client) => {
  const rate = layer.clocks ? client.bytes / layer.clocks : 0;
  return row(rowHead(`${client.client} ${client.write ? "writes" : "reads"}`), bytes(client.bytes ?? client.expected),
    ...(layer.clocks ? [count(client.beats), fixed(rate, 2), percent(rate / page.port_bytes)] : ["", "", ""]),
    ...(client.beats === undefined ? ["", "", ""] : [count(Math.max(0, client.pending - client.beats)), count(client.refused),
      count(client.untaken)]));
};
const layerRow = (layer, index) => {
  const counted = layer.start !== undefined, none = "\u2013", { clients } = layer;
  const waits = sum(clients.map((client) => Math.max(0, (client.pending ?? 0) - (client.beats ?? 0)))),
    refused = sum(clients.map((client) => (client.refused ?? 0) + (client.untaken ?? 0)));
  const cell = (key, ...shown) => element("td", { "data-key": key }, ...shown);
  const moved = (write) => {
    const n = counted ? layer[write ? "write_bytes" : "read_bytes"] : sum(clients.filter((client) =>
      client.write === write).map((client) => client.expected));
    return cell(n, bytes(n), layer.clocks && [" ", small(`${fixed(n / layer.clocks, 2)}/clk`)]);
  };
  const used = layer.utilisation !== undefined ? cell(layer.utilisation, measure(layer.utilisation), ` ${percent(layer.utilisation)}`)
    : cell(0, layer.macs ? [count(layer.macs), " ", small("to do")] : none);
  return element("tbody", { id: `layer-${index}`, class: layer.wrong > 0 && "wrong" }, element("tr", {},
    element("th", { scope: "row", "data-key": index }, element("button", { type: "button", class: "more", "aria-expanded": "false" },
      element("span", { class: "sign", "aria-hidden": "true" }), `${layer.unit} #${layer.launch}`), " ", small(layer.kind)),
    cell(layer.start ?? 0, counted ? `${count(layer.start)}${layer.end ? "" : ", no end"}` : none),
      cell(layer.clocks ?? 0, layer.clocks ? count(layer.clocks) : none), used, moved(false), moved(true),
    cell(waits, counted ? count(waits) : none), cell(refused, counted ? count(refused) : none),
    cell(layer.wrong, layer.wrong ? [element("strong", {}, `${count(layer.wrong)} ${plural(layer.wrong, "byte")}`),
      page.stopped_at_beat && [" ", small("of its first wrong beat")]] : none)),
  element("tr", { class: "detail" },
    element("td", { colspan: 9 }, paragraph(`armed at ${layer.position}${layer.macs ? `; ${count(layer.macs)} multiplications` : ""}`),
    element("table", { class: "clients" }, element("thead", {}, element("tr", {},
      [["client"], ["bytes"], ["beats"], ["bytes a clock"], ["of the port"], ["waits for answers",
      "clocks in which it had asked and nothing came or went"],
      ["refused by memory", "clocks in which its address or data was valid and the memory not ready"],
        ["answer not taken", "clocks in which an answer was valid and the design not ready"]].map(([name, title = null]) =>
        element("th", { title }, name)))),
    body(clients.map((client) => clientRow(layer, client)))))));
};
const layerTable = () => layers.length > 0 && section("layers", "Layers", timeline
  ? "Clocks from the start of a layer (its arming, or the end of the one before it on the same engine) to its end. Waits and refusals are clocks, added up over the clients of the memory."
  : "What the registers ask for; bytes are those that the layers need.",
  scroll(element("table", { class: "sortable" }, element("thead", {}, element("tr", {},
    ["layer", "start", "clocks", "MACs used", "read", "written", "waits for memory", "held up on the bus", "differs"].map((name, i) =>
    element("th", { scope: "col", "aria-sort": i === 0 && "ascending" }, element("button", { type: "button" }, name))))),
      layers.map(layerRow))),
  page.layers > layers.length && paragraph(`${page.layers - layers.length} more layers are in report.json.`));
const LINES = 100; // of a device
const deviceLines = (device, i) => {
  const lines = [...device.failures.map(({ text }) => ["check", text]), ...device.findings.map(({ cycle, rule, text }) =>
    ["finding", `cycle ${cycle}, rule ${rule}: ${text}`]), ...device.warnings.map((text) => ["warning", text])].slice(0, LINES);
  const more = page.devices[i].lines - lines.length;
  return [element("h3", {}, device.device),
    paragraph(`${device.outcome}; ${device.checks_done} checks done, ${page.devices[i].failures} failed, ${device.checks_not_compared} not compared; ${device.volatile_mismatches} volatile reads differ; ${device.interrupts} interrupts serviced.`),
    device.message && element("pre", {}, `${device.message}\n`),
    element("ul", { class: "findings" }, lines.map(([kind, text]) => element("li", {}, element("span", { class: "kind" }, kind), " ",
      text)), more > 0 && element("li", {}, `and ${more} more`))];
};

document.body.append(header(), element("main", {}, [verdict && walk(), verdict?.beats && beats(verdict.beats), hang(), maps(), overTime(), bandwidth(), activity(), layerTable(),
  section("devices", "Checks, findings, warnings", null, devices.map(deviceLines))].filter(Boolean)),
    element("div", { id: "tip", role: "status", hidden: true }));

// ---- what a reader does ----
{
  readCharts();

  // maps
  const tip = one("#tip");
  for (const map of all(".maps")) {
    map.addEventListener("pointermove", (event) => {
      const cell = event.target.closest("rect[data-n]");
      tip.hidden = !cell;
      if (!cell) return;
      const picture = cell.ownerSVGElement.dataset;
      const [wrong, size] = cell.dataset.n.split("/");
      const [line, column, channel, expected, got] = cell.dataset.b.split(",");
      const step = Number(picture.step), x = Number(cell.getAttribute("x")) * step, y = Number(cell.getAttribute("y")) * step;
      const place = step > 1 ? `columns ${x} to ${x + step - 1}, lines ${y} to ${y + step - 1}` : `line ${line}, column ${column}`;
      tip.textContent = `surface ${picture.surface}, ${place}: ${wrong} of ${size} bytes differ; first: line ${line}, column ${column}, channel ${channel}, expected ${expected}, got ${got}`;
      tip.style.left = `${Math.min(event.clientX + 14, Math.max(8, innerWidth - tip.offsetWidth - 8))}px`;
      tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
    });
    map.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  // the table of layers
  const open = (body, yes) => {
    body.classList.toggle("open", yes);
    one(".more", body).setAttribute("aria-expanded", String(yes));
  };
  for (const table of all(".sortable")) {
    const heads = all(":scope > thead th", table);
    heads.forEach((head, column) => {
      one("button", head).addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "ascending" : column === 0;
        const key = (body) => Number(body.rows[0].cells[column].dataset.key);
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        table.append(...[...table.tBodies].sort((a, b) => (up ? key(a) - key(b) : key(b) - key(a))));
      });
    });
    for (const body of table.tBodies) one(".more", body).addEventListener("click", () => open(body, !body.classList.contains("open")));
  }
  const follow = () => {
    const body = location.hash.startsWith("#layer-") && document.getElementById(location.hash.slice(1));
    if (body) open(body, true);
  };
  addEventListener("hashchange", follow);
  follow();
}
