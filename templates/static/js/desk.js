// The cashier's desk without a mouse. A key that a button or link names presses it; what is typed or scanned while nothing
// else takes it goes into the one field; Enter in the empty field does what the page is about. Without this: Tab, Enter,
// and the access keys. The field is looked for each time: what the page shows is exchanged (sending.js).
"use strict";
(() => {
  const field = () => document.getElementById("id_scan");
  const types = (element) => element.matches("input, select, textarea");
  // What was refused stays in its field, to be looked at; the next thing that is typed or scanned takes its place.
  const afresh = () => document.activeElement.matches("[data-typed]") && document.activeElement.select();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const named = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (named) {
      event.preventDefault();
      if (types(named)) named.focus();
      else if (named.matches("summary")) open(named.parentElement);
      else named.click();
    } else if (event.key.length === 1 && !types(document.activeElement)) {
      field()?.focus(); // before the letter is written, so that it is written there
      afresh();
    }
  });
  const open = (details) => {
    details.open = true;
    details.querySelector("input:not([type=hidden]), textarea").focus();
  };
  document.addEventListener("desk:shown", afresh);
  afresh();
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "field" || field().value.trim()) return;
    event.preventDefault();
    document.querySelector("[data-main]")?.click();
  });
})();
