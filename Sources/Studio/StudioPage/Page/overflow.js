// Toolbars of one line: what does not fit is in a menu.

import { byID, h } from "./dom.js";
import { showPart } from "./splitters.js";

/// Gives a toolbar a menu for those of its children that have `data-overflow`. They leave the line in the order of these numbers, and return
/// when there is room.
export function startOverflow(bar) {
  const items = [...bar.children].filter((one) => one.dataset.overflow);
  const order = [...items].reverse().sort((one, other) => one.dataset.overflow - other.dataset.overflow);
  const menu = h("div", { class: "overflow-menu", id: `${bar.id}-menu`, popover: "auto", role: "group", "aria-label": "More tools" });
  const more = h("button", { class: "more", id: `${bar.id}-more`, "aria-label": "More tools", title: "More tools", hidden: true }, "⋯");
  more.popoverTargetElement = menu;
  items.at(-1).after(more, menu);
  const all = [...bar.children];

  const arrange = () => {
    // It is done when the menu is closed, or the toolbar shown.
    if (menu.matches(":popover-open") || bar.offsetWidth === 0) return;
    for (let index = all.length - 1; index >= 0; index--) if (all[index].parentNode === menu) all[index + 1].before(all[index]);
    more.hidden = false;
    bar.classList.add("measured");
    const { paddingRight, columnGap } = getComputedStyle(bar);
    const end = bar.getBoundingClientRect().right - parseFloat(paddingRight) + 0.5;
    // Without the button of the menu, there is more room.
    let room = more.offsetWidth + parseFloat(columnGap);
    for (const item of order) {
      if (all.findLast((one) => one.parentNode === bar && one.offsetWidth > 0).getBoundingClientRect().right <= end + room) break;
      if (item.hidden || item.contains(document.activeElement)) continue;
      menu.append(item);
      room = 0;
    }
    bar.classList.remove("measured");
    menu.append(...items.filter((one) => one.parentNode === menu));
    more.hidden = menu.childElementCount === 0;
    observer.takeRecords();
  };
  const observer = new MutationObserver(arrange);
  observer.observe(bar, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["hidden"] });
  new ResizeObserver(() => {
    if (menu.matches(":popover-open")) menu.hidePopover();
    arrange();
  }).observe(bar);

  menu.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    const { top, bottom, left } = more.getBoundingClientRect();
    const isBelow = innerHeight - bottom >= top;
    Object.assign(menu.style, {
      top: isBelow ? `${bottom + 4}px` : "auto", bottom: isBelow ? "auto" : `${innerHeight - top + 4}px`,
      left: `${left}px`, maxHeight: `${(isBelow ? innerHeight - bottom : top) - 12}px`,
    });
  });
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState === "closed") return arrange();
    const { left, width } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`;
    return undefined;
  });
  menu.addEventListener("click", ({ target }) => { if (target.closest("button, a")) menu.hidePopover(); });
}

/// Opens what hides an element, if anything does: the menu of a toolbar, or a part of the page that is hidden.
export function uncover(element) {
  const menu = element?.closest("[popover]");
  if (menu && !menu.matches(":popover-open")) menu.showPopover();
  showPart(element?.closest("#sidebar, #side")?.id);
  return element;
}

for (const id of ["toolbar", "graph-tools"]) if (byID(id)) startOverflow(byID(id));
