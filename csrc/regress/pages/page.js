// Script of index.html of a night, after that of every page (base.js): copies commands, and makes the table of all tests, which filters, sorts and
// opens its rows. Thousands of tests are data; rows are made only for those that are shown.
{
  // commands to paste
  const copy = (button) => {
    const code = button.previousElementSibling, text = button.dataset.whole ?? code.textContent;
    const show = (well) => {
      button.textContent = well ? "copied" : "press Ctrl-C";
      button.classList.toggle("done", well);
      setTimeout(() => { button.textContent = "copy"; button.classList.remove("done"); }, 1600);
    };
    // Pages of the file system may not be allowed to use the clipboard; then what is selected is copied, which has to be on the page.
    const select = () => {
      code.textContent = text;
      getSelection().selectAllChildren(code);
      show(document.execCommand("copy"));
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => show(true), select);
    else select();
  };
  for (const button of all(".copy")) button.hidden = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) copy(button);
  });

  // data: columns of texts hold only what differs from the row before (page_tests.c)
  const table = one("table.all");
  if (table) {
    const data = JSON.parse(one("#tests-data").textContent);
    for (const name of ["key", "config", "dut", "memory", "tags", "reason", "signature", "mismatch", "known", "flaky", "host", "page", "command", "debug"]) {
      let last = "";
      data[name] = data[name].map((value) => (last = value === 0 ? last : typeof value === "string" ? value : last.slice(0, value[0]) + value[1]));
    }
    const FLAGS = { "new-failures": 1, "new-passes": 2, flaky: 4, known: 8, expired: 16 };
    const verdict = (i) => (data.verdict[i] < 0 ? "not run" : data.verdicts[data.verdict[i]]);
    const ratio = (i) => {
      const text = data.ratio[i].toFixed(3);
      return data.ratio[i] === 0 ? "" : data.ratio[i] === 1 ? text : element("span", { class: data.ratio[i] > 1 ? "bad" : "good" }, text);
    };
    const speed = (i) => (data.dut[i] !== "model" && data.cpu[i] ? data.cycles[i] / data.cpu[i] / 1000 : 0);
    const duration = (s) => (s >= 100 ? `${Math.floor(s / 60)} min ${Math.round(s % 60)} s` : `${s < 10 ? s.toFixed(2) : s.toFixed(1)} s`);
    const SIGNS = { PASS: "\u2713", FAIL: "\u2717", HANG: "\u25ae\u25ae", REFUSED: "\u2298", CRASH: "\u26a1\ufe0e", ERROR: "!", "not run": "\u2013" };
    const element = (name, attributes, ...children) => {
      const made = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.append(...children);
      return made;
    };
    const badge = (i) => {
      const word = verdict(i);
      const kind = word === "PASS" ? "pass" : word === "not run" ? "open" : "bad";
      return element("span", { class: `badge ${kind}${data.state[i] === 2 ? " known" : ""}` }, `${SIGNS[word]} ${word}`);
    };
    const past = (i) => {
      const made = element("span", { class: "past", title: `${data.past[i]}, oldest night first` });
      for (const letter of data.past[i]) made.append(element("i", letter === "P" ? {} : { class: letter === "." ? "o" : "f" }));
      return made;
    };
    // name, what it sorts by, what it shows, name on a phone (none: it speaks for itself)
    const columns = [
      ["verdict", (i) => [3, 0, 1, 2][data.state[i]] * 10 + data.verdict[i], badge],
      ["test", (i) => data.key[i], (i) => data.key[i]],
      ["config", (i) => data.config[i], (i) => data.config[i], ""],
      ["device", (i) => data.dut[i], (i) => data.dut[i], ""],
      ["memory", (i) => data.memory[i], (i) => data.memory[i], ""],
      ["nights", (i) => data.past[i].replace(/[P.]/g, "").length, past],
      ["cycles", (i) => data.cycles[i], (i) => (data.cycles[i] ? count(data.cycles[i]) : ""), "cycles"],
      [data.before ? `/ night ${data.before}` : "ratio", (i) => data.ratio[i], ratio, `/ night ${data.before}`],
      ["time", (i) => data.seconds[i], (i) => (data.seconds[i] ? duration(data.seconds[i]) : ""), ""],
      ["kHz", speed, (i) => (speed(i) ? speed(i).toFixed(1) : ""), "kHz"],
      ["memory used", (i) => data.peak[i], (i) => (data.peak[i] ? `${Math.round(data.peak[i] / 1048576)} MiB` : ""), ""],
    ];
    const everyone = data.key.map((_, i) => i);
    const haystacks = everyone.map((i) => `${data.key[i]}\n${data.reason[i]}\n${data.signature[i]}`.toLowerCase());
    const form = one(".filters"), field = form.elements, more = one(".more");
    const wanted = { bucket: "" };

    // the filters
    const fill = (select, options) => { for (const [value, text] of options) select.append(element("option", { value }, text)); };
    const distinct = (values) => [...new Set(values)].filter((value) => value).sort().map((value) => [value, value]);
    const states = {
      failed: (i) => data.state[i] === 1, passed: (i) => data.state[i] === 0, "known-failed": (i) => data.state[i] === 2, open: (i) => data.state[i] === 3,
    };
    for (const [name, bit] of Object.entries(FLAGS)) states[name] = (i) => (data.flags[i] & bit) !== 0;
    for (const name of data.verdicts) states[name] = (i) => verdict(i) === name;
    const words = { failed: "failed", passed: "passed", "known-failed": "known to fail", open: "not run", "new-failures": "new failures", "new-passes": "new passes",
      flaky: "flaky", known: "known, failing or not", expired: "expired" };
    fill(field.show, [["", "any verdict"], ...Object.keys(states).map((name) => [name, everyone.filter(states[name]).length, words[name] || name])
      .filter(([, n]) => n > 0).map(([name, n, text]) => [name, `${text} (${count(n)})`])]);
    fill(field.config, [["", "any configuration"], ...distinct(data.config)]);
    fill(field.tag, [["", "any tag"], ...distinct(data.tags.flatMap((tags) => tags.split(" ")))]);
    fill(field.sort, [["0", "by verdict"], ["-1", "in the plan's order"], ...columns.slice(1).map(([name], index) => [index + 1, `by ${name}`])]);
    form.hidden = false;

    // the table
    const head = table.createTHead().insertRow();
    const heads = columns.map(([name]) => head.appendChild(element("th", { scope: "col" }, element("button", { type: "button" }, name))));
    let chosen = everyone, shown = 0, sorted = 0, down = false;
    const detail = (i) => {
      const cell = element("td", { colspan: columns.length });
      const line = (text, name) => { if (text) cell.append(element("p", name ? { class: name } : {}, text)); };
      const command = (text) => {
        if (text) cell.append(element("div", { class: "paste" }, element("code", {}, text), element("button", { type: "button", class: "copy" }, "copy")));
      };
      line(data.reason[i]);
      if (data.mismatch[i] && !data.reason[i].includes(data.mismatch[i])) line(data.mismatch[i]);
      line(data.flaky[i] && `flaky: ${data.flaky[i]}`);
      line(data.known[i] && `known failure${data.flags[i] & FLAGS.expired ? ", expired" : ""}: ${data.known[i]}`);
      const facts = element("dl", {});
      const fact = (name, value) => { if (value) facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, value))); };
      fact("signature", data.signature[i]);
      if (data.bucket[i] >= 0) {
        const number = data.buckets[data.bucket[i]];
        fact("bucket", element("a", { href: `#bucket-${number}` }, String(number)));
      }
      fact("tags", data.tags[i].trim());
      fact("seed", data.seed[i]);
      fact("layer seed", data.layerSeed[i] !== "0" && data.layerSeed[i]);
      fact("host", data.host[i]);
      fact("CPU time", data.cpu[i] && duration(data.cpu[i]));
      if (data.page[i]) fact("report", element("a", { href: data.page[i].split("/").map(encodeURIComponent).join("/") }, "open"));
      cell.append(facts);
      command(data.command[i]);
      command(data.debug[i]);
      return element("tr", { class: "detail" }, cell);
    };
    const toggle = (body, open) => {
      body.classList.toggle("open", open);
      if (body.rows.length > 1) body.rows[1].remove();
      if (open) body.append(detail(Number(body.dataset.test)));
    };
    const row = (i) => {
      const made = element("tr", {});
      columns.forEach(([name, , show, phone], index) => {
        const content = show(i);
        made.append(element(index === 1 ? "th" : "td", { ...(index === 1 ? { scope: "row" } : {}), ...(content === "" ? { class: "none" } : {}), ...(phone ? { "data-name": phone } : {}), title: name },
          content));
      });
      return element("tbody", { "data-test": i }, made);
    };
    const grow = (rows) => {
      const part = document.createDocumentFragment();
      const end = Math.min(chosen.length, shown + rows);
      for (; shown < end; shown++) part.append(row(chosen[shown]));
      table.append(part);
      more.hidden = shown === chosen.length;
      one("button", more).textContent = `${count(Math.min(400, chosen.length - shown))} more of ${count(chosen.length - shown)}`;
    };
    const choose = () => {
      const text = field.text.value.toLowerCase(), tag = ` ${field.tag.value} `;
      chosen = everyone.filter((i) => (!text || haystacks[i].includes(text)) && (!field.show.value || states[field.show.value](i)) && (!field.config.value || data.config[i] === field.config.value)
        && (!field.tag.value || data.tags[i].includes(tag)) && (wanted.bucket === "" || data.buckets[data.bucket[i]] === Number(wanted.bucket)));
      if (sorted >= 0) {
        const by = columns[sorted][1];
        chosen.sort((a, b) => {
          const x = by(a), y = by(b);
          return (x < y ? -1 : x > y ? 1 : a - b) * (down ? -1 : 1);
        });
      }
      for (const body of [...table.tBodies]) body.remove();
      shown = 0;
      one("output", form).textContent = `${count(chosen.length)} of ${count(everyone.length)} tests${wanted.bucket === "" ? "" : `, of bucket ${wanted.bucket}`}`;
      grow(innerWidth < 740 ? 15 : 40);
    };
    const sortBy = (column, downwards) => {
      sorted = column;
      down = downwards;
      heads.forEach((other, index) => (index === column ? other.setAttribute("aria-sort", down ? "descending" : "ascending") : other.removeAttribute("aria-sort")));
      choose();
    };
    heads.forEach((other, index) => one("button", other).addEventListener("click", () => sortBy(index, sorted === index ? !down : index > 4)));
    field.sort.addEventListener("change", () => sortBy(Number(field.sort.value), field.sort.value > 4));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", choose);
    form.addEventListener("reset", () => setTimeout(() => { wanted.bucket = ""; sortBy(0, false); }));
    one("button", more).addEventListener("click", () => grow(400));
    table.addEventListener("click", (event) => {
      const body = event.target.closest("tbody");
      if (body && !event.target.closest(".detail, a, button")) toggle(body, !body.classList.contains("open"));
    });

    // links into the table: #tests:show=failed, #tests:bucket=3, #test-17
    const follow = () => {
      const filter = location.hash.match(/^#tests:(\w+)=(.*)$/), test = location.hash.match(/^#test-(\d+)$/);
      if (!filter && !test) return;
      for (const name of ["text", "show", "config", "tag"]) field[name].value = "";
      wanted.bucket = "";
      if (filter && filter[1] === "bucket") wanted.bucket = filter[2];
      else if (filter) field[filter[1]].value = decodeURIComponent(filter[2]);
      choose();
      one("#tests").scrollIntoView();
      if (!test) return;
      const place = chosen.findIndex((i) => data.number[i] === Number(test[1]));
      if (place < 0) return;
      if (place >= shown) grow(place + 1 - shown);
      toggle(table.tBodies[place], true);
      table.tBodies[place].scrollIntoView({ block: "center" });
    };
    addEventListener("hashchange", follow);
    // The same link once more.
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#test']");
      if (link && link.hash === location.hash) follow();
    });
    sortBy(0, false);
    follow();
  }
}
