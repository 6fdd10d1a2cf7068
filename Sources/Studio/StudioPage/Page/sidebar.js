// The list of entities, fetch requests, configurations and composite types.

import { add, app, isReadOnly, remove, rename, selected } from "./app.js";
import { byID, commitActive, h, isParked, park, refill, textField } from "./dom.js";
import { dragIntoConfigurations, moveBy } from "./reorder.js";
import { idOf, propertyKinds, same, withSteps } from "./model.js";
import { showPart } from "./splitters.js";

const sections = [
  ["entity", "Entities", "E", "Add entity"], ["fetchRequest", "Fetch Requests", "F", "Add fetch request"],
  ["configuration", "Configurations", "C", "Add configuration"], ["composite", "Composite Types", "T", "Add composite type"],
];

export function renderSidebar(show) {
  const sidebar = byID("sidebar");
  const hadFocus = sidebar.contains(document.activeElement) && document.activeElement.tagName === "LI";
  const top = sidebar.scrollTop;
  const items = withSteps(app.root, []);
  const found = new Map();
  for (const finding of app.findings) {
    if (finding.severity === "note") continue;
    found.set(finding.element[0], [...(found.get(finding.element[0]) ?? []), finding]);
  }
  refill(sidebar, sections.map(([kind, title, letter, addTitle]) => {
    const list = items.filter((item) => item.node.k === kind && matches(item.node));
    const heading = h("h2", { key: `heading ${kind}` }, h("span", {}, title), h("button", {
      class: "plain", title: addTitle, "aria-label": addTitle, disabled: isReadOnly(), id: `add-${kind}`,
      onclick: () => addElement(kind),
    }, "+"));
    const rows = list.map((item) => row(item, letter, found.get(item.node.a.name) ?? [], show));
    return [heading, h("ul", { role: "listbox", "aria-label": title, key: `list ${kind}` }, rows)];
  }));
  sidebar.scrollTop = top;
  const current = sidebar.querySelector("li[aria-selected=true]");
  current?.scrollIntoView?.({ block: "nearest" });
  // The row with the focus has gone, or another one is selected.
  if (hadFocus) current?.focus();
}

async function addElement(kind) {
  park();
  const { picks } = app;
  const reply = await add([], kind);
  if (!reply.problem && isParked() && picks === app.picks) startRename();
}

/// Whether an element fits what is searched for.
export function matches(node) {
  const text = app.filter.toLowerCase();
  if (!text) return true;
  const contains = (name) => (name ?? "").toLowerCase().includes(text);
  return contains(node.a.name) || (node.c ?? []).some((child) => propertyKinds.includes(child.k) && contains(child.a.name));
}

function row({ node, steps }, letter, found, show) {
  const name = node.a.name ?? "";
  const isSelected = same(steps, app.top);
  const errors = found.some((finding) => finding.severity === "error");
  const li = h("li", {
    key: idOf(steps), role: "option", "aria-selected": String(isSelected), tabIndex: isSelected ? 0 : -1, title: name,
    onclick: () => { choose(steps, show); byID("sidebar").querySelector("li[aria-selected=true]")?.focus(); },
    ondblclick: () => startRename(),
    onkeydown: (event) => keys(event, show),
  }, h("span", { class: `icon ${node.k}`, "aria-hidden": "true" }, letter), nameLabel(steps, name, "sidebar"),
  app.hashes.get(name)?.isChanged && node.k === "entity" && h("span", { class: "changed-dot", title: "The version hash changed" }),
  found.length > 0 && h("span", {
    class: `badge ${errors ? "error" : "warning"}`, title: `${found.length} finding${found.length === 1 ? "" : "s"}`,
  }, String(found.length)));
  li.steps = steps;
  li.classList.toggle("also", isAlso(steps));
  dragIntoConfigurations(li, { node, steps });
  return li;
}

/// Whether an entity other than the one that the page shows is selected in the graph.
const isAlso = (steps) => app.others.some((other) => same(other, steps));

export function choose(steps, show) {
  commitActive();
  app.picks += 1;
  app.top = steps;
  app.properties = [];
  app.others = [];
  show("selection");
}

/// Shows which row is selected without making the rows anew.
export function markSidebar() {
  const sidebar = byID("sidebar");
  const hadFocus = sidebar.contains(document.activeElement);
  for (const li of sidebar.querySelectorAll("li")) {
    const isSelected = same(li.steps, app.top);
    li.classList.toggle("also", isAlso(li.steps));
    if ((li.getAttribute("aria-selected") === "true") === isSelected) continue;
    li.setAttribute("aria-selected", String(isSelected));
    li.tabIndex = isSelected ? 0 : -1;
    if (!isSelected) continue;
    li.scrollIntoView({ block: "nearest" });
    if (hadFocus) li.focus();
  }
}

function keys(event, show) {
  if (event.target.tagName === "INPUT") return;
  const distance = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.altKey && distance) {
    event.preventDefault();
    if (!isReadOnly()) moveBy(event.currentTarget.steps, distance);
    return;
  }
  const rows = [...byID("sidebar").querySelectorAll("li")];
  const index = rows.indexOf(event.currentTarget);
  const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (target !== undefined && rows[target]) {
    event.preventDefault();
    choose(rows[target].steps, show);
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  } else if (event.key === "Enter" || event.key === "ArrowRight") {
    event.preventDefault();
    document.querySelector("#content tr[tabindex], #content input, #content textarea, #content button")?.focus();
  } else if (event.key === "F2") {
    event.preventDefault();
    startRename();
  } else if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    if (app.top && !isReadOnly()) remove(selected());
  }
}

/// Edits the name of the selected element in place.
export function startRename() {
  const li = byID("sidebar").querySelector("li[aria-selected=true]");
  if (!li || isReadOnly()) return;
  showPart("sidebar");
  editName(li.steps, "sidebar");
}

const isRenaming = (steps, container) => app.renaming?.container === container && app.renaming.steps.at(-1) === steps.at(-1);

/// Returns the name of an element in a part of the page: a field if it is being edited.
export function nameLabel(steps, name, container) {
  if (!isRenaming(steps, container)) return h("span", { class: "name", key: "name" }, name);
  // Ends the editing; after a key, the focus goes to the row.
  const end = (isByKey) => {
    if (!isRenaming(steps, container)) return;
    app.renaming = null;
    const row = byID(container).querySelector("[data-renaming]")?.closest("li, tr");
    app.redraw();
    if (isByKey) row?.focus();
  };
  const stop = (event) => event.stopPropagation();
  return textField(name, {
    key: "name field", "data-renaming": "1", "aria-label": "Name", onclick: stop, ondblclick: stop, onpointerdown: stop,
  }, (text) => rename(steps, text), { onreturn: () => end(true), onescape: () => end(true), onleave: () => end(false) });
}

/// Turns the name of an element in a part of the page into a field until Return, Escape, or the focus leaves.
export function editName(steps, container) {
  commitActive();
  app.renaming = { steps, container };
  app.redraw();
  const input = byID(container).querySelector("[data-renaming]");
  input?.focus();
  input?.select();
}
