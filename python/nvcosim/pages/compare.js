// Script of the page that compares nights, behind base.js and charts.js: draws the Comparison (compare.py) that the page holds.

const EDGE = 0.0005; // a ratio that is nearer to 1 has no colour
const told_badge = (run) => run && badge(run.verdict, run.known);
// good: what is better, 1 more, -1 less; 0: no colour.
const ratio_cell = (ratio, good, name) => {
  if (ratio <= 0) return element("td");
  const better = Math.abs(ratio - 1) <= EDGE ? 0 : good * (ratio - 1);
  return cell(better > 0 ? "good" : better < 0 ? "bad" : "", name, fixed(ratio, 3));
};
const of_change = (change) => page.pairs.filter((pair) => pair.change === change);

const compare_head = () => {
  const worse = page.outcome === "WORSE", all_tests = page.means[0];
  const side = (night, letter) => element("p", {}, element("b", {}, letter), " ", night_link(night.night, night.index),
    `${night.chosen} of ${night.plan}, ${night.started.slice(0, 10)} ${night.started.slice(11, 16)} UTC; ${night.tests} tests; revision `,
    element("code", {}, night.revision?.slice(0, 12) || "not known"),
    night.dirty && " with changes that are not committed", `; nvcosim ${night.version}`, night.state !== "done" && `; ${night.state}`);
  const n = Object.fromEntries(page.pairs.map((pair) => [pair.change, of_change(pair.change).length]));
  const counted = (name, target, ...changes) => {
    const total = sum(changes, (change) => n[change] || 0);
    return tile(name, count(total), "", total ? target : null);
  };
  const only = (n["only in A"] || 0) + (n["only in B"] || 0);
  return head(worse ? "fail" : "pass", worse ? "\u2717" : "\u2713", page.outcome, page.title, page.sentence,
    element("div", { class: "sides" }, side(page.sides[0], "A"), side(page.sides[1], "B")),
    tiles(counted("New failures", "#new", "new failure"), counted("Fixed", "#fixed", "fixed"),
      counted("Fail in both", n["fails otherwise"] ? "#otherwise" : "#still", "fails in both", "fails otherwise"),
      counted("Pass in both", "#all", "passes in both"),
      only > 0 && counted("Only in one", n["only in A"] ? "#only-a" : "#only-b", "only in A", "only in B"),
      page.limit !== null && tile("Over the limit", count(page.over), "", page.over ? "#cycles" : null),
      all_tests?.cycles > 0 && tile("Cycles, B/A", fixed(all_tests.cycles, 3),
        `${all_tests.more} more, ${all_tests.fewer} fewer of ${all_tests.tests}`),
      all_tests?.speed > 0 && tile("Speed, B/A", fixed(all_tests.speed, 3), "cycles a CPU second")));
};

const change_section = (change, id, title, about = null) => {
  const pairs = of_change(change);
  const item = ({ name, a, b }) => {
    const told = b || a, before = a?.signature, now = b?.signature;
    return element("li", {}, told_badge(a), a && b && [" ", element("span", { "aria-label": "then" }, "\u2192"), " "], told_badge(b), " ",
      element("span", { class: "test" }, name),
      before && now && before !== now ? [" ", chip(now), `was ${before} `] : [" ", chip(told.signature)],
      told.report && link(told.report, "report"), reason(told.reason),
      told.command && element("details", {}, element("summary", {}, "command"), command(told.command)));
  };
  return pairs.length > 0 && section(id, `${title} (${pairs.length})`, about,
    element("ul", { class: "tests" }, pairs.slice(0, page.listed).map(item)),
    pairs.length > page.listed && element("p", { class: "about" }, `${pairs.length - page.listed} more are in the table of all tests.`));
};

const cycles_section = () => {
  const row = (found) => element("tr", {}, element("th", { scope: "row" },
    found.kind && [element("span", { class: "of" }, found.kind), " "], found.name),
    cell(null, null, Math.max(found.tests, found.speed_tests)), ratio_cell(found.cycles, -1, "cycles"),
    cell(null, null, found.more), cell(null, null, found.fewer),
    ratio_cell(found.speed, found.speed_counts ? 1 : 0, "speed"));
  const compared = page.pairs.filter((pair) => pair.cycles > 0);
  const changed = (better) => compared.filter((pair) => (better ? pair.cycles < 1 : pair.cycles > 1))
    .sort((a, b) => (better ? a.cycles - b.cycles : b.cycles - a.cycles))
    .slice(0, page.extremes).map((pair) => [pair.name, pair.a.cycles, pair.b.cycles, ratio_cell(pair.cycles, -1, "B/A")]);
  return page.means.length > 0 && section("cycles", "Cycles and speed",
    "Of tests that pass in both and do the same work. Cycles: core clocks of the RTL. Speed: those for "
    + "each second of CPU time of the simulation, model and start included.",
    page.other_work > 0 && element("p", { class: "about" },
      `${page.other_work} ${plural(page.other_work, "test passes", "tests pass")} in both with other layers or seeds, `,
      "and are not compared."),
    element("div", { class: "scroll" }, table("kinds", "Geometric means of B/A", ["of", "tests", "cycles", "more", "fewer", "speed"],
      element("tbody", {}, page.means.map(row)))),
    element("div", { class: "charts" },
      scatter("Cycles, B / A", "each dot a test, by its cycles in A", "cycles in A", "cycles in B",
        compared.map((pair) => [pair.a.cycles, pair.b.cycles])),
      extremes("Slowed down most", changed(false)), extremes("Sped up most", changed(true))));
};

const all_section = () => {
  const figure_cell = (value, name, text) => (value ? cell(null, name, text(value)) : element("td"));
  const khz = (value) => fixed(value / 1000, 1);
  const rows = page.pairs.map(({ name, change, a, b, cycles, speed: ratio, speed_counts }) => element("tr", {},
    element("th", { scope: "row" }, name, change !== "passes in both" && [" ", small(change)]),
    element("td", {}, told_badge(a)), element("td", {}, told_badge(b)),
    figure_cell(a?.cycles, "cycles", count), figure_cell(b?.cycles, "\u2192", count), ratio_cell(cycles, -1, "B/A"),
    figure_cell(a?.speed, "kHz", khz), figure_cell(b?.speed, "\u2192", khz), ratio_cell(ratio, speed_counts ? 1 : 0, "B/A")));
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
    table("pairs", null, ["test", "A", "B", "cycles A", "cycles B", "B/A", "kHz A", "kHz B", "B/A"], element("tbody", {}, rows)));
};

show(compare_head(), element("main", {},
  change_section("new failure", "new", "New failures",
    "They fail in B, and the plan does not know of it; in A they passed, did not run or were not there."),
  change_section("fails otherwise", "otherwise", "Fails otherwise", "They fail in both, and look different: perhaps for another cause."),
  change_section("fixed", "fixed", "Fixed", "They failed in A and pass in B."), cycles_section(),
  change_section("fails in both", "still", "Fails in both"),
  change_section("now fails as known", "known", "Now fails as known"), change_section("not run in both", "open", "Not run in both"),
  change_section("only in A", "only-a", "Only in A"), change_section("only in B", "only-b", "Only in B"), all_section()));
