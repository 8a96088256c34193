// Script of index.html of a night, behind base.js and charts.js: draws the Review (review.py) that the page holds.

const LISTED = 40; // tests of a list; the table has all

// Tests are columns; those of texts hold only what differs from the test before (page.py).
const unpacked = (columns) => {
  const tests = columns.key.map(() => ({}));
  for (const [name, column] of Object.entries(columns)) {
    let last = "";
    const next = (value) => (last = value === 0 ? last : typeof value === "string" ? value : last.slice(0, value[0]) + value[1]);
    const texts = typeof column[0] === "string";
    column.forEach((value, i) => { tests[i][name] = texts ? next(value) : value ?? ""; });
  }
  return tests;
};

// What the table can show, and links ask it for: #tests:show=NAME.
const FILTERS = {
  failed: ["failed", (t) => t.state === "failed"], passed: ["passed", (t) => t.state === "passed"],
  "known-failed": ["known to fail", (t) => t.state === "known"], open: ["not run", (t) => t.state === "open"],
  "new-failures": ["new failures", (t) => t.new_failure], "new-passes": ["new passes", (t) => t.new_pass],
  flaky: ["flaky", (t) => t.flaky], known: ["known, failing or not", (t) => t.known], expired: ["expired", (t) => t.excuse && !t.known],
};
for (const verdict of Object.keys(SIGNS).slice(0, 6)) FILTERS[verdict] = [verdict, (t) => t.verdict === verdict];
const among = (tests, name) => tests.filter(FILTERS[name][1]);
const all_known = (bucket) => bucket.known > 0 && bucket.known >= bucket.count;

const past = (letters) => {
  const runs = letters.replaceAll(".", "").length, failures = letters.replace(/[P.]/g, "").length;
  return element("span", { class: "past", role: "img", title: `${letters}, oldest night first`,
    "aria-label": `failed in ${failures} of ${runs} nights: ${letters}` },
    [...letters].map((letter) => element("i", { class: letter === "P" ? null : letter === "." ? "o" : "f" })));
};
const test_link = (t) => element("a", { class: "test", href: `#test-${t.number}` }, t.key);

const test_item = (t, more) => element("li", {}, badge(t.verdict, t.state === "known"), " ", test_link(t), " ", past(t.past),
  more && [" ", small(more)],
  t.page && t.state !== "passed" && [" ", link(t.page, "report")],
  t.bucket !== "" ? [" ", link(`#bucket-${t.bucket}`, `bucket ${t.bucket}`)] : t.state !== "passed" && reason(t.reason));
// A list of tests. filter: what shows them in the table; about: what is said of each.
const test_list = (filter, tests, about) => [element("ul", { class: "tests" }, tests.slice(0, LISTED).map((t) => test_item(t, about(t)))),
  tests.length > LISTED && paragraph(link(`#tests:show=${filter}`, `${tests.length - LISTED} more in the table`))];
const titled_list = (title, filter, tests, about) => tests.length > 0 && [titled(title, tests.length), test_list(filter, tests, about)];

