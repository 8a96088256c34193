// Script of report.html behind that of every page (base.js): reads figures out of the charts and maps, sorts and opens rows of the table. The page
// says everything without it, too.
{
  // charts: one cursor for all of them
  const source = one("#figures");
  if (source) {
    const figures = JSON.parse(source.textContent);
    const charts = all(".chart").map((chart) => {
      const cursor = document.createElement("div");
      cursor.className = "cursor";
      cursor.hidden = true;
      chart.append(cursor);
      return { chart, cursor, now: one(".now", chart), plot: one(".axis .plot", chart) };
    });
    const lanes = all(".lane[data-lane]").map((lane) => ({ value: one(".value", lane), data: figures.lanes[lane.dataset.lane] }));
    let at = -1;
    const show = (bucket) => {
      at = bucket;
      const from = figures.origin + bucket * figures.bucket;
      const to = Math.min(from + figures.bucket, figures.cycles) - 1;
      for (const { chart, cursor, now, plot } of charts) {
        cursor.hidden = bucket < 0;
        now.textContent = bucket < 0 ? "\u00a0" : from === to ? `cycle ${count(from)}` : `cycles ${count(from)} to ${count(to)}`;
        if (bucket < 0) continue;
        const box = plot.getBoundingClientRect(), outer = chart.getBoundingClientRect();
        cursor.style.left = `${box.left - outer.left + (box.width * (bucket + 0.5)) / figures.count}px`;
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
    for (const { chart, plot } of charts) {
      chart.addEventListener("pointermove", (event) => {
        const box = plot.getBoundingClientRect();
        const share = (event.clientX - box.left) / box.width;
        show(share < 0 || share >= 1 ? -1 : Math.floor(share * figures.count));
      });
      chart.addEventListener("pointerleave", () => show(-1));
      chart.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === "Escape") show(-1);
        if (!step) return;
        event.preventDefault();
        show(Math.max(0, Math.min(figures.count - 1, at + step * (event.shiftKey ? 10 : 1))));
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
