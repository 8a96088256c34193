// Script of index.html of a night and of the page that compares nights, behind base.js: draws the data of the page.
const page = JSON.parse(one("#tests-data").textContent);
const show = (...parts) => document.body.append(...parts);
const SIGNS = { PASS: "\u2713", FAIL: "\u2717", HANG: "\u25ae\u25ae", REFUSED: "\u2298", CRASH: "\u26a1\ufe0e", ERROR: "!", "not run": "\u2013" };

// ---- pieces ----

// The verdict with a sign of its own, so that it can be read without the colour.
const badge = (verdict, known) => {
  const kind = !verdict ? "open" : verdict === "PASS" ? "pass" : "bad", word = verdict || "not run";
  return element("span", { class: `badge ${kind}${known ? " known" : ""}` }, element("span", { "aria-hidden": "true" }, SIGNS[word]), ` ${word}`);
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
const sum = (list, value) => list.reduce((all, each) => all + value(each), 0);
const mean = (ratios) => Math.exp(sum(ratios, Math.log) / ratios.length);
const readable = (address) => { try { return decodeURIComponent(address); } catch { return address; } };
const cell = (kind, name, ...content) => element("td", { class: kind, "data-name": name }, ...content);

// ---- charts: an SVG in its own units, which a phone shows as pixels ----

const WIDTH = 340, HEIGHT = 132, LEFT = 40, RIGHT = 12, TOP = 8, BOTTOM = 20, NAMES = 58, TICKS = 3, LINES = 6;
const label = (x, y, anchor, text, kind = null) => drawn("text", { x: fixed(x, 0), y: fixed(y, 1), "text-anchor": anchor, class: kind }, text);
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
    axis.append(drawn("path", { d: `M${LEFT} ${fixed(y(at), 1)}H${right}` }), label(LEFT - 5, y(at) + 3.5, "end", String(Number(at.toPrecision(6)))));
  }
  axis.append(label(LEFT, HEIGHT - 5, "start", trends[0].started.slice(0, 10)), label(right, HEIGHT - 5, "end", trends.at(-1).started.slice(0, 10)));
  const point = (name, value, i) => {
    const night = trends[i], own = night.night === page.night, open = night.state !== "done", text = `${name} ${Number(value.toPrecision(4))}${unit}`.trim();
    const dot = drawn("circle", { cx: fixed(x(i), 1), cy: fixed(y(value), 1), r: own ? 4 : 2.6, class: open && "open" },
      drawn("title", {}, `night ${night.night}, ${night.started.slice(0, 10)}: ${text}${open ? " (not done)" : ""}`));
    return own || !night.page ? dot : drawn("a", { href: night.page }, dot);
  };
  const line = (name, l) => {
    const there = lines[name].map((value, i) => [value, i]).filter(([value]) => value !== null);
    return drawn("g", { class: `line l${l}` }, drawn("path", { d: there.map(([value, i], n) => `${n ? "L" : "M"}${fixed(x(i), 1)} ${fixed(y(value), 1)}`).join("") }),
      there.map(([value, i]) => point(name, value, i)));
  };
  // Names at the ends of the lines, moved apart.
  let above = 0;
  const ends = !named ? [] : names.map((name, l) => [y(lines[name].findLast((value) => value !== null)) + 3.5, name, l]).sort((a, b) => a[0] - b[0])
    .map(([at, name, l]) => label(right + 8, above = Math.max(at, above + 11), "start", name.slice(0, 10), `l${l}`));
  const last = lines[names[0]].at(-1);
  return figure("", title, about, `${title} over ${trends.length} nights${last === null ? "" : `, the last ${names[0]} ${Number(last.toPrecision(4))}${unit}`}`,
    axis, names.map(line), ends);
};

