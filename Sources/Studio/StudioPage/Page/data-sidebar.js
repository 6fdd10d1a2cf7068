// The sidebar of the data browser.

import { byID, fill, h } from "./dom.js";
import { db, entityNamed } from "./data-store.js";

/// Shows the entities and the other views.
///
/// `actions` has `onopen` (of an entity), `onhistory` and `onfindings`.
export function showSidebar(actions) {
  const sidebar = byID("sidebar");
  const hadFocus = sidebar.contains(document.activeElement);
  const name = db.view === "list" ? db.trail[0]?.query.entity : null;
  const depth = (entity) => (entity.parent ? 1 + depth(entityNamed(entity.parent) ?? {}) : 0);
  const children = (parent) => db.state.entities.filter((one) => (entityNamed(one.parent) ? one.parent : undefined) === parent)
    .flatMap((one) => [one, ...children(one.name)]);
  const item = (title, isSelected, action, ...content) => h("li", {
    role: "option", "aria-selected": String(isSelected), tabIndex: isSelected ? 0 : -1, title, onclick: action,
    onkeydown: (event) => sidebarKey(event, action),
  }, ...content);
  const ordered = children(undefined);
  fill(sidebar, h("h2", {}, h("span", {}, "Entities")), h("ul", { role: "listbox", "aria-label": "Entities" }, ordered.map((entity) => {
    const li = item(entity.name, entity.name === name, () => actions.onopen(entity),
      h("span", { class: "icon", "aria-hidden": "true" }, "E"), h("span", { class: "name" }, entity.name),
      h("span", { class: "dim count" }, db.counts[entity.name]?.toLocaleString("en") ?? ""));
    li.style.paddingLeft = `${8 + depth(entity) * 14}px`;
    return li;
  })), h("h2", {}, h("span", {}, "Store")), h("ul", { role: "listbox", "aria-label": "Store" },
    item("History", db.view === "history", actions.onhistory, h("span", { class: "icon fetchRequest", "aria-hidden": "true" }, "H"), h("span", { class: "name" }, "History")),
    item("Findings", db.view === "findings", actions.onfindings, h("span", { class: "icon", "aria-hidden": "true" }, "F"), h("span", { class: "name" }, "Findings"),
      h("span", { class: "dim count", id: "finding-count" }, db.findings.items.length ? String(db.findings.items.length) : ""))));
  if (!sidebar.querySelector("li[tabindex='0']")) sidebar.querySelector("li")?.setAttribute("tabindex", "0");
  if (hadFocus) sidebar.querySelector("li[aria-selected=true]")?.focus();
}

function sidebarKey(event, action) {
  const items = [...byID("sidebar").querySelectorAll("li")];
  const index = items.indexOf(event.currentTarget);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items[Math.max(0, Math.min(items.length - 1, index + step))].click();
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  } else if (event.key === "Enter" || event.key === "ArrowRight") {
    event.preventDefault();
    if (event.key === "Enter" && event.currentTarget.getAttribute("aria-selected") !== "true") action();
    byID("grid")?.focus();
  }
}
