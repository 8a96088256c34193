// Script that the pages share: finds elements, writes numbers, switches between light and dark.
"use strict";
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const count = (n) => n.toLocaleString("en-US");
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
