// Script of the page that compares nights, behind base.js and charts.js: draws the Comparison (compare.py) that the page holds.

const told_badge = (test, side) => test[`key_${side}`] && badge(test[`verdict_${side}`], test[`known_${side}`]);
// good: what is better, 1 more, -1 less; 0: no colour.
const ratio_cell = (ratio, good, name) => {
  if (!ratio) return element("td");
  const better = Math.abs(ratio - 1) <= page.edge ? 0 : good * (ratio - 1);
  return cell(better > 0 ? "good" : better < 0 ? "bad" : "", name, fixed(ratio, 3));
};

const compare_head = () => {
  const worse = page.outcome === "WORSE", all_tests = page.means[0];
  const side = (night, letter) => paragraph(element("b", {}, letter), " ", night_link(night.night, night.index),
    `${night.chosen} of ${night.plan}, ${date(night)}; ${night.tests} tests; `, revision(night), `; nvcosim ${night.version}`, night.state !== "done" && `; ${night.state}`);
  const n = page.changes, only = n["only in A"] + n["only in B"];
  const counted = (name, target, ...changes) => {
    const total = sum(changes, (change) => n[change]);
    return tile(name, count(total), "", total ? target : null);
  };
  return head(worse ? "fail" : "pass", worse ? "\u2717" : "\u2713", page.outcome, page.title, page.sentence,
    element("div", { class: "sides" }, side(page.a, "A"), side(page.b, "B")),
    tiles(counted("New failures", "#new", "new failure"), counted("Fixed", "#fixed", "fixed"),
      counted("Fail in both", n["fails otherwise"] ? "#otherwise" : "#still", "fails in both", "fails otherwise"),
      counted("Pass in both", "#all", "passes in both"),
      only > 0 && counted("Only in one", n["only in A"] ? "#only-a" : "#only-b", "only in A", "only in B"),
      page.limit !== null && tile("Over the limit", count(page.over_limit), "", page.over_limit ? "#cycles" : null),
      all_tests?.cycles > 0 && tile("Cycles, B/A", fixed(all_tests.cycles, 3),
        `${all_tests.more} more, ${all_tests.fewer} fewer of ${all_tests.tests}`),
      all_tests?.speed > 0 && tile("Speed, B/A", fixed(all_tests.speed, 3), "cycles a CPU second")));
};

const change_section = ([change, id, title, about]) => {
  const tests = page.tests.filter((test) => test.change === change);
  const item = (t) => {
    const { signature_a: before, signature_b: now } = t;
    return element("li", {}, told_badge(t, "a"), t.key_a && t.key_b && [" ", element("span", { "aria-label": "then" }, "\u2192"), " "],
      told_badge(t, "b"), " ", element("span", { class: "test" }, t.test),
      before && now && before !== now ? [" ", chip(now), `was ${before} `] : [" ", chip(t.key_b ? now : before)],
      t.report && link(t.report, "report"), reason(t.reason),
      t.command && details("command", command(t.command)));
  };
  return tests.length > 0 && section(id, `${title} (${tests.length})`, about,
    element("ul", { class: "tests" }, tests.slice(0, page.listed).map(item)),
    tests.length > page.listed && element("p", { class: "about" }, `${tests.length - page.listed} more are in the table of all tests.`));
};

const cycles_section = () => {
  const row = (found) => element("tr", {}, element("th", { scope: "row" },
    found.name ? [element("span", { class: "of" }, found.kind), " ", found.name] : found.kind),
    cell(null, null, Math.max(found.tests, found.speed_tests)), ratio_cell(found.cycles, -1, "cycles"),
    cell(null, null, found.more), cell(null, null, found.fewer),
    ratio_cell(found.speed, found.speed_counts ? 1 : 0, "speed"));
  const compared = page.tests.filter((t) => t.cycles_ratio);
  const changed = (better) => compared.filter((t) => (better ? t.cycles_ratio < 1 : t.cycles_ratio > 1))
    .sort((a, b) => (better ? a.cycles_ratio - b.cycles_ratio : b.cycles_ratio - a.cycles_ratio))
    .slice(0, page.extremes).map((t) => [t.test, t.cycles_a, t.cycles_b, ratio_cell(t.cycles_ratio, -1, "B/A")]);
  return page.means.length > 0 && section("cycles", "Cycles and speed",
    "Of tests that pass in both and do the same work. Cycles: core clocks of the RTL. Speed: those for "
    + "each second of CPU time of the simulation, model and start included.",
    page.other_work > 0 && element("p", { class: "about" },
      `${page.other_work} ${plural(page.other_work, "test passes", "tests pass")} in both with other layers or seeds, `,
      "and are not compared."),
    scroll(table("kinds", "Geometric means of B/A", ["of", "tests", "cycles", "more", "fewer", "speed"],
      body(page.means.map(row)))),
    element("div", { class: "charts" },
      scatter("Cycles, B / A", "each dot a test, by its cycles in A", "cycles in A", "cycles in B",
        compared.map((t) => [t.cycles_a, t.cycles_b])),
      extremes("Slowed down most", changed(false)), extremes("Sped up most", changed(true))));
};

const all_section = () => {
  const figure_cell = (value, name, text) => (value ? cell(null, name, text(value)) : element("td"));
  const khz = (value) => fixed(value / 1000, 1);
  const rows = page.tests.map((t) => element("tr", {},
    rowHead(t.test, t.change !== "passes in both" && [" ", small(t.change)]),
    element("td", {}, told_badge(t, "a")), element("td", {}, told_badge(t, "b")),
    figure_cell(t.cycles_a, "cycles", count), figure_cell(t.cycles_b, "\u2192", count), ratio_cell(t.cycles_ratio, -1, "B/A"),
    figure_cell(t.speed_a, "kHz", khz), figure_cell(t.speed_b, "\u2192", khz), ratio_cell(t.speed_ratio, t.speed_counts ? 1 : 0, "B/A")));
  const field = element("input", { id: "pair-filter", type: "search", placeholder: "filter: words of a row", "aria-label": "filter" });
  const told = element("small", { id: "pair-count" });
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      row.style.display = row.hidden ? "none" : "";
      shown += row.hidden ? 0 : 1;
    }
    told.textContent = `${shown} of ${rows.length} tests`;
  };
  field.addEventListener("input", filter);
  filter();
  return section("all", "All tests", "By what changed, then by name.", field, " ", told,
    table("pairs", null, ["test", "A", "B", "cycles A", "cycles B", "B/A", "kHz A", "kHz B", "B/A"], body(rows)));
};

show(compare_head(), element("main", {}, page.news.map(change_section), cycles_section(), page.rest.map(change_section), all_section()));
