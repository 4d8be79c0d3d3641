// A form of the desk is sent, and a page of it opened, while the page before stays. Where no answer comes, the page says so, and Enter sends the same form with
// the same key once more: nothing is done twice. While an answer is waited for, nothing is sent, and what is typed ahead is kept for the field that has
// the focus then. Without this: the browser shows its own page of a lost connection, and its Reload sends the form again.
"use strict";
(() => {
  const MOST_WAIT = 20_000; // milliseconds
  let waits = false;
  let ahead = "";
  let entered = false;
  const answerTo = async (address, how) => {
    const answer = await fetch(address, { ...how, signal: AbortSignal.timeout(MOST_WAIT) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const shown = page.querySelector("main");
    if (!shown || (answer.status >= 500 && !shown.querySelector(".notice"))) throw new Error(answer.statusText);
    return { answer, page, shown };
  };
  const show = ({ answer, page, shown }) => {
    if (answer.redirected) return location.assign(answer.url);
    document.title = page.title;
    document.querySelector("main").replaceWith(document.adoptNode(shown));
    history.replaceState(null, "", answer.url); // a reload asks for the desk, and sends nothing
    scrollTo(0, 0);
    const next = document.querySelector("[autofocus]");
    if (next) {
      next.focus();
      if (ahead && next.matches("[data-typed]")) next.value = "";
      if (ahead) next.removeAttribute("data-typed");
      next.value += ahead;
    }
    document.dispatchEvent(new Event("desk:shown"));
  };
  const sayNoAnswer = (button) => {
    const said = document.getElementById("no-answer").content.firstElementChild.cloneNode(true);
    document.querySelector(".desk-result").prepend(said);
    button.focus({ preventScroll: true });
    scrollTo(0, 0);
  };
  const exchange = async (address, how, otherwise) => {
    waits = true;
    ahead = "";
    entered = false;
    try {
      show(await answerTo(address, how));
    } catch {
      otherwise();
    } finally {
      waits = false;
    }
    const next = document.activeElement;
    if (entered && !how.method && next.id === "id_scan") next.form.requestSubmit();
  };
  const send = async (form, button) => {
    const how = { method: "POST", body: new FormData(form, button) };
    document.querySelector(".no-answer")?.remove();
    form.setAttribute("aria-busy", "true");
    await exchange(form.action, how, () => sayNoAnswer(button ?? form.querySelector("button")));
    form.removeAttribute("aria-busy");
  };
  document.addEventListener("keydown", (event) => {
    if (!waits || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") entered ||= ahead !== "";
    else if (event.key.length === 1 && !entered) ahead += event.key;
    else if (event.key === "Backspace") ahead = ahead.slice(0, -1);
    else return;
    event.preventDefault(); // Enter counts only for what was scanned after Esc: what came of a form is read first
    event.stopPropagation();
  }, true);
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches("form[data-sent]")) return;
    event.preventDefault();
    if (!waits) send(form, event.submitter);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-sent]");
    if (!link || waits || event.button || event.ctrlKey || event.shiftKey || event.metaKey) return;
    event.preventDefault();
    exchange(link.href, {}, () => location.assign(link.href));
  });
})();
