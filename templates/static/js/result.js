// Entering a result without the mouse: 1, X, 2 mark and go on to the next row, arrows and Enter move. Without this the
// rows are reached with Tab and marked with the arrow keys, as a browser's own radio buttons are.
"use strict";
(() => {
  const sheet = document.querySelector(".sheet");
  const rows = [...sheet.querySelectorAll(".grid > li")];
  const marks = (row) => [...row.querySelectorAll(".marks input[type=radio]")];
  const marked = (row) => marks(row).some((mark) => mark.checked);
  const signs = { "-": "void", "0": "void", "=": "several", "х": "X", "Х": "X" };

  const goTo = (place) => {
    if (place < 0) return;
    const row = rows[place];
    const goal = row ? marks(row).find((mark) => mark.checked) || marks(row)[0] : sheet.querySelector("#id_first_started_at_0");
    goal.focus();
  };

  const count = () => {
    const told = sheet.querySelector("output");
    told.textContent = told.dataset.told.replace("{}", rows.filter(marked).length);
  };

  // What a key marks: by its letter, or by where it is, so that the layout does not matter.
  const named = (row, event) => {
    const place = /^(?:Key|Digit|Numpad)(.)$/.exec(event.code);
    const names = [signs[event.key], event.key.toUpperCase(), place && place[1]];
    for (const name of names) {
      const mark = name && marks(row).find((each) => each.value === name);
      if (mark) return mark;
    }
    return null;
  };

  sheet.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.type !== "radio") return;
    const place = rows.indexOf(event.target.closest("li"));
    if (place < 0) return;
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    const mark = step ? null : named(rows[place], event);
    if (!step && !mark) return;
    event.preventDefault();
    if (step) return goTo(place + step);
    mark.checked = true;
    count();
    const row = rows[place];
    const asked = mark.value === "void" ? row.querySelector(".why input") : row.querySelector(".several input");
    if (mark.value === "void" || mark.value === "several") asked.focus();
    else goTo(place + 1);
  });

  // In the fields of evidence Enter files it; it never enters the result.
  sheet.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.closest(".filing") || event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY") return;
    event.preventDefault();
    sheet.querySelector(".filing button").click();
  });

  sheet.addEventListener("change", count);
  addEventListener("pageshow", count);
})();
