// Script that the pages share, in front of their own: elements, numbers, charts, commands to copy, light and dark. Names
// become text of elements, never markup.
"use strict";
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const count = (n) => n.toLocaleString("en-US");
const sum = (list, value = (n) => n) => list.reduce((all, each) => all + value(each), 0);
const fixed = (n, digits) => n.toFixed(digits);
const plural = (n, single, several = `${single}s`) => (n === 1 ? single : several);

// Elements. Attributes that are null or false are left out, as are children that are null, false or ""; true is an empty
// attribute; children may be lists of children.
const fill = (made, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((child) => child || child === 0));
  return made;
};
const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
// The namespace of drawings, as the parser knows it: the page names no address.
const picture = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;
const drawn = (name, attributes = {}, ...children) => fill(document.createElementNS(picture, name), attributes, children);
const link = (href, ...children) => element("a", { href }, ...children);
const small = (...children) => element("small", {}, ...children);
const code = (...text) => element("code", {}, ...text);
const paragraph = (...text) => element("p", {}, ...text);
const scroll = (...children) => element("div", { class: "scroll" }, ...children);
const details = (summary, ...children) => element("details", {}, element("summary", {}, summary), ...children);
const rowHead = (...text) => element("th", { scope: "row" }, ...text);
const body = (rows) => element("tbody", {}, rows);

// A section with its heading; about: a sentence below it, or null.
const section = (id, title, about, ...children) =>
  element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), about && element("p", { class: "about" }, about), ...children);

// The head of a page. kind: its colour, a class of base.css.
const head = (kind, sign, status, title, verdict, ...children) =>
  element("header", { class: kind }, element("p", { class: "status" }, element("span", { "aria-hidden": "true" }, sign), ` ${status}`), element("h1", {}, title),
    element("p", { class: "verdict" }, verdict), ...children);
// One of the figures of the head; target: what it leads to, "#buckets", or null.
const tile = (name, value, more = "", target = null) => element("div", {}, element("dt", {}, name), element("dd", {}, target ? link(target, value) : value, more && [" ", small(more)]));
const tiles = (...figures) => element("dl", { class: "tiles" }, ...figures);
// A table: names of columns (none: no head), rows of its body.
const table = (kind, caption, names, rows) =>
  element("table", { class: kind }, caption && element("caption", {}, caption),
    names.length > 0 && element("thead", {}, element("tr", {}, names.map((name) => element("th", { scope: "col" }, name)))), rows);
const gauge = (share) => element("span", { class: "gauge" }, element("i", { style: `width:${fixed(share, 1)}%` }));

// A round distance (1, 2 or 5 times a power of ten) between ticks of an axis, such that span has at most `most` of them.
const step = (span, most) => {
  const least = span / most, unit = 10 ** Math.floor(Math.log10(least));
  return unit * ([1, 2, 5].find((factor) => factor * unit >= least * (1 - 1e-9)) || 10);
};

// A command with a button that copies it; whole: what is copied if that is longer than what is shown.
const command = (text, whole = null) =>
  text && element("div", { class: "paste" }, element("code", {}, text), element("button", { type: "button", class: "copy", "data-whole": whole }, "copy"));
document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
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
});

document.documentElement.classList.add("script");
{
  const theme = one("#theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = dark ? "light" : "dark";
  });
}
