// The middle of the page: the tables of an entity, or the editor of another element.

import { add, app, isReadOnly, isSelected, reference, remove, send, setValue } from "./app.js";
import { byID, commitActive, h, isParked, lazySelect, park, refill, sends } from "./dom.js";
import { choiceNames, field, predicateField } from "./fields.js";
import { children, find, idOf, lineage, names, propertyKinds, same, withSteps } from "./model.js";
import { moveBy } from "./reorder.js";
import { editName, nameLabel } from "./sidebar.js";

export function renderContent(show) {
  const content = byID("content");
  const node = app.top && find(app.root, app.top);
  const hadRow = document.activeElement?.matches?.("#content tr");
  const scroll = content.scrollTop;
  refill(content, node ? editor(node, show)
    : h("p", { class: "placeholder", key: "placeholder" }, isReadOnly() ? "Nothing to show" : "The model is empty. Add an entity."));
  content.scrollTop = scroll;
  // The row with the focus has gone.
  if (hadRow && isParked()) content.querySelector("tr[aria-selected=true]")?.focus();
  // The row that was selected has gone, and not the one with the focus.
  const { steps } = document.activeElement?.closest("#content tr") ?? {};
  if (steps && app.properties.length === 0) {
    app.properties = [steps];
    mark();
  }
}

function editor(node, show) {
  switch (node.k) {
    case "entity": return entityEditor(node, show);
    case "fetchRequest": return fetchRequestEditor(node);
    case "configuration": return configurationEditor(node);
    case "composite": return [heading(node, "Composite type"), table(node, "attribute", show)];
    default: return [];
  }
}

const heading = (node, subtitle) => h("div", { key: "heading" }, h("h1", {}, node.a.name ?? ""), h("p", { class: "subtitle" }, subtitle));

function entityEditor(node, show) {
  const parts = [node.a.isAbstract === "YES" ? "Abstract entity" : "Entity"];
  if (node.a.parentEntity) parts.push(`inherits from ${node.a.parentEntity}`);
  const { representedClassName, codeGenerationType } = node.a;
  if (representedClassName) {
    parts.push(`class ${representedClassName} (${choiceNames.codeGenerationType[codeGenerationType ?? ""] ?? codeGenerationType})`);
  }
  const hash = app.hashes.get(node.a.name);
  if (hash?.hash) parts.push(`version hash ${hash.hash.slice(0, 8)}${hash.isChanged ? " (changed)" : ""}`);
  return [
    heading(node, parts.join(" · ")), table(node, "attribute", show), table(node, "relationship", show),
    table(node, "fetchedProperty", show),
  ];
}

const titles = { attribute: "Attributes", relationship: "Relationships", fetchedProperty: "Fetched Properties" };
const columns = {
  attribute: ["Name", "Type", "Optional", "Default"], relationship: ["Name", "Destination", "Inverse", "Optional"],
  fetchedProperty: ["Name", "Predicate"],
};

function table(node, kind, show) {
  const rows = withSteps(node, app.top).filter((item) => item.node.k === kind);
  const inherited = node.k === "entity"
    ? lineage(app.root, node.a.parentEntity).flatMap((entity) => children(entity, kind).map((child) => ({ entity, child }))) : [];
  const isOpen = !isReadOnly();
  const body = rows.map((item) => propertyRow(item, show));
  for (const { entity, child } of inherited) body.push(inheritedRow(entity, child, kind));
  if (body.length === 0) body.push(h("tr", {}, h("td", { class: "empty", colSpan: columns[kind].length }, "None")));
  const word = { attribute: "attribute", relationship: "relationship", fetchedProperty: "fetched property" }[kind];
  return h("div", { class: "group", id: `group-${kind}` }, h("h2", {}, titles[kind]),
    h("div", { class: "table-scroll" }, h("table", { class: "grid", role: "grid", "aria-label": titles[kind], "aria-multiselectable": "true" },
      h("thead", {}, h("tr", {}, columns[kind].map((title) => h("th", { scope: "col", class: title === "Optional" ? "narrow" : null }, title)))), h("tbody", {}, body))),
    h("div", { class: "buttons" },
      h("button", {
        id: `add-${kind}`, "aria-label": `Add ${word}`, disabled: !isOpen, onclick: () => addProperty(kind, show),
      }, "+"),
      h("button", {
        id: `remove-${kind}`, "aria-label": `Delete ${word}`, title: "Delete",
        disabled: !isOpen || !app.properties.some((steps) => steps[1].kind === kind),
        onclick: () => remove(app.properties.filter((steps) => steps[1].kind === kind)),
      }, "−")));
}