const night_tiles = (tests) => {
  const { states, fault_states: faults, coverage } = page, run = tests.length - (states.open || 0),
    blind = page.faults.length - (faults.equivalent || 0);
  const counted = (name, n = 0, target = null, more = "") => tile(name, count(n), more, n ? target : null);
  const failed = page.buckets.filter((bucket) => !all_known(bucket)).length, fresh = page.buckets.filter((bucket) => bucket.fresh).length;
  const excused = among(tests, "known").length - (states.known || 0), expired = among(tests, "expired").length,
    flaky = among(tests, "flaky").length;
  const cpu = sum(tests, (t) => t.cpu_seconds);
  return tiles(page.faults.length > 0 && [
    tile("Faults noticed", `${fixed(percent(faults.noticed || 0, blind, 100), 1)} %`, `${faults.noticed || 0} of ${blind}`, "#faults"),
    counted("Survived", faults.survived, "#faults"), counted("Unreached", faults.unreached, "#faults"),
    counted("Equivalent", faults.equivalent, "#faults"), faults.open && counted("Not known yet", faults.open)],
  tests.length > 0 && [
    counted("Passed", states.passed, "#tests:show=passed", `of ${run}, ${fixed(percent(states.passed || 0, run, 0), 1)} %`),
    counted("Failed", states.failed, "#buckets", failed > 0 && `in ${failed} ${plural(failed, "bucket")}, ${fresh} new`),
    page.before > 0 && [counted("New failures", among(tests, "new-failures").length, "#news"),
      counted("New passes", among(tests, "new-passes").length, "#news")],
    (states.known || excused + expired > 0) && counted("Known failures", states.known, "#known",
      excused + expired > 0 && `${excused} pass now, ${expired} expired`),
    flaky > 0 && counted("Flaky", flaky, "#flaky"), states.open && counted("Not run", states.open, "#tests:show=open"),
    coverage && tile("Coverage", `${fixed(percent(coverage.covered, coverage.bins, 0), 1)} %`,
      `${coverage.covered} of ${coverage.bins} bins`, "#coverage"),
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
  const [kind, sign] = { PASSED: ["pass", "\u2713"], SURVIVORS: ["refused", "\u26a0\ufe0e"], FAILED: ["fail", "\u2717"] }[page.outcome]
    || ["hang", "\u25ae\u25ae"];
  const status = page.outcome === "FAILED" && page.state !== "done" ? `FAILED (${page.state})` : page.outcome;
  return head(kind, sign, status, `${page.plan}, night ${page.night}`, page.sentence, shares(),
    element("p", { class: "what" },
      `${date(page)} on ${page.host} (${page.cores} cores, ${page.engine}), ${page.time}; `, revision(page), `; seed ${page.seed}; nvcosim ${page.version}`,
      page.selected !== null && `; --select '${page.selected}'`),
    command(page.command, page.whole), night_tiles(tests));
};

const fault_list = (title, state, open) => {
  const faults = page.faults.filter((fault) => fault.state === state), MOST = 200;
  // The statement with the place that is changed marked: in the text it is [[original -> changed]].
  const statement = ({ statement: text, original, changed }) => {
    const mark = `[[${original} -> ${changed}]]`, at = text.indexOf(mark);
    return element("pre", { class: "statement" }, at < 0 ? text : [text.slice(0, at), element("del", {}, original),
      element("ins", {}, changed), text.slice(at + mark.length)]);
  };
  return faults.length > 0 && element("details", { open }, element("summary", {}, titled(title, faults.length)),
    element("ul", { class: "faults" }, faults.slice(0, MOST).map((fault) => element("li", { id: `fault-${fault.number}` },
      element("b", {}, `${fault.file}:${fault.line}`), " ",
      code(element("del", {}, fault.original), " \u2192 ", element("ins", {}, fault.changed)), " ",
      small(`fault ${fault.number}, ${fault.runs} ${plural(fault.runs, "test")} ran through it`), reason(fault.reason), statement(fault)))),
    faults.length > MOST && element("p", {},
      `${faults.length - MOST} more are in the database: SELECT * FROM fault WHERE night = ${page.night}`));
};

const faults_section = () => {
  const row = (kind, name, faults) => {
    const n = (state) => faults.filter((fault) => fault.state === state).length, blind = faults.length - n("equivalent"),
      share = percent(n("noticed"), blind, 100);
    return element("tr", { class: kind }, rowHead(name), cell(null, null, faults.length),
      cell(null, null, gauge(share), ` ${fixed(share, 1)} %`),
      [["survived", "bad"], ["unreached", "wait"], ["equivalent", null], ["open", null]]
        .map(([state, colour]) => (n(state) ? cell(colour, null, n(state)) : cell(null, null, "\u2013"))));
  };
  const by = (faults, name) => [...new Set(faults.map((fault) => fault[name]))]
    .map((value) => faults.filter((fault) => fault[name] === value));
  return page.faults.length > 0 && section("faults", "Planted faults",
    "One fault at a time in a copy of the RTL. What no test notices is where the tests are blind; shares are of the faults that are not "
    + "equivalent.",
    scroll(table("places", null,
      ["folder, module", "faults", "noticed", "survived", "unreached", "equivalent", "open"],
      by(page.faults, "folder").map((faults) => element("tbody", {}, row("folder", faults[0].folder || "top", faults),
        by(faults, "module").map((own) => row(null, own[0].module, own)))))),
    fault_list("Survived: tests ran through them and passed", "survived", true),
    fault_list("Unreached: no test ran through them", "unreached", false),
    fault_list("Equivalent: they change nothing, says the plan", "equivalent", false));
};

const bucket_article = (bucket, tests) => {
  const smallest = tests.find((t) => t.number === bucket.smallest), { known } = bucket;
  const age = bucket.nights > 1 ? `; in ${bucket.nights} nights, first in night ${bucket.first}`
    : page.before > 0 ? "; in no night before" : "";
  return element("article", { class: `bucket${bucket.fresh ? " fresh" : ""}`, id: `bucket-${bucket.number}` },
    element("h3", {}, element("span", { class: "many" }, bucket.count), " ",
      bucket.fresh && [element("span", { class: "new" }, bucket.nights > 1 ? "back" : "new"), " "], bucket.title),
    element("p", { class: "facts" }, [bucket.engine, bucket.tap, bucket.kind].map(chip),
      small(`bucket ${bucket.number}${age}${known ? `; ${known} of them ${plural(known, "is", "are")} known` : ""}`)),
    paragraph("Smallest case: ", smallest && [test_link(smallest), smallest.cycles > 0 && `, ${count(smallest.cycles)} cycles`],
      bucket.shrunk && [", shrunk to ", link(bucket.shrunk, readable(bucket.shrunk)),
        bucket.shrunk_cycles > 0 && ` (${count(bucket.shrunk_cycles)} cycles)`]),
    command(bucket.command), bucket.shrunk_command && [paragraph("What it was shrunk to:"), command(bucket.shrunk_command)],
    reason(bucket.note),
    element("p", { class: "links" }, bucket.page && [link(bucket.page, "debug report"), " "],
      link(`#tests:bucket=${bucket.number}`, "its tests in the table")));
};

const buckets_section = (tests) => {
  const loose = among(tests, "failed").filter((t) => t.bucket === "");
  return page.buckets.length + loose.length > 0 && section("buckets", "Buckets",
    "Failures that look alike, those first that the night before did not have. The command does the smallest case again.",
    page.buckets.map((bucket) => bucket_article(bucket, tests)),
    loose.length > 0 && element("article", { class: "bucket" },
      element("h3", {}, element("span", { class: "many" }, loose.length), " in no bucket"),
      test_list("failed", loose, (t) => t.signature)));
};

const news_section = (tests) => {
  const other = (t) => (t.same ? "" : t.layer_seed !== "" ? ", with another layer" : ", with other seeds");
  const about = (t) => (t.was_there ? `${t.before || "not run"} in night ${page.before}${other(t)}` : `not in night ${page.before}`);
  const { gone } = page, failures = among(tests, "new-failures");
  return page.before > 0 && tests.length > 0 && section("news", ["New since ", night_link(page.before, page.before_page)],
    [`The last night of the same plan and selection that was done, ${page.before_started.slice(0, 10)}, `,
      `revision ${page.before_revision?.slice(0, 12) || "not known"}.`,
      gone > 0 && [" ", element("strong", {}, `${gone} of its tests ${plural(gone, "is", "are")} not in this night.`)]],
    titled_list("New failures", "new-failures", failures, about) || paragraph("No new failures."),
    titled_list("New passes", "new-passes", among(tests, "new-passes"), about));
};

const known_section = (tests) => {
  const about = (t) => `${t.excuse || t.known}${t.excuse_until ? `; until ${t.excuse_until}` : ""}`, expired = among(tests, "expired"),
    known = among(tests, "known");
  return expired.length + known.length > 0 && section("known", "Known failures", "What the plan names as such. They do not fail the night.",
    titled_list("Expired, no longer an excuse", "expired", expired, about),
    titled_list("Pass now: take them out of the plan", "known", known.filter((t) => t.state === "passed"), about),
    titled_list("Fail as known", "known", known.filter((t) => t.state === "known"), about));
};

const flaky_section = (tests) => among(tests, "flaky").length > 0 && section("flaky", "Flaky",
  "Verdicts that differ though revision and seeds are the same, or that come and go.",
  test_list("flaky", among(tests, "flaky"), (t) => t.flaky));

const coverage_section = () => {
  const MOST = 60, { coverage } = page; // values of a row that are named
  const values = (holes) => [holes.slice(0, MOST).map((hole) => [code(hole), " "]),
    holes.length > MOST && `and ${holes.length - MOST} more`];
  const row = ({ name, covered, bins, holes }) => element("tr", {}, rowHead(name),
    cell(null, null, `${covered} of ${bins}`), cell(null, null, covered === 0 ? element("em", {}, "none of them") : values(holes)));
  const rows = (group, cross) => {
    const found = group.rows.filter((each) => each.cross === cross && each.holes.length > 0);
    return found.length > 0 && table("holes", cross ? "crosses" : "aspects", [], body(found.map(row)));
  };
  const engine = (group) => {
    const bins = sum(group.rows, (each) => each.bins), covered = sum(group.rows, (each) => each.covered),
      share = percent(covered, bins, 100);
    return bins > 0 && details([element("b", {}, group.engine), " ", gauge(share),
      ` ${fixed(share, 1)} % `,
      small(`${covered} of ${bins} bins, ${bins - covered} never`)], rows(group, false), rows(group, true));
  };
  const share = coverage && fixed(percent(coverage.covered, coverage.bins, 100), 1);
  return coverage && section("coverage", "Coverage holes",
    `Kinds of layers that the registers of ${coverage.tests} tests ask for, and corners that their values reach: ${coverage.covered} of ${coverage.bins} functional bins that `
    + `the configurations can reach, ${share} %. What no test reaches is below, by engine.`, coverage.groups.map(engine));
};

const cycles_part = (tests) => {
  const WORST = 10, compared = tests.filter((t) => t.ratio > 0), n = compared.length;
  if (n === 0) return null;
  const exact = (t) => t.cycles / t.cycles_before;
  const slower = compared.filter((t) => exact(t) > 1).sort((a, b) => exact(b) - exact(a)),
    faster = compared.filter((t) => exact(t) < 1).sort((a, b) => exact(a) - exact(b));
  const rows = (some, kind) => some.slice(0, WORST).map((t) => [test_link(t), t.cycles_before, t.cycles,
    cell(kind, null, fixed(t.ratio, 3))]);
  const changed = slower.length + faster.length;
  return [element("h3", {}, `Cycles against night ${page.before}`), element("p", { class: "about", id: "cycles" }, changed === 0
    ? [n === 1 ? "The one test" : "All tests", " that can be compared ", plural(n, "takes", "take"),
      ` exactly the cycles of night ${page.before}.`]
    : [`Of ${n} tests that pass in both nights with the same seeds ${slower.length} take more cycles, ${faster.length} fewer, `,
      `${n - changed} the same; geometric mean of the ratio ${fixed(mean(compared.map(exact)), 4)}.`]),
  changed > 0 && element("div", { class: "charts" },
    scatter("Cycles, now / before", "each dot a test, by its cycles before", "cycles before", "cycles now",
      compared.map((t) => [t.cycles_before, t.cycles])),
    extremes("Slowed down most", rows(slower, "bad")), extremes("Sped up most", rows(faster, "good")))];
};

const plots_section = (tests) => {
  const { trends, speeds } = page, longest = Math.max(...trends.map((night) => night.seconds));
  const [seconds, long, unit] = longest > 3 * 3600 ? [3600, "hours", " h"]
    : longest > 3 * 60 ? [60, "minutes", " min"] : [1, "seconds", " s"];
  const over = (value) => ({ "": trends.map(value) });
  const khz = Object.entries(speeds).map(([name, values]) => [name, values.map((hertz) => hertz && hertz / 1000)]);
  return trends.length > 1 && section("plots", "Plots", null, cycles_part(tests), element("h3", {}, "Over nights"),
    element("p", { class: "about" }, `The last ${trends.length} of this plan and selection; a point leads to the page of its night.`),
    element("div", { class: "charts" },
      page.faults.length > 0 && chart("Faults noticed, %", "of those that are not equivalent", " %", null,
        over((night) => percent(night.noticed, night.faults - night.equivalent, null))),
      tests.length > 0 && chart("Pass rate, %", "known failures count as passed", " %", null,
        over((night) => percent(night.passed + night.known, night.tests - night.open, null))),
      chart(`Duration, ${long}`, "wall time of the night", unit, 0, over((night) => (night.seconds > 0 ? night.seconds / seconds : null))),
      khz.length > 0 && chart("Simulation speed, kHz", "core clocks a second of CPU time, by configuration", " kHz", 0,
        Object.fromEntries(khz))));
};

// ---- the table of all tests: filters, sorts and opens its rows, which are made only for those that are shown ----

const speed = (t) => (t.dut !== "model" && t.cpu_seconds ? t.cycles / t.cpu_seconds / 1000 : 0);
// Name, what it sorts by, what it shows, name on a phone (none: it speaks for itself).
const table_columns = () => [
  ["verdict", (t) => ["failed", "known", "open", "passed"].indexOf(t.state) * 10 + Object.keys(SIGNS).indexOf(t.verdict || "not run"),
    (t) => badge(t.verdict, t.state === "known")],
  ["test", (t) => t.key, (t) => t.key],
  ["config", (t) => t.config, (t) => t.config],
  ["device", (t) => t.dut, (t) => t.dut],
  ["memory", (t) => t.memory, (t) => t.memory],
  ["nights", (t) => t.past.replace(/[P.]/g, "").length, (t) => past(t.past)],
  ["cycles", (t) => t.cycles, (t) => t.cycles && count(t.cycles), "cycles"],
  [page.before ? `/ night ${page.before}` : "ratio", (t) => t.ratio,
    (t) => t.ratio && element("span", { class: t.ratio > 1 ? "bad" : t.ratio < 1 ? "good" : null }, fixed(t.ratio, 3)),
    `/ night ${page.before}`],
  ["time", (t) => t.seconds, (t) => t.seconds && duration(t.seconds)],
  ["kHz", speed, (t) => speed(t) && fixed(speed(t), 1), "kHz"],
  ["memory used", (t) => t.memory_peak, (t) => t.memory_peak && `${Math.round(t.memory_peak / 1048576)} MiB`],
];

// What a row shows below it when it is open.
const test_detail = (t, columns) => {
  const fact = (name, value) => value && element("div", {}, element("dt", {}, name), element("dd", {}, value));
  const line = (text) => text && paragraph(text);
  return element("tr", { class: "detail" }, element("td", { colspan: columns }, line(t.reason),
    !t.reason.includes(t.mismatch) && line(t.mismatch), line(t.disagrees), line(t.flaky && `flaky: ${t.flaky}`),
    line(t.excuse && `known failure${t.known ? "" : ", expired"}: ${t.excuse}`),
    element("dl", {}, fact("signature", t.signature), t.bucket !== "" && fact("bucket", link(`#bucket-${t.bucket}`, t.bucket)),
      fact("tags", t.tags.trim()), fact("seed", t.seed), fact("layer seed", t.layer_seed), fact("host", t.host),
      fact("CPU time", t.cpu_seconds && duration(t.cpu_seconds)), t.page && fact("report", link(t.page, "open"))),
    command(t.command), command(t.debug_command)));
};

// The filters above the table: what each can be set to.
const filter_form = (tests, columns) => {
  const select = (name, title, options) => element("select", { name, "aria-label": title },
    options.map(([value, text]) => element("option", { value }, text)));
  const distinct = (values) => [...new Set(values)].filter((value) => value).sort().map((value) => [value, value]);
  const states = Object.entries(FILTERS).map(([name, [text]]) => [name, text, among(tests, name).length]).filter(([, , n]) => n > 0);
  return element("form", { class: "filters" },
    element("input", { type: "search", name: "text", placeholder: "text in test, reason, signature", "aria-label": "text" }),
    select("show", "verdict", [["", "any verdict"], ...states.map(([name, text, n]) => [name, `${text} (${count(n)})`])]),
    select("config", "configuration", [["", "any configuration"], ...distinct(tests.map((t) => t.config))]),
    select("tag", "tag", [["", "any tag"], ...distinct(tests.flatMap((t) => t.tags.split(" ")))]),
    select("sort", "sort by", [["0", "by verdict"], ["-1", "in the plan's order"],
      ...columns.slice(1).map(([name], index) => [index + 1, `by ${name}`])]),
    element("button", { type: "reset" }, "all"), element("output"));
};

const tests_section = (tests) => {
  const MORE = 400, FIRST = innerWidth < 740 ? 15 : 40, columns = table_columns(), form = filter_form(tests, columns),
    field = form.elements;
  const haystacks = new Map(tests.map((t) => [t, `${t.key}\n${t.reason}\n${t.signature}`.toLowerCase()]));
  const places = new Map(tests.map((t, i) => [t, i]));
  const heads = columns.map(([name]) => element("th", { scope: "col" }, element("button", { type: "button" }, name)));
  const rows = element("table", { class: "all sortable" }, element("thead", {}, element("tr", {}, heads)));
  const more = element("p", { class: "more" }, element("button", { type: "button" }));
  let chosen = tests, shown = 0, sorted = 0, down = false, bucket = "";
  const toggle = (body, open) => {
    body.classList.toggle("open", open);
    if (body.rows.length > 1) body.rows[1].remove();
    if (open) body.append(test_detail(tests[body.dataset.test], columns.length));
  };
  const row_cell = (t, [title, , show, phone = null], index) => {
    const content = show(t), named = index === 1;
    return element(named ? "th" : "td", { scope: named && "row", class: !content && "none", "data-name": phone, title }, content);
  };
  const row = (t) => element("tbody", { "data-test": places.get(t) },
    element("tr", {}, columns.map((column, index) => row_cell(t, column, index))));
  const grow = (n) => {
    rows.append(...chosen.slice(shown, shown + n).map(row));
    shown = Math.min(chosen.length, shown + n);
    more.hidden = shown === chosen.length;
    one("button", more).textContent = `${count(Math.min(MORE, chosen.length - shown))} more of ${count(chosen.length - shown)}`;
  };
  const choose = () => {
    const text = field.text.value.toLowerCase(), tag = field.tag.value && ` ${field.tag.value} `;
    const state = FILTERS[field.show.value], config = field.config.value;
    chosen = tests.filter((t) => haystacks.get(t).includes(text) && (!state || state[1](t)) && (!config || t.config === config)
      && t.tags.includes(tag) && (bucket === "" || t.bucket === Number(bucket)));
    if (sorted >= 0) {
      const by = columns[sorted][1];
      chosen.sort((a, b) => {
        const x = by(a), y = by(b);
        return (x < y ? -1 : x > y ? 1 : places.get(a) - places.get(b)) * (down ? -1 : 1);
      });
    }
    for (const body of [...rows.tBodies]) body.remove();
    shown = 0;
    const among_them = bucket === "" ? "" : `, of bucket ${bucket}`;
    one("output", form).textContent = `${count(chosen.length)} of ${count(tests.length)} tests${among_them}`;
    grow(FIRST);
  };
  const sort_by = (column, downwards) => {
    [sorted, down] = [column, downwards];
    for (const other of heads) other.removeAttribute("aria-sort");
    heads[column]?.setAttribute("aria-sort", down ? "descending" : "ascending");
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
  heads.forEach((other, index) =>
    one("button", other).addEventListener("click", () => sort_by(index, sorted === index ? !down : index > 4)));
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
  return section("tests", "All tests", null, form, scroll(rows), more);
};

const all_tests = unpacked(page.tests);
show(night_head(all_tests), element("main", {}, faults_section(), buckets_section(all_tests), news_section(all_tests),
  known_section(all_tests), flaky_section(all_tests), all_tests.length > 0 && tests_section(all_tests), coverage_section(),
  plots_section(all_tests)));
