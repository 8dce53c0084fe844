// Tables sort by a click on a heading, and long ones have a box to filter by. The page reads the same without it.
"use strict";
const LONG = 15; // rows of a table that needs no filter
const cell = (row, at) => row.cells[at].textContent.trim();
const isBlank = text => text === "" || text === "-";
const isNumber = text => /^\[?[<>+-]?[.\d]/.test(text);
const value = text => {
  const size = parseFloat(text.replace(/,/g, "").replace(/^\[?[<>+]?/, ""));
  return text[0] === "<" ? size / 2 : text[0] === ">" ? (size + 1) / 2 : size;
};

function sorted(rows, at, sign) {
  const texts = new Map(rows.map(row => [row, cell(row, at)]));
  const areNumbers = at > 0 && [...texts.values()].every(text => isBlank(text) || isNumber(text));
  return [...rows].sort((a, b) => {
    const [one, other] = [texts.get(a), texts.get(b)];
    if (isBlank(one) || isBlank(other)) return isBlank(one) - isBlank(other);
    return sign * (areNumbers ? value(one) - value(other) : one.localeCompare(other, undefined, { numeric: true }));
  });
}

function addSorting(table, rows) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
      const order = next === undefined ? "ascending" : next;
      heads.forEach(each => each.removeAttribute("aria-sort"));
      if (order) head.setAttribute("aria-sort", order);
      table.tBodies[0].append(...(order ? sorted(rows, at, order === "ascending" ? 1 : -1) : rows));
    });
  });
}

function addFilter(table, rows) {
  const [label, box, count] = ["label", "input", "output"].map(name => document.createElement(name));
  box.type = "search";
  label.className = "filter";
  label.append("Filter the rows ", box, " ", count);
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/);
    rows.forEach(row => { row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word)); });
    count.textContent = box.value ? `${rows.filter(row => !row.hidden).length} of ${rows.length}` : "";
  });
  table.closest(".scroll").before(label);
}

for (const table of document.querySelectorAll(".scroll table")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length > 1) addSorting(table, rows);
  if (rows.length > LONG) addFilter(table, rows);
}

function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}
addEventListener("hashchange", unfold);
unfold();
