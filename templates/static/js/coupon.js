// Arrow keys move over the grid of a coupon, and its marks can be cleared at once. Without this the boxes are reached
// with Tab, and the link that clears loads the page anew. What a coupon costs the server tells.
"use strict";
(() => {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const marks = (part) => [...part.querySelectorAll(".marks input")];
  const between = (number, most) => Math.max(0, Math.min(most, number));

  document.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const row = step && event.target.closest(".coupon .grid > li");
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...row.parentElement.children];
    const goal = marks(rows[between(rows.indexOf(row) + step[0], rows.length - 1)]);
    event.preventDefault();
    goal[between(marks(row).indexOf(event.target) + step[1], goal.length - 1)].focus();
  });

  const changed = (box) => box && box.dispatchEvent(new Event("change", { bubbles: true }));

  document.addEventListener("click", (event) => {
    if (!event.target.closest(".coupon #clear")) return;
    event.preventDefault();
    const boxes = marks(document.querySelector(".coupon"));
    for (const box of boxes) box.checked = false;
    changed(boxes[0]);
    boxes[0].focus();
  });

  // Going back to the page, the browser restores its marks but not their price.
  addEventListener("pageshow", () => {
    const coupon = document.querySelector(".coupon");
    if (coupon) changed(marks(coupon).find((box) => box.checked !== box.defaultChecked));
  });
})();
