"use strict";
{
  const root = document.documentElement;
  const remembered = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch { /* a page opened from a file may have no storage */ }
    return null;
  };
  const theme = remembered("alcore-theme");
  if (theme) root.dataset.theme = theme;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remembered("alcore-theme", root.dataset.theme);
  });

  const main = document.querySelector("main");
  const toggles = [...document.querySelectorAll(".toggle")];
  const show = (button, on) => {
    button.setAttribute("aria-pressed", on);
    main.classList.toggle("off" + button.dataset.s, !on);
  };
  for (const button of toggles) {
    button.addEventListener("click", () => show(button, button.getAttribute("aria-pressed") !== "true"));
    for (const kind of ["mouseenter", "focus"]) button.addEventListener(kind, () => { main.dataset.focus = button.dataset.s; });
    for (const kind of ["mouseleave", "blur"]) button.addEventListener(kind, () => { delete main.dataset.focus; });
  }
  document.getElementById("all").addEventListener("click", () => toggles.forEach((button) => show(button, true)));
  document.getElementById("none").addEventListener("click", () => toggles.forEach((button) => show(button, false)));

  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.tagName === "TH" || cell.classList.contains("t") ? cell.textContent.trim().toLowerCase() : null;
  };
  const order = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true});
  };
  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const body = head.closest("table").tBodies[0];
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [key(row, head.cellIndex), row]);
      // What has no value stays at the end, whichever way.
      rows.sort(([a], [b]) => (a === null || b === null ? order(a, b) : up ? order(a, b) : order(b, a)));
      body.append(...rows.map(([, row]) => row));
    });
  }
}
