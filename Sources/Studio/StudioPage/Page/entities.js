// The table of all entities, of which several can be edited at once.

import { app, isReadOnly, remove, setValue } from "./app.js";
import { byID, commitActive, h, lazySelect, refill, sends } from "./dom.js";
import { choices } from "./fields.js";
import { find, idOf, same, withSteps } from "./model.js";
import { matches, startRename } from "./sidebar.js";
import { entityOptions } from "./tables.js";

const titles = ["Name", "Parent", "Class", "Codegen", "Abstract"];

/// The steps of the entities that are selected, the one that the page shows first.
export const selectedEntities = () => (app.top?.[0].kind === "entity" ? [app.top, ...app.others] : []);

export function renderEntities(show) {
  const content = byID("content");
  const hadRow = document.activeElement?.matches?.("#content tr");
  const scroll = content.scrollTop;
  const rows = withSteps(app.root, []).filter((item) => item.node.k === "entity" && matches(item.node)).map((item) => row(item, show));
  refill(content, h("div", { key: "heading" }, h("h1", {}, "Entities"), h("p", { class: "subtitle" }, "Select several to edit them at once")),
    h("div", { class: "table-scroll", key: "entities" }, h("table", { class: "grid wide", role: "grid", "aria-label": "Entities", "aria-multiselectable": "true" },
      h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col", class: title === "Abstract" ? "narrow" : null }, title)))),
      h("tbody", {}, rows.length ? rows : h("tr", {}, h("td", { class: "empty", colSpan: titles.length }, "None"))))));
  content.scrollTop = scroll;
  if (hadRow && document.activeElement === document.body) content.querySelector("tr[aria-selected=true]")?.focus();
}

function row({ node, steps }, show) {
  const { name = "", parentEntity = "", representedClassName = "", codeGenerationType = "", isAbstract } = node.a;
  const set = (attribute) => (value) => setValue(steps, attribute, value === "" ? null : value);
  const cell = (...content) => h("td", { role: "gridcell" }, ...content);
  const codegen = h("select", { "aria-label": `Codegen of ${name}`, disabled: isReadOnly(), onchange: sends(set("codeGenerationType")) },
    choices(app.vocabulary.entity.find((one) => one.attribute === "codeGenerationType"))
      .map(([value, text]) => h("option", { value, key: value }, text)));
  codegen.value = codeGenerationType;
  const element = h("tr", {
    key: idOf(steps), role: "row", tabIndex: 0, "aria-selected": String(selectedEntities().some((one) => same(one, steps))),
    onpointerdown: (event) => pick(steps, event, show),
    onkeydown: (event) => keys(event, show),
    ondblclick: (event) => { if (event.target.closest("td").className === "name-cell") startRename(); },
  }, h("td", { role: "gridcell", class: "name-cell" }, h("div", { class: "cell" }, h("span", { class: "icon entity", "aria-hidden": "true" }, "E"),
    h("span", { class: "name" }, name))),
  cell(lazySelect({
    value: parentEntity, none: "No Parent", label: `Parent of ${name}`, disabled: isReadOnly(), options: () => entityOptions("No Parent"),
    onchange: set("parentEntity"),
  })), h("td", { role: "gridcell", class: "dim" }, representedClassName), cell(codegen), cell(h("input", {
    type: "checkbox", "aria-label": `${name} is abstract`, checked: isAbstract === "YES", disabled: isReadOnly(),
    onchange: sends((isOn) => setValue(steps, "isAbstract", isOn ? "YES" : null)),
  })));
  element.steps = steps;
  return element;
}

function select(list, show) {
  app.picks += 1;
  [app.top, ...app.others] = list;
  app.properties = [];
  show("selection");
}

function pick(steps, event, show) {
  commitActive();
  const list = selectedEntities();
  const isSelected = list.some((one) => same(one, steps));
  if (event.ctrlKey || event.metaKey) {
    const rest = list.filter((one) => !same(one, steps));
    if (!isSelected) select([...list, steps], show);
    else if (rest.length) select(rest, show);
  } else if (event.shiftKey && list.length) {
    select(between(list[0], steps), show);
  } else if (!isSelected || list.length > 1) {
    select([steps], show);
  }
}

const rowsOf = () => [...byID("content").querySelectorAll("tbody tr[tabindex]")];

/// The entities from one to another, in the order that begins with the first.
function between(first, last) {
  const all = rowsOf().map((one) => one.steps);
  const [from, to] = [first, last].map((steps) => all.findIndex((one) => same(one, steps)));
  if (from < 0) return [last];
  return from <= to ? all.slice(from, to + 1) : all.slice(to, from + 1).reverse();
}

function keys(event, show) {
  if (["INPUT", "SELECT"].includes(event.target.tagName)) return;
  const rows = rowsOf();
  const index = rows.indexOf(event.currentTarget);
  const target = rows[{ ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key] ?? -1];
  if (target && !event.altKey) {
    event.preventDefault();
    select(event.shiftKey ? between(app.top, target.steps) : [target.steps], show);
    target.focus();
  } else if (["Enter", "F2"].includes(event.key)) {
    event.preventDefault();
    event.stopPropagation();
    startRename();
  } else if (["ArrowLeft", "Escape"].includes(event.key)) {
    event.preventDefault();
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  } else if (["Delete", "Backspace"].includes(event.key)) {
    event.preventDefault();
    if (!isReadOnly()) remove(selectedEntities().filter((steps) => find(app.root, steps)));
  }
}