/// Adds a property to the selected entity and edits its name, unless the user has gone elsewhere meanwhile.
export async function addProperty(kind) {
  if (!app.top || !["entity", "composite"].includes(app.top[0].kind)) return;
  park();
  const { picks } = app;
  const reply = await add(app.top.slice(0, 1), kind);
  if (!reply.problem && isParked() && picks === app.picks) renameSelectedProperty();
}

export function renameSelectedProperty() {
  const row = byID("content").querySelector("tr[aria-selected=true]");
  if (!row || isReadOnly()) return;
  editName(row.steps, "content");
}

function findingsOf(steps) {
  return app.findings.filter((finding) =>
    finding.element[0] === steps[0].name && finding.element[1] === steps[1].name && finding.severity !== "note");
}

function propertyRow({ node, steps }, show) {
  const found = findingsOf(steps);
  const severity = found.some((finding) => finding.severity === "error") ? "error" : "warning";
  const name = h("td", { role: "gridcell", class: "name-cell" }, h("div", { class: "cell" },
    h("span", { class: `icon ${node.k}`, "aria-hidden": "true" }, { attribute: "A", relationship: "R", fetchedProperty: "F" }[node.k]),
    nameLabel(steps, node.a.name ?? "", "content"),
    found.length > 0 && h("span", { class: `badge ${severity}`, title: found.map((finding) => finding.message).join("\n") },
      String(found.length))));
  const row = h("tr", {
    key: idOf(steps), role: "row", tabIndex: 0, "aria-selected": String(isSelected(steps)), "data-key": JSON.stringify(steps),
    onpointerdown: (event) => pick(steps, event, show),
    onfocus: (event) => { if (event.target === event.currentTarget && app.properties.length === 0) pick(steps, event, show); },
    onkeydown: (event) => rowKeys(event, show),
    ondblclick: (event) => { if (event.target.closest("td").className === "name-cell") startRename(steps); },
  }, name, cells(node, steps));
  row.steps = steps;
  return row;
}

function startRename(steps) {
  app.properties = [steps];
  app.picks += 1;
  if (!isReadOnly()) editName(steps, "content");
}

function cells(node, steps) {
  const cell = (content) => h("td", { role: "gridcell" }, content);
  const select = (attribute, options, label, none) => lazySelect({
    none, value: node.a[attribute] ?? "", options, label: `${label} of ${node.a.name}`, disabled: isReadOnly(),
    onchange: (value) => setValue(steps, attribute, value === "" ? null : value),
  });
  const optional = () => cell(h("input", {
    type: "checkbox", "aria-label": `${node.a.name} is optional`, checked: node.a.optional === "YES", disabled: isReadOnly(),
    onchange: sends((isOn) => setValue(steps, "optional", isOn ? "YES" : null)),
  }));
  switch (node.k) {
    case "attribute":
      return [
        cell(select("attributeType", () => types(), "Type", "Undefined")), optional(),
        h("td", { role: "gridcell", class: "dim" }, node.a.defaultValueString ?? ""),
      ];
    case "relationship":
      return [
        cell(select("destinationEntity", () => entityOptions("No Destination"), "Destination", "No Destination")),
        cell(select("inverseName", () => inverseOptions(node), "Inverse", "No Inverse")), optional(),
      ];
    default: return [h("td", { role: "gridcell", class: "dim" }, children(node, "fetchRequest")[0]?.a.predicateString ?? "")];
  }
}

const types = () => app.vocabulary.attribute.find((f) => f.attribute === "attributeType").choices
  .map((value) => ({ value, text: value }));
const sorted = (list) => [...list].sort((one, other) => one.localeCompare(other)).map((value) => ({ value, text: value }));
export const entityOptions = (none) => [{ value: "", text: none }, ...sorted(names(app.root, "entity"))];
export function inverseOptions(node) {
  const found = lineage(app.root, node.a.destinationEntity).flatMap((entity) => children(entity, "relationship"));
  return [{ value: "", text: "No Inverse" }, ...sorted(found.map((relationship) => relationship.a.name ?? ""))];
}

