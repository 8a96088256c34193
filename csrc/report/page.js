// Script of report.html behind that of every page (base.js): reads figures out of the charts and maps, sorts and opens rows of the table. The page
// says everything without it, too.
{
  // charts: one view and one cursor for all of them; the view is a range of steps, which the pictures show as their viewBox
  const source = one("#figures");
  if (source) {
    const figures = JSON.parse(source.textContent);
    const pictures = all(".lane[data-lane] svg");
    const bars = all(".plot > a.layer, .plot > i").map((bar) => ({ bar, left: parseFloat(bar.style.left), width: parseFloat(bar.style.width || "0") }));
    const axes = all(".axis .plot");
    const whole = axes.map((axis) => axis.innerHTML);
    let from = 0, to = figures.count;
    const ticks = () => {
      const first = figures.origin + from * figures.bucket, span = (to - from) * figures.bucket;
      const round = 10 ** Math.floor(Math.log10(span / 5));
      const step = Math.max(1, [1, 2, 5, 10].map((n) => n * round).find((n) => span / n <= 6));
      axes.forEach((axis, i) => {
        if (to - from === figures.count) {
          axis.innerHTML = whole[i];
          return;
        }
        axis.replaceChildren();
        for (let at = Math.ceil(first / step) * step; at < first + span; at += step) {
          const tick = document.createElement("span");
          tick.style.left = `${(100 * (at - first)) / span}%`;
          tick.textContent = count(at);
          axis.append(tick);
        }
      });
    };
    // shows steps a to b, at least four of them
    const look = (a, b) => {
      const size = Math.min(figures.count, Math.max(4, b - a));
      from = Math.max(0, Math.min(figures.count - size, (a + b - size) / 2));
      to = from + size;
      for (const picture of pictures) picture.setAttribute("viewBox", `${from} 0 ${size} 100`);
      const scale = figures.count / size;
      for (const { bar, left, width } of bars) {
        bar.style.left = `${(left - (100 * from) / figures.count) * scale}%`;
        if (bar.tagName === "A") bar.style.width = `${width * scale}%`;
      }
      for (const chart of all(".chart")) chart.classList.toggle("zoomed", scale > 1);
      ticks();
    };
    const zoom = (factor, around = (from + to) / 2) => look(around - (around - from) / factor, around + (to - around) / factor);
    const charts = all(".chart").map((chart) => {
      const cursor = document.createElement("div");
      cursor.className = "cursor";
      cursor.hidden = true;
      const range = document.createElement("div");
      range.className = "range";
      range.hidden = true;
      chart.append(cursor, range);
      return { chart, cursor, range, now: one(".now", chart), plot: one(".axis .plot", chart) };
    });
    for (const { chart } of charts) {
      const tools = document.createElement("div");
      tools.className = "tools";
      const add = (text, label, act) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.setAttribute("aria-label", label);
        button.title = label;
        button.addEventListener("click", act);
        tools.append(button);
      };
      add("+", "zoom in", () => zoom(2));
      add("\u2212", "zoom out", () => zoom(0.5));
      add("whole run", "show the whole run", () => look(0, figures.count));
      const hint = document.createElement("span");
      hint.textContent = "drag over a range to zoom into it";
      tools.append(hint);
      chart.prepend(tools);
    }
    // search: layers by their name; Enter goes to the next one
    const search = document.createElement("input");
    search.type = "search";
    search.setAttribute("aria-label", "search for a layer");
    search.title = "Enter: the next one";
    search.className = "search";
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
      const { left, width } = hits[next++ % hits.length], share = figures.count / 100;
      look((left - width / 2) * share, (left + 1.5 * width) * share);
    });
    if (bars.some(({ bar }) => bar.tagName === "A") && charts.length) one(".tools", charts[0].chart).append("layer ", search, found);
    const lanes = all(".lane[data-lane]").map((lane) => ({ value: one(".value", lane), data: figures.lanes[lane.dataset.lane] }));
    let at = -1;
    const show = (bucket) => {
      at = bucket;
      const first = figures.origin + bucket * figures.bucket;
      const last = Math.min(first + figures.bucket, figures.cycles) - 1;
      for (const { chart, cursor, now, plot } of charts) {
        cursor.hidden = bucket < 0;
        now.textContent = bucket < 0 ? "\u00a0" : first === last ? `cycle ${count(first)}` : `cycles ${count(first)} to ${count(last)}`;
        if (bucket < 0) continue;
        const box = plot.getBoundingClientRect(), outer = chart.getBoundingClientRect();
        cursor.style.left = `${box.left - outer.left + (box.width * (bucket + 0.5 - from)) / (to - from)}px`;
        cursor.style.top = `${now.offsetHeight + 8}px`;
        cursor.style.bottom = "0.5rem";
      }
      for (const { value, data } of lanes) {
        if (bucket < 0) {
          value.textContent = value.dataset.all;
          continue;
        }
        const number = (n) => (data.u === "%" ? `${Math.round(n)} %` : `${n}${data.u}`);
        const waits = data.w ? data.w[bucket] : 0;
        value.textContent = number(data.v[bucket]) + (waits >= 0.5 ? ` \u00b7 waits ${number(waits)} for ${figures.causes[data.c[bucket]]}` : "");
        value.title = value.textContent;
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
        show(n < 0 || n >= 1 ? -1 : Math.min(figures.count - 1, Math.floor(from + n * (to - from))));
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
        if (factor !== undefined) factor ? zoom(factor, at < 0 ? undefined : at + 0.5) : look(0, figures.count);
        if (!step) return;
        event.preventDefault();
        show(Math.max(0, Math.min(figures.count - 1, at + step * (event.shiftKey ? 10 : 1))));
        if (at < from || at >= to) look(at - (to - from) / 2, at + (to - from) / 2);
      });
    }
  }

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
