// While the customer's money is typed: the change, or what is missing. The server reckons it again; without this, it alone.
"use strict";
(() => {
  const english = document.documentElement.lang === "en";
  const money = (kopecks) => {
    const rubles = String(Math.floor(kopecks / 100)).replace(/\B(?=(\d{3})+$)/g, english ? "," : "\u00a0");
    const text = rubles + (english ? "." : ",") + String(kopecks % 100).padStart(2, "0");
    return english ? `BYN\u00a0${text}` : `${text}\u00a0BYN`;
  };
  const reckon = () => {
    const shown = document.querySelector("[data-due]");
    const given = document.getElementById("id_given");
    if (!shown || !given) return;
    const typed = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(given.value.replace(/\s/g, ""));
    shown.hidden = !typed;
    if (!typed) return;
    const change = Number(typed[1]) * 100 + Number((typed[2] ?? "").padEnd(2, "0")) - Number(shown.dataset.due);
    shown.classList.toggle("missing", change < 0);
    shown.children[0].textContent = change < 0 ? shown.dataset.missing : shown.dataset.change;
    shown.children[1].textContent = money(Math.abs(change));
  };
  document.addEventListener("input", reckon);
  document.addEventListener("desk:shown", reckon);
  reckon();
})();