function inheritedRow(entity, child, kind) {
  const detail = { attribute: child.a.attributeType, relationship: child.a.destinationEntity, fetchedProperty: "" }[kind] ?? "";
  const mark = h("td", { role: "gridcell" }, child.a.optional === "YES" ? "✓" : "");
  const origin = h("td", { role: "gridcell" }, `from ${entity.a.name}`);
  const rest = { attribute: [mark, origin], relationship: [origin, mark] }[kind] ?? [];
  return h("tr", { role: "row", class: "inherited", title: `Inherited from ${entity.a.name}` },
    h("td", { role: "gridcell" }, h("div", { class: "cell" }, h("span", { class: "name" }, child.a.name ?? ""))),
    h("td", { role: "gridcell" }, detail), rest);
}

function pick(steps, event, show) {
  commitActive();
  app.picks += 1;
  if (event.ctrlKey || event.metaKey) {
    app.properties = isSelected(steps) ? app.properties.filter((other) => !same(other, steps)) : [...app.properties, steps];
  } else if (event.shiftKey && app.properties.length) {
    const all = [...byID("content").querySelectorAll("tr[data-key]")].map((row) => row.steps);
    const position = (requested) => all.findIndex((other) => same(other, requested));
    const [from, to] = [position(app.properties[0]), position(steps)].sort((one, other) => one - other);
    app.properties = all.slice(from, to + 1);
  } else if (isSelected(steps) && app.properties.length === 1) {
    return;
  } else {
    app.properties = [steps];
  }
  mark();
  show("properties");
}

/// Shows which rows are selected without making them anew, so that the focus and an open select stay.
export function mark() {
  for (const row of byID("content").querySelectorAll("tr[data-key]")) {
    row.setAttribute("aria-selected", String(isSelected(row.steps)));
  }
  for (const kind of propertyKinds) {
    const button = byID(`remove-${kind}`);
    if (button) button.disabled = isReadOnly() || !app.properties.some((steps) => steps[1].kind === kind);
  }
}

function rowKeys(event, show) {
  if (event.target.tagName === "INPUT" || event.target.tagName === "SELECT") return;
  const distance = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.altKey && distance) {
    event.preventDefault();
    moveBy(event.currentTarget.steps, distance);
    return;
  }
  const rows = [...byID("content").querySelectorAll("tr[data-key]")];
  const index = rows.indexOf(event.currentTarget);
  const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (target !== undefined && rows[target]) {
    event.preventDefault();
    if (event.shiftKey) {
      if (!isSelected(rows[target].steps)) app.properties = [...app.properties, rows[target].steps];
    } else {
      app.properties = [rows[target].steps];
    }
    app.picks += 1;
    mark();
    rows[target].focus();
    show("properties");
  } else if (event.key === "Enter" || event.key === "F2") {
    event.preventDefault();
    startRename(event.currentTarget.steps);
  } else if (event.key === "ArrowLeft" || event.key === "Escape") {
    event.preventDefault();
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  } else if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    if (!isReadOnly()) remove(app.properties);
  }
}

function fetchRequestEditor(node) {
  const form = h("div", { class: "form", key: `form ${idOf(app.top)}` });
  for (const one of app.vocabulary.fetchRequest.filter((f) => f.attribute === "entity")) form.append(...field(node, app.top, one));
  return [
    heading(node, "Fetch request"),
    h("div", { class: "group", key: "entity" }, form),
    h("div", { class: "group", key: "predicate" }, h("h2", {}, "Predicate"), predicateField(node, app.top, "predicateString", 5)),
  ];
}

function configurationEditor(node) {
  const { top } = app;
  const memberOf = (configuration, name) => withSteps(configuration, top).find((item) => item.node.k === "memberEntity" && item.node.a.name === name);
  // The state of the configuration when it is the request's turn counts.
  const set = (name, isOn) => send(() => {
    const configuration = find(app.root, top);
    const member = configuration && memberOf(configuration, name);
    if (!configuration || isOn === !!member) return null;
    const operation = isOn ? { add: { parent: reference(top), kind: "memberEntity", values: { name }, members: [] } }
      : { delete: { elements: [reference(member.steps)] } };
    return { edit: { operation } };
  });
  return [
    heading(node, "Configuration"),
    h("div", { class: "group", key: `members ${idOf(app.top)}` }, h("h2", {}, "Entities"), names(app.root, "entity").map((name) => {
      return h("label", { class: "line", key: name }, h("input", {
        type: "checkbox", checked: !!memberOf(node, name), disabled: isReadOnly(), onchange: sends((isOn) => set(name, isOn)),
      }), name);
    })),
  ];
}
