// Hides the registers that lack a word of the search. An address is found with and without leading zeros, and in each of its forms.
const texts = new Map(all("article").map((article) => [article, `${article.textContent} ${article.dataset.find}`.toLowerCase()]));
const search = one("#find"), field = one("input", search);
const apply = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
  let shown = 0;
  for (const [article, text] of texts) {
    article.hidden = !words.every((word) => text.includes(word));
    shown += !article.hidden;
  }
  for (const unit of all("main > section")) unit.hidden = !one("article:not([hidden])", unit);
  one("output", search).textContent = words.length ? `${count(shown)} ${plural(shown, "register")}` : "";
};
search.hidden = false;
search.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", apply);
addEventListener("hashchange", () => { // a link to a register that the search hides
  if (one(`[id="${location.hash.slice(1)}"]`)?.hidden) { field.value = ""; apply(); one(`[id="${location.hash.slice(1)}"]`).scrollIntoView(); }
});
apply();
