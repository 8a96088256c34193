// Script of the page that compares nights behind that of a night (page.js): rows of the table of all tests by what is typed.
{
  const field = one("#pair-filter");
  if (field) {
    const rows = all(".pairs tbody tr"), told = one("#pair-count");
    field.hidden = false;
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
  }
}
