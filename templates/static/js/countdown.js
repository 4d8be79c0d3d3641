// Counts down to an instant by the server's clock, which the page carries. Without this the words of the server stay.
"use strict";
(() => {
  const two = (number) => String(number).padStart(2, "0");
  const seen = new WeakMap(); // when each countdown came onto the page, and the server's clock then
  function told(seconds, days) {
    const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
    return seconds < 86400 ? clock : `${days.replace("{}", Math.floor(seconds / 86400))} ${clock}`;
  }
  function tick() {
    for (const place of document.querySelectorAll("[data-until]")) {
      if (!seen.has(place)) seen.set(place, Date.parse(place.dataset.now) - performance.now());
      const left = Date.parse(place.dataset.until) - seen.get(place) - performance.now();
      const seconds = Math.max(0, Math.ceil(left / 1000));
      place.textContent = seconds ? told(seconds, place.dataset.days) : place.dataset.over;
      place.classList.toggle("soon", seconds < 300);
    }
  }
  tick();
  setInterval(tick, 1000);
})();
