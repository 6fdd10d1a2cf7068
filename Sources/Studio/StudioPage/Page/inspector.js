// The inspector of the selected element.

import { add, app, edit, isReadOnly, reference, remove, send, setValue } from "./app.js";
import { h, lazySelect, sends, textField } from "./dom.js";
import { choices, field, propertyNames } from "./fields.js";
import { children, colorKey, colors, entryValue, find, idOf, noteKey, withSteps } from "./model.js";
import { acceptSiblings, moveControl } from "./reorder.js";

/// The value of a list while the elements have different ones.
const different = "different";

/// What hardly any model uses today stands apart.
const rare = new Set([
  "indexed", "spotlightIndexingEnabled", "storedInTruthFile", "syncable", "renamingIdentifier", "deleteRule", "inverse",
  "inverseEntity", "allowsCloudEncryption", "preserveAfterDeletion", "coreSpotlightDisplayNameExpression", "documentVersion",
  "systemVersion", "lastSavedToolsVersion", "macOSVersion", "iOSVersion", "type", "name", "elementID", "versionHashModifier",
  "returnDistinctResults", "returnObjectsAsFaults", "includesPendingChanges", "includePropertyValues",
]);

export function inspector() {
  const steps = app.properties.length ? app.properties[app.properties.length - 1] : app.top;
  const node = steps && find(app.root, steps);
  if (!node) return [h("p", { class: "placeholder" }, "No selection")];
  if (app.properties.length > 1) return [several(app.properties)];
  if (app.properties.length === 0 && app.others.length > 0) return [several([app.top, ...app.others])];
  const titles = {
    entity: "Entity", attribute: "Attribute", relationship: "Relationship", fetchedProperty: "Fetched Property",
    fetchRequest: "Fetch Request", configuration: "Configuration", composite: "Composite Type",
  };
  const parts = [h("h2", { key: "title" }, titles[node.k] ?? node.k), form(node, steps, (one) => one.attribute === "name" || !rare.has(one.attribute))];
  if (node.k === "entity") parts.push(...indexes(node, steps), ...constraints(node, steps), ...graphNote(node, steps));
  if (node.k === "fetchedProperty") {
    const request = withSteps(node, steps).find((item) => item.node.k === "fetchRequest");
    if (request) parts.push(h("h2", { key: "fetch request" }, "Fetch Request"), form(request.node, request.steps, (one) => one.attribute !== "name" && !rare.has(one.attribute)));
  }
  if (["entity", "attribute", "relationship", "fetchedProperty"].includes(node.k)) parts.push(...userInfo(node, steps));
  const hash = node.k === "entity" && app.hashes.get(node.a.name);
  if (hash) {
    parts.push(h("h2", { key: "hash title" }, "Version Hash"), h("p", { class: "hash", key: "hash" }, hash.hash ?? "none, the model has errors"),
      h("p", { class: "dim", key: "hash note" }, hash.isChanged ? "Differs from the saved file: stores need a migration." : "Same as in the saved file."));
  }
  const advanced = form(node, steps, (one) => one.attribute !== "name" && rare.has(one.attribute)
    && (one.control !== "readOnly" || node.a[one.attribute] !== undefined));
  if (advanced.childElementCount) parts.push(h("details", { key: "advanced" }, h("summary", {}, "Versioning and older features"), advanced));
  parts.push(modelDetails());
  return parts;
}

function form(node, steps, isShown) {
  const type = node.a.attributeType ?? "Undefined";
  const fields = (app.vocabulary[node.k === "composite" ? "configuration" : node.k] ?? []).filter((one) => isShown(one)
    && (one.types.length === 0 || one.types.includes(type) || node.a[one.attribute] !== undefined)
    && (one.attribute !== "derivationExpression" || node.a.derived === "YES")
    && !(node.k === "relationship" && node.a.toMany !== "YES" && ["ordered", "minCount", "maxCount"].includes(one.attribute))
    && !(one.control === "readOnly" && node.a[one.attribute] === undefined)
    && !(node.k === "composite" && one.attribute !== "name"));
  return h("div", { class: "form", key: `form ${idOf(steps)} ${fields[0]?.attribute === "name"}` }, fields.flatMap((one) => field(node, steps, one)));
}