// Two figures of each of many things against each other, [x, y], both on logarithmic axes: y / x as the ratio. Points that coincide
// are drawn as one.
const scatter = (title, about, xName, yName, points) => {
  const COLUMNS = 140, ROWS = 45 /* odd: the middle one has those that are equal */, MOST = 9;
  if (points.length === 0) return null;
  const logs = points.map(([x]) => Math.log10(x)), low = Math.floor(Math.min(...logs)), high = Math.max(Math.ceil(Math.max(...logs)), low + 1);
  const ratios = points.map(([x, y]) => Math.log2(y / x)), most = Math.min(1.08 * Math.max(0.05, ...ratios.map(Math.abs)), 4); // beyond: at the border
  const place = (value, from, to, cells) => Math.max(0, Math.min(cells - 1, Math.floor((cells * (value - from)) / (to - from))));
  const cells = new Map();
  ratios.forEach((ratio, i) => {
    const key = place(ratio, -most, most, ROWS) * COLUMNS + place(logs[i], low, high, COLUMNS);
    cells.set(key, (cells.get(key) || 0) + 1);
  });
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value + most) / (2 * most)), x = (share) => LEFT + (WIDTH - RIGHT - LEFT) * share;
  const axis = drawn("g", { class: "axis", "aria-hidden": "true" }, [-0.8 * most, 0, 0.8 * most].map((at) =>
    [drawn("path", { d: `M${LEFT} ${fixed(y(at), 1)}H${WIDTH - RIGHT}` }), label(LEFT - 5, y(at) + 3.5, "end", fixed(2 ** at, 2))]));
  for (let at = low; at <= high; at++) {
    const power = at >= 6 ? [at - 6, " M"] : at >= 3 ? [at - 3, " k"] : [at, ""];
    axis.append(label(x((at - low) / (high - low)), HEIGHT - 5, at === low ? "start" : at === high ? "end" : "middle", `${10 ** power[0]}${power[1]}`));
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
const extremes = (title, rows) => rows.length > 0 && table("ratios", title, [], element("tbody", {}, rows.map(([name, before, now, ratio]) =>
  element("tr", {}, element("th", { scope: "row" }, name, " ", small(`${count(before)} \u2192 ${count(now)}`)), ratio))));

// ---- a night ----

const LISTED = 40; // tests of a list; the table has all

// Tests are columns; those of texts hold only what differs from the test before (page.py).
const unpacked = (columns) => {
  const tests = columns.key.map(() => ({}));
  for (const [name, column] of Object.entries(columns)) {
    let last = "";
    column.forEach((value, i) => {
      if (typeof column[0] === "string") value = last = value === 0 ? last : typeof value === "string" ? value : last.slice(0, value[0]) + value[1];
      tests[i][name] = value ?? "";
    });
  }
  return tests;
};

// What the table can show, and links ask it for: #tests:show=NAME.
const FILTERS = {
  failed: ["failed", (t) => t.state === "failed"], passed: ["passed", (t) => t.state === "passed"], "known-failed": ["known to fail", (t) => t.state === "known"],
  open: ["not run", (t) => t.state === "open"], "new-failures": ["new failures", (t) => t.new_failure], "new-passes": ["new passes", (t) => t.new_pass],
  flaky: ["flaky", (t) => t.flaky], known: ["known, failing or not", (t) => t.known], expired: ["expired", (t) => t.excuse && !t.known],
};
for (const verdict of Object.keys(SIGNS).slice(0, 6)) FILTERS[verdict] = [verdict, (t) => t.verdict === verdict];
const among = (tests, name) => tests.filter(FILTERS[name][1]);
const all_known = (bucket) => bucket.known > 0 && bucket.known >= bucket.count;

const past = (letters) => {
  const runs = letters.replaceAll(".", "").length, failures = letters.replace(/[P.]/g, "").length;
  return element("span", { class: "past", role: "img", title: `${letters}, oldest night first`, "aria-label": `failed in ${failures} of ${runs} nights: ${letters}` },
    [...letters].map((letter) => element("i", { class: letter === "P" ? null : letter === "." ? "o" : "f" })));
};
const test_link = (t) => element("a", { class: "test", href: `#test-${t.number}` }, t.key);
const night_link = (night, href) => (href ? link(href, `night ${night}`) : `night ${night}`);

const test_item = (t, more) => element("li", {}, badge(t.verdict, t.state === "known"), " ", test_link(t), " ", past(t.past), more && [" ", small(more)],
  t.page && t.state !== "passed" && [" ", link(t.page, "report")],
  t.bucket !== "" ? [" ", link(`#bucket-${t.bucket}`, `bucket ${t.bucket}`)] : t.state !== "passed" && reason(t.reason));
// A list of tests. filter: what shows them in the table; about: what is said of each.
const test_list = (filter, tests, about) => [element("ul", { class: "tests" }, tests.slice(0, LISTED).map((t) => test_item(t, about(t)))),
  tests.length > LISTED && element("p", {}, link(`#tests:show=${filter}`, `${tests.length - LISTED} more in the table`))];
const titled_list = (title, filter, tests, about) => tests.length > 0 && [titled(title, tests.length), test_list(filter, tests, about)];

const night_tiles = (tests) => {
  const { states, fault_states: faults, coverage } = page, run = tests.length - (states.open || 0), blind = page.faults.length - (faults.equivalent || 0);
  const counted = (name, n = 0, target = null, more = "") => tile(name, count(n), more, n ? target : null);
  const failed = page.buckets.filter((bucket) => !all_known(bucket)).length, fresh = page.buckets.filter((bucket) => bucket.fresh).length;
  const excused = among(tests, "known").length - (states.known || 0), expired = among(tests, "expired").length, flaky = among(tests, "flaky").length;
  const cpu = sum(tests, (t) => t.cpu_seconds);
  return tiles(page.faults.length > 0 && [
    tile("Faults noticed", `${fixed(percent(faults.noticed || 0, blind, 100), 1)} %`, `${faults.noticed || 0} of ${blind}`, "#faults"), counted("Survived", faults.survived, "#faults"),
    counted("Unreached", faults.unreached, "#faults"), counted("Equivalent", faults.equivalent, "#faults"), faults.open && counted("Not known yet", faults.open)],
  tests.length > 0 && [
    counted("Passed", states.passed, "#tests:show=passed", `of ${run}, ${fixed(percent(states.passed || 0, run, 0), 1)} %`),
    counted("Failed", states.failed, "#buckets", failed > 0 && `in ${failed} ${plural(failed, "bucket")}, ${fresh} new`),
    page.before > 0 && [counted("New failures", among(tests, "new-failures").length, "#news"), counted("New passes", among(tests, "new-passes").length, "#news")],
    (states.known || excused + expired > 0) && counted("Known failures", states.known, "#known", excused + expired > 0 && `${excused} pass now, ${expired} expired`),
    flaky > 0 && counted("Flaky", flaky, "#flaky"), states.open && counted("Not run", states.open, "#tests:show=open"),
    coverage && tile("Coverage", `${fixed(percent(coverage.covered, coverage.bins, 0), 1)} %`, `${coverage.covered} of ${coverage.bins} bins`, "#coverage"),
    cpu > 0 && tile("Simulated", scaled(sum(tests, (t) => t.cycles)), `cycles in ${page.cpu_time} of CPU`)]);
};

// How tests, or faults, are shared out, as a bar.
const shares = () => {
  const of_faults = page.faults.length > 0, states = of_faults ? page.fault_states : page.states;
  const parts = (of_faults ? [["failed", "survived"], ["known", "unreached"], ["passed", "noticed"], ["open", "open", "not known yet"]]
    : [["failed", "failed"], ["known", "known", "known to fail"], ["passed", "passed"], ["open", "open", "not run"]])
    .map(([kind, state, name = state]) => [kind, states[state] || 0, `${states[state] || 0} ${name}`]);
  return parts.some(([, n]) => n) && element("div", { class: "shares", role: "img", "aria-label": parts.map((part) => part[2]).join(", ") },
    parts.filter(([, n]) => n).map(([kind, n, title]) => element("i", { class: kind, style: `flex-grow:${n}`, title })));
};

const night_head = (tests) => {
  const [kind, sign] = { PASSED: ["pass", "\u2713"], SURVIVORS: ["refused", "\u26a0\ufe0e"], FAILED: ["fail", "\u2717"] }[page.outcome] || ["hang", "\u25ae\u25ae"];
  const status = page.outcome === "FAILED" && page.state !== "done" ? `FAILED (${page.state})` : page.outcome;
  return head(kind, sign, status, `${page.plan}, night ${page.night}`, page.sentence, shares(),
    element("p", { class: "what" }, `${page.started.slice(0, 10)} ${page.started.slice(11, 16)} UTC on ${page.host} (${page.cores} cores, ${page.engine}), ${page.time}; revision `,
      page.revision ? element("code", { title: page.revision }, page.revision.slice(0, 12)) : "not known",
      `${page.dirty ? " with changes that are not committed" : ""}; seed ${page.seed}; nvcosim ${page.version}${page.selected === null ? "" : `; --select '${page.selected}'`}`),
    command(page.command, page.whole), night_tiles(tests));
};

const fault_list = (title, state, open) => {
  const faults = page.faults.filter((fault) => fault.state === state), MOST = 200;
  // The statement with the place that is changed marked: in the text it is [[original -> changed]].
  const statement = ({ statement: text, original, changed }) => {
    const mark = `[[${original} -> ${changed}]]`, at = text.indexOf(mark);
    return element("pre", { class: "statement" }, at < 0 ? text : [text.slice(0, at), element("del", {}, original), element("ins", {}, changed), text.slice(at + mark.length)]);
  };
  return faults.length > 0 && element("details", { open }, element("summary", {}, titled(title, faults.length)),
    element("ul", { class: "faults" }, faults.slice(0, MOST).map((fault) => element("li", { id: `fault-${fault.number}` }, element("b", {}, `${fault.file}:${fault.line}`), " ",
      element("code", {}, element("del", {}, fault.original), " \u2192 ", element("ins", {}, fault.changed)), " ",
      small(`fault ${fault.number}, ${fault.runs} ${plural(fault.runs, "test")} ran through it`), reason(fault.reason), statement(fault)))),
    faults.length > MOST && element("p", {}, `${faults.length - MOST} more are in the database: SELECT * FROM fault WHERE night = ${page.night}`));
};

const faults_section = () => {
  const row = (kind, name, faults) => {
    const n = (state) => faults.filter((fault) => fault.state === state).length, blind = faults.length - n("equivalent"), share = percent(n("noticed"), blind, 100);
    return element("tr", { class: kind }, element("th", { scope: "row" }, name), cell(null, null, faults.length), cell(null, null, gauge(share), ` ${fixed(share, 1)} %`),
      [["survived", "bad"], ["unreached", "wait"], ["equivalent", null], [null, null]].map(([state, colour]) => (n(state) ? cell(colour, null, n(state)) : cell(null, null, "\u2013"))));
  };
  const by = (faults, name) => [...new Set(faults.map((fault) => fault[name]))].map((value) => faults.filter((fault) => fault[name] === value));
  return page.faults.length > 0 && section("faults", "Planted faults",
    "One fault at a time in a copy of the RTL. What no test notices is where the tests are blind; shares are of the faults that are not equivalent.",
    element("div", { class: "scroll" }, table("places", null, ["folder, module", "faults", "noticed", "survived", "unreached", "equivalent", "open"],
      by(page.faults, "folder").map((faults) => element("tbody", {}, row("folder", faults[0].folder || "top", faults), by(faults, "module").map((own) => row(null, own[0].module, own)))))),
    fault_list("Survived: tests ran through them and passed", "survived", true), fault_list("Unreached: no test ran through them", "unreached", false),
    fault_list("Equivalent: they change nothing, says the plan", "equivalent", false));
};

const bucket_article = (bucket, tests) => {
  const smallest = tests.find((t) => t.number === bucket.smallest), { known } = bucket;
  const age = bucket.nights > 1 ? `; in ${bucket.nights} nights, first in night ${bucket.first}` : page.before > 0 ? "; in no night before" : "";
  return element("article", { class: `bucket${bucket.fresh ? " fresh" : ""}`, id: `bucket-${bucket.number}` },
    element("h3", {}, element("span", { class: "many" }, bucket.count), " ", bucket.fresh && [element("span", { class: "new" }, bucket.nights > 1 ? "back" : "new"), " "], bucket.title),
    element("p", { class: "facts" }, [bucket.engine, bucket.tap, bucket.kind].map(chip), small(`bucket ${bucket.number}${age}${known ? `; ${known} of them ${plural(known, "is", "are")} known` : ""}`)),
    element("p", {}, "Smallest case: ", smallest && [test_link(smallest), smallest.cycles > 0 && `, ${count(smallest.cycles)} cycles`],
      bucket.shrunk && [", shrunk to ", link(bucket.shrunk, readable(bucket.shrunk)), bucket.shrunk_cycles > 0 && ` (${count(bucket.shrunk_cycles)} cycles)`]),
    command(bucket.command), bucket.shrunk_command && [element("p", {}, "What it was shrunk to:"), command(bucket.shrunk_command)], reason(bucket.note),
    element("p", { class: "links" }, bucket.page && [link(bucket.page, "debug report"), " "], link(`#tests:bucket=${bucket.number}`, "its tests in the table")));
};

const buckets_section = (tests) => {
  const loose = among(tests, "failed").filter((t) => t.bucket === "");
  return page.buckets.length + loose.length > 0 && section("buckets", "Buckets",
    "Failures that look alike, those first that the night before did not have. The command does the smallest case again.", page.buckets.map((bucket) => bucket_article(bucket, tests)),
    loose.length > 0 && element("article", { class: "bucket" }, element("h3", {}, element("span", { class: "many" }, loose.length), " in no bucket"),
      test_list("failed", loose, (t) => t.signature)));
};

const news_section = (tests) => {
  const about = (t) => (!t.was_there ? `not in night ${page.before}`
    : `${t.before || "not run"} in night ${page.before}${t.same ? "" : t.layer_seed !== "" ? ", with another layer" : ", with other seeds"}`);
  const { gone } = page, failures = among(tests, "new-failures");
  return page.before > 0 && tests.length > 0 && section("news", ["New since ", night_link(page.before, page.before_page)],
    [`The last night of the same plan and selection that was done, ${page.before_started.slice(0, 10)}, revision ${page.before_revision?.slice(0, 12) || "not known"}.`,
      gone > 0 && [" ", element("strong", {}, `${gone} of its tests ${plural(gone, "is", "are")} not in this night.`)]],
    titled_list("New failures", "new-failures", failures, about) || element("p", {}, "No new failures."), titled_list("New passes", "new-passes", among(tests, "new-passes"), about));
};

const known_section = (tests) => {
  const about = (t) => `${t.excuse || t.known}${t.excuse_until ? `; until ${t.excuse_until}` : ""}`, expired = among(tests, "expired"), known = among(tests, "known");
  return expired.length + known.length > 0 && section("known", "Known failures", "What the plan names as such. They do not fail the night.",
    titled_list("Expired, no longer an excuse", "expired", expired, about),
    titled_list("Pass now: take them out of the plan", "known", known.filter((t) => t.state === "passed"), about),
    titled_list("Fail as known", "known", known.filter((t) => t.state === "known"), about));
};

const flaky_section = (tests) => among(tests, "flaky").length > 0 && section("flaky", "Flaky",
  "Verdicts that differ though revision and seeds are the same, or that come and go.", test_list("flaky", among(tests, "flaky"), (t) => t.flaky));

const coverage_section = () => {
  const MOST = 60, { coverage } = page; // values of a row that are named
  const row = ({ name, covered, bins, holes }) => element("tr", {}, element("th", { scope: "row" }, name), cell(null, null, `${covered} of ${bins}`),
    cell(null, null, covered === 0 ? element("em", {}, "none of them") : [holes.slice(0, MOST).map((hole) => [element("code", {}, hole), " "]), holes.length > MOST && `and ${holes.length - MOST} more`]));
  const rows = (group, cross) => {
    const found = group.rows.filter((each) => each.cross === cross && each.holes.length > 0);
    return found.length > 0 && table("holes", cross ? "crosses" : "aspects", [], element("tbody", {}, found.map(row)));
  };
  const details = (group) => {
    const bins = sum(group.rows, (each) => each.bins), covered = sum(group.rows, (each) => each.covered), share = percent(covered, bins, 100);
    return bins > 0 && element("details", {}, element("summary", {}, element("b", {}, group.engine), " ", gauge(share), ` ${fixed(share, 1)} % `,
      small(`${covered} of ${bins} bins, ${bins - covered} never`)), rows(group, false), rows(group, true));
  };
  return coverage && section("coverage", "Coverage holes",
    `Kinds of layers that the registers of ${coverage.tests} tests ask for: ${coverage.covered} of ${coverage.bins} functional bins that the configurations can reach, ${
      fixed(percent(coverage.covered, coverage.bins, 100), 1)} %. What no test asks for is below, by engine.`, coverage.groups.map(details));
};

const cycles_part = (tests) => {
  const WORST = 10, compared = tests.filter((t) => t.ratio > 0), n = compared.length;
  if (n === 0) return null;
  const exact = (t) => t.cycles / t.cycles_before;
  const slower = compared.filter((t) => exact(t) > 1).sort((a, b) => exact(b) - exact(a)), faster = compared.filter((t) => exact(t) < 1).sort((a, b) => exact(a) - exact(b));
  const rows = (some, kind) => some.slice(0, WORST).map((t) => [test_link(t), t.cycles_before, t.cycles, cell(kind, null, fixed(t.ratio, 3))]);
  const changed = slower.length + faster.length;
  return [element("h3", {}, `Cycles against night ${page.before}`), element("p", { class: "about", id: "cycles" }, changed === 0
    ? `${n === 1 ? "The one test" : "All tests"} that can be compared ${plural(n, "takes", "take")} exactly the cycles of night ${page.before}.`
    : `Of ${n} tests that pass in both nights with the same seeds ${slower.length} take more cycles, ${faster.length} fewer, ${n - changed} the same; geometric mean of the ratio ${
      fixed(mean(compared.map(exact)), 4)}.`),
  changed > 0 && element("div", { class: "charts" },
    scatter("Cycles, now / before", "each dot a test, by its cycles before", "cycles before", "cycles now", compared.map((t) => [t.cycles_before, t.cycles])),
    extremes("Slowed down most", rows(slower, "bad")), extremes("Sped up most", rows(faster, "good")))];
};

const plots_section = (tests) => {
  const { trends, speeds } = page, longest = Math.max(...trends.map((night) => night.seconds));
  const [seconds, long, unit] = longest > 3 * 3600 ? [3600, "hours", " h"] : longest > 3 * 60 ? [60, "minutes", " min"] : [1, "seconds", " s"];
  const over = (value) => ({ "": trends.map(value) }), khz = Object.entries(speeds).map(([name, values]) => [name, values.map((hertz) => hertz && hertz / 1000)]);
  return trends.length > 1 && section("plots", "Plots", null, cycles_part(tests), element("h3", {}, "Over nights"),
    element("p", { class: "about" }, `The last ${trends.length} of this plan and selection; a point leads to the page of its night.`),
    element("div", { class: "charts" },
      page.faults.length > 0 && chart("Faults noticed, %", "of those that are not equivalent", " %", null, over((night) => percent(night.noticed, night.faults - night.equivalent, null))),
      tests.length > 0 && chart("Pass rate, %", "known failures count as passed", " %", null, over((night) => percent(night.passed + night.known, night.tests - night.open, null))),
      chart(`Duration, ${long}`, "wall time of the night", unit, 0, over((night) => (night.seconds > 0 ? night.seconds / seconds : null))),
      khz.length > 0 && chart("Simulation speed, kHz", "core clocks a second of CPU time, by configuration", " kHz", 0, Object.fromEntries(khz))));
};

// ---- the table of all tests: filters, sorts and opens its rows, which are made only for those that are shown ----

const speed = (t) => (t.dut !== "model" && t.cpu_seconds ? t.cycles / t.cpu_seconds / 1000 : 0);
// Name, what it sorts by, what it shows, name on a phone (none: it speaks for itself).
const table_columns = () => [
  ["verdict", (t) => ["failed", "known", "open", "passed"].indexOf(t.state) * 10 + Object.keys(SIGNS).indexOf(t.verdict || "not run"), (t) => badge(t.verdict, t.state === "known")],
  ["test", (t) => t.key, (t) => t.key],
  ["config", (t) => t.config, (t) => t.config],
  ["device", (t) => t.dut, (t) => t.dut],
  ["memory", (t) => t.memory, (t) => t.memory],
  ["nights", (t) => t.past.replace(/[P.]/g, "").length, (t) => past(t.past)],
  ["cycles", (t) => t.cycles, (t) => t.cycles && count(t.cycles), "cycles"],
  [page.before ? `/ night ${page.before}` : "ratio", (t) => t.ratio, (t) => t.ratio && element("span", { class: t.ratio > 1 ? "bad" : t.ratio < 1 ? "good" : null }, fixed(t.ratio, 3)),
    `/ night ${page.before}`],
  ["time", (t) => t.seconds, (t) => t.seconds && duration(t.seconds)],
  ["kHz", speed, (t) => speed(t) && fixed(speed(t), 1), "kHz"],
  ["memory used", (t) => t.memory_peak, (t) => t.memory_peak && `${Math.round(t.memory_peak / 1048576)} MiB`],
];

// What a row shows below it when it is open.
const test_detail = (t, columns) => {
  const fact = (name, value) => value && element("div", {}, element("dt", {}, name), element("dd", {}, value));
  const line = (text) => text && element("p", {}, text);
  return element("tr", { class: "detail" }, element("td", { colspan: columns }, line(t.reason), !t.reason.includes(t.mismatch) && line(t.mismatch), line(t.flaky && `flaky: ${t.flaky}`),
    line(t.excuse && `known failure${t.known ? "" : ", expired"}: ${t.excuse}`),
    element("dl", {}, fact("signature", t.signature), t.bucket !== "" && fact("bucket", link(`#bucket-${t.bucket}`, t.bucket)), fact("tags", t.tags.trim()), fact("seed", t.seed),
      fact("layer seed", t.layer_seed), fact("host", t.host), fact("CPU time", t.cpu_seconds && duration(t.cpu_seconds)), t.page && fact("report", link(t.page, "open"))),
    command(t.command), command(t.debug_command)));
};

// The filters above the table: what each can be set to.
const filter_form = (tests, columns) => {
  const select = (name, title, options) => element("select", { name, "aria-label": title }, options.map(([value, text]) => element("option", { value }, text)));
  const distinct = (values) => [...new Set(values)].filter((value) => value).sort().map((value) => [value, value]);
  const states = Object.entries(FILTERS).map(([name, [text]]) => [name, text, among(tests, name).length]).filter(([, , n]) => n > 0);
  return element("form", { class: "filters" }, element("input", { type: "search", name: "text", placeholder: "text in test, reason, signature", "aria-label": "text" }),
    select("show", "verdict", [["", "any verdict"], ...states.map(([name, text, n]) => [name, `${text} (${count(n)})`])]),
    select("config", "configuration", [["", "any configuration"], ...distinct(tests.map((t) => t.config))]),
    select("tag", "tag", [["", "any tag"], ...distinct(tests.flatMap((t) => t.tags.split(" ")))]),
    select("sort", "sort by", [["0", "by verdict"], ["-1", "in the plan's order"], ...columns.slice(1).map(([name], index) => [index + 1, `by ${name}`])]),
    element("button", { type: "reset" }, "all"), element("output"));
};

const tests_section = (tests) => {
  const MORE = 400, FIRST = innerWidth < 740 ? 15 : 40, columns = table_columns(), form = filter_form(tests, columns), field = form.elements;
  const haystacks = new Map(tests.map((t) => [t, `${t.key}\n${t.reason}\n${t.signature}`.toLowerCase()])), places = new Map(tests.map((t, i) => [t, i]));
  const heads = columns.map(([name]) => element("th", { scope: "col" }, element("button", { type: "button" }, name)));
  const rows = element("table", { class: "all sortable" }, element("thead", {}, element("tr", {}, heads)));
  const more = element("p", { class: "more" }, element("button", { type: "button" }));
  let chosen = tests, shown = 0, sorted = 0, down = false, bucket = "";
  const toggle = (body, open) => {
    body.classList.toggle("open", open);
    if (body.rows.length > 1) body.rows[1].remove();
    if (open) body.append(test_detail(tests[body.dataset.test], columns.length));
  };
  const row = (t) => element("tbody", { "data-test": places.get(t) }, element("tr", {}, columns.map(([name, , show, phone = null], index) => {
    const content = show(t);
    return element(index === 1 ? "th" : "td", { scope: index === 1 && "row", class: !content && "none", "data-name": phone, title: name }, content);
  })));
  const grow = (n) => {
    rows.append(...chosen.slice(shown, shown + n).map(row));
    shown = Math.min(chosen.length, shown + n);
    more.hidden = shown === chosen.length;
    one("button", more).textContent = `${count(Math.min(MORE, chosen.length - shown))} more of ${count(chosen.length - shown)}`;
  };
  const choose = () => {
    const text = field.text.value.toLowerCase(), state = FILTERS[field.show.value], config = field.config.value, tag = field.tag.value && ` ${field.tag.value} `;
    chosen = tests.filter((t) => haystacks.get(t).includes(text) && (!state || state[1](t)) && (!config || t.config === config) && t.tags.includes(tag)
      && (bucket === "" || t.bucket === Number(bucket)));
    if (sorted >= 0) {
      const by = columns[sorted][1];
      chosen.sort((a, b) => {
        const x = by(a), y = by(b);
        return (x < y ? -1 : x > y ? 1 : places.get(a) - places.get(b)) * (down ? -1 : 1);
      });
    }
    for (const body of [...rows.tBodies]) body.remove();
    shown = 0;
    one("output", form).textContent = `${count(chosen.length)} of ${count(tests.length)} tests${bucket === "" ? "" : `, of bucket ${bucket}`}`;
    grow(FIRST);
  };
  const sort_by = (column, downwards) => {
    [sorted, down] = [column, downwards];
    heads.forEach((other, index) => (index === column ? other.setAttribute("aria-sort", down ? "descending" : "ascending") : other.removeAttribute("aria-sort")));
    choose();
  };
  // Links into the table: #tests:show=failed, #tests:bucket=3, #test-17.
  const follow = () => {
    const filter = location.hash.match(/^#tests:(\w+)=(.*)$/), test = location.hash.match(/^#test-(\d+)$/);
    if (!filter && !test) return;
    for (const name of ["text", "show", "config", "tag"]) field[name].value = "";
    bucket = filter && filter[1] === "bucket" ? filter[2] : "";
    if (filter && filter[1] !== "bucket") field[filter[1]].value = decodeURIComponent(filter[2]);
    choose();
    one("#tests").scrollIntoView();
    const place = test ? chosen.findIndex((t) => t.number === Number(test[1])) : -1;
    if (place < 0) return;
    grow(Math.max(place + 1 - shown, 0));
    toggle(rows.tBodies[place], true);
    rows.tBodies[place].scrollIntoView({ block: "center" });
  };
  heads.forEach((other, index) => one("button", other).addEventListener("click", () => sort_by(index, sorted === index ? !down : index > 4)));
  field.sort.addEventListener("change", () => sort_by(Number(field.sort.value), field.sort.value > 4));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", choose);
  form.addEventListener("reset", () => setTimeout(() => { bucket = ""; sort_by(0, false); }));
  one("button", more).addEventListener("click", () => grow(MORE));
  rows.addEventListener("click", (event) => {
    const body = event.target.closest("tbody");
    if (body && !event.target.closest(".detail, a, button")) toggle(body, !body.classList.contains("open"));
  });
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => { // the same link once more
    const clicked = event.target.closest("a[href^='#test']");
    if (clicked && clicked.hash === location.hash) follow();
  });
  addEventListener("DOMContentLoaded", follow);
  sort_by(0, false);
  return section("tests", "All tests", null, form, element("div", { class: "scroll" }, rows), more);
};

if (page.tests) {
  const tests = unpacked(page.tests);
  show(night_head(tests), element("main", {}, faults_section(), buckets_section(tests), news_section(tests), known_section(tests), flaky_section(tests),
    tests.length > 0 && tests_section(tests), coverage_section(), plots_section(tests)));
}