/// What several properties or entities have in common to set.
function several(list) {
  const nodes = list.map((steps) => find(app.root, steps));
  const kind = nodes.every((node) => node?.k === nodes[0]?.k) ? nodes[0]?.k : null;
  const set = (attribute, value) => edit({
    group: {
      operations: list.map((steps) => ({ set: { element: reference(steps), attribute, ...(value === null ? {} : { value }) } })),
      title: kind === "entity" ? "Change Entities" : "Change Properties",
    },
  }, { keepsSelection: true });
  const box = (attribute, label) => {
    const values = list.map((steps) => find(app.root, steps)?.a[attribute] === "YES");
    const input = h("input", { type: "checkbox", checked: values.every(Boolean), disabled: isReadOnly(),
      onchange: sends((isOn) => set(attribute, isOn ? "YES" : null)) });
    input.indeterminate = values.some(Boolean) && !values.every(Boolean);
    return h("label", { class: "line" }, input, label);
  };
  const choice = (attribute) => {
    const description = app.vocabulary[kind].find((one) => one.attribute === attribute);
    const { label } = description;
    const values = new Set(nodes.map((node) => node.a[attribute] ?? ""));
    const select = h("select", {
      id: `several-${attribute}`, "aria-label": label, disabled: isReadOnly(),
      onchange: sends((text) => text !== different && set(attribute, text === "" ? null : text)),
    }, values.size > 1 && h("option", { value: different, key: different }, "Different values"),
    choices(description).map(([one, text]) => h("option", { value: one, key: one }, text)));
    select.value = values.size > 1 ? different : [...values][0];
    return h("label", { class: "line" }, `${label} `, select);
  };
  if (kind === "entity") {
    return h("div", { key: `several ${list.map(idOf)}` }, h("h2", {}, `${list.length} Entities`), box("isAbstract", "Abstract"), choice("codeGenerationType"));
  }
  return h("div", { key: `several ${list.map(idOf)}` }, h("h2", {}, `${list.length} Properties`), box("optional", "Optional"), box("transient", "Transient"),
    kind === "attribute" && choice("attributeType"), kind === "relationship" && choice("deletionRule"),
    (kind === "attribute" || kind === "relationship") && h("div", { class: "buttons" }, h("button", {
      id: "index-several", disabled: isReadOnly() || unindexed(list).length === 0, onclick: () => indexEach(unindexed(list)),
      title: "Adds an index for each of the properties that has none",
    }, "Index Each")));
}

/// The properties of an entity that no index begins with.
function unindexed(list) {
  const entity = find(app.root, list[0].slice(0, 1));
  const indexed = new Set(children(entity, "fetchIndex").map((index) => children(index, "fetchIndexElement")[0]?.a.property));
  return list.filter((steps) => !indexed.has(find(app.root, steps)?.a.name));
}

function indexEach(list) {
  send(() => {
    const rest = unindexed(list);
    if (rest.length === 0) return null;
    const operations = rest.map((steps) => ({ add: {
      parent: reference(steps.slice(0, 1)), kind: "fetchIndex", values: { name: indexName(steps.at(-1).name) }, members: [steps.at(-1).name],
    } }));
    return { edit: { operation: { group: { operations, title: "Add Indexes" } } } };
  }, { keepsSelection: true });
}

const indexName = (property) => `by${property.slice(0, 1).toUpperCase()}${property.slice(1)}`;

function indexes(entity, steps) {
  const lists = withSteps(entity, steps).filter((item) => item.node.k === "fetchIndex");
  const options = () => propertyNames(entity, ["attribute", "relationship"]).map((value) => ({ value, text: value }));
  return [
    h("h2", { key: "indexes" }, "Indexes"),
    ...lists.flatMap((item) => [
      nameLine(item, `index-name-${lists.indexOf(item)}`, "Index name"),
      ...withSteps(item.node, item.steps).filter((one) => one.node.k === "fetchIndexElement").map((one) =>
        acceptSiblings(h("div", { class: "line", key: idOf(one.steps) }, moveControl(one.steps, "Move index element"),
          lazySelect({ value: one.node.a.property ?? one.node.a.expression ?? "", options, label: "Indexed property",
            disabled: isReadOnly(), onchange: (value) => setValue(one.steps, "property", value) }),
          lazySelect({ value: one.node.a.order ?? "ascending", label: "Order", disabled: isReadOnly(),
            options: () => ["ascending", "descending"].map((value) => ({ value, text: value })),
            onchange: (value) => setValue(one.steps, "order", value) }),
          removeButton(one.steps, "Remove from index")), one.steps)),
      adder("Add property to index", idOf(item.steps), options, (value) => add(item.steps, "fetchIndexElement", { property: value })),
    ]),
    adder("Add index on", idOf(steps), options, (value) =>
      add(steps, "fetchIndex", { name: indexName(value) }, [value])),
  ];
}

function constraints(entity, steps) {
  const container = withSteps(entity, steps).find((item) => item.node.k === "uniquenessConstraints");
  const lists = container ? withSteps(container.node, container.steps) : [];
  const options = () => propertyNames(entity, ["attribute", "relationship"]).map((value) => ({ value, text: value }));
  return [
    h("h2", { key: "constraints" }, "Constraints"),
    ...lists.map((item) => acceptSiblings(h("div", { class: "line", key: idOf(item.steps) }, moveControl(item.steps, "Move constraint"),
      h("span", { class: "grow" }, children(item.node, "constraint").map((one) => one.a.value).join(", ")),
      adder("Add to constraint", idOf(item.steps), options, (value) => add(item.steps, "constraint", { value })),
      removeButton(item.steps, "Delete constraint")), item.steps)),
    adder("Add constraint on", idOf(steps), options, (value) => add(steps, "uniquenessConstraint", {}, [value])),
  ];
}

function userInfo(node, steps) {
  const container = withSteps(node, steps).find((item) => item.node.k === "userInfo");
  const entries = container ? withSteps(container.node, container.steps).filter((item) => item.node.k === "entry") : [];
  const input = (item, attribute, label) => {
    const id = `entry-${entries.indexOf(item)}-${attribute}`;
    return textField(item.node.a[attribute] ?? "", {
      id, key: `${idOf(item.steps)} ${attribute}`, "aria-label": label, disabled: isReadOnly(),
    }, (text) => setValue(item.steps, attribute, text));
  };
  return [
    h("h2", { key: "user info" }, "User Info"),
    ...entries.map((item) => acceptSiblings(h("div", { class: "line", key: idOf(item.steps) }, moveControl(item.steps, "Move entry"), input(item, "key", "Key"), input(item, "value", "Value"),
      removeButton(item.steps, "Delete entry")), item.steps)),
    h("button", { id: "add-entry", disabled: isReadOnly(), onclick: () => add(steps, "entry") }, "Add Entry"),
  ];
}

/// The color and the note of an entity in the graph, which are entries of its `userInfo`.
function graphNote(node, steps) {
  // The state of the entity when it is the request's turn counts.
  const set = (key, value) => send(() => {
    const entity = find(app.root, steps);
    const entry = entity && withSteps(entity, steps).filter((item) => item.node.k === "userInfo").flatMap((item) => withSteps(item.node, item.steps))
      .find((item) => item.node.k === "entry" && item.node.a.key === key);
    if (!entity || (!value && !entry)) return null;
    if (!value) return { edit: { operation: { delete: { elements: [reference(entry.steps)] } } } };
    const operation = entry ? { set: { element: reference(entry.steps), attribute: "value", value } }
      : { add: { parent: reference(steps), kind: "entry", values: { key, value }, members: [] } };
    return { edit: { operation } };
  });
  const color = entryValue(node, colorKey) ?? "";
  const select = h("select", { id: "graph-color", key: `${idOf(steps)} color`, disabled: isReadOnly(), onchange: sends((value) => set(colorKey, value)) },
    [["", "None"], ...colors.map((one) => [one, one[0].toUpperCase() + one.slice(1)]), ...(color && !colors.includes(color) ? [[color, color]] : [])]
      .map(([value, text]) => h("option", { value, key: value }, text)));
  select.value = color;
  const note = textField(entryValue(node, noteKey) ?? "", { id: "graph-note", key: `${idOf(steps)} note`, rows: 2, disabled: isReadOnly() }, (text) => set(noteKey, text));
  return [h("h2", { key: "graph title" }, "Graph"), h("div", { class: "form", key: `graph form ${idOf(steps)}` },
    h("label", { htmlFor: "graph-color" }, "Color"), h("div", { class: "value" }, select),
    h("label", { htmlFor: "graph-note" }, "Note"), h("div", { class: "value" }, note))];
}

function nameLine(item, id, label) {
  const properties = { id, key: `${idOf(item.steps)} name`, "aria-label": label, disabled: isReadOnly() };
  const input = textField(item.node.a.name ?? "", properties, (name) => edit({ rename: { element: reference(item.steps), name } }));
  return acceptSiblings(h("div", { class: "line", key: idOf(item.steps) }, moveControl(item.steps, "Move index"), input, removeButton(item.steps, "Delete index")), item.steps);
}

const removeButton = (steps, label) =>
  h("button", { class: "plain", "aria-label": label, title: label, disabled: isReadOnly(), onclick: () => remove([steps]) }, "−");

function adder(title, owner, options, action) {
  const select = lazySelect({
    value: "", label: title, key: `${title} ${owner} select`, none: `${title}…`, disabled: isReadOnly(), onchange: (value) => value && action(value),
    options: () => [{ value: "", text: `${title}…` }, ...options()],
  });
  return h("div", { class: "line", key: `${title} ${owner}` }, select);
}

function modelDetails() {
  return h("details", { key: "model" }, h("summary", {}, "Model"),
    h("div", { class: "form", key: "model form" }, app.vocabulary.model.filter((one) => app.root.a[one.attribute] !== undefined || one.control !== "readOnly")
      .flatMap((one) => field(app.root, [], one))));
}
