// The controls of the inspector's fields.

import { app, isReadOnly, rename, setValue } from "./app.js";
import { commits, h, lazySelect } from "./dom.js";
import { children, lineage, names } from "./model.js";
import { entityOptions, inverseOptions } from "./tables.js";

const choiceNames = {
  codeGenerationType: { "": "Manual/None", class: "Class Definition", category: "Category/Extension" },
  resultType: { "": "Objects", 0: "Objects", 1: "Object IDs", 2: "Dictionaries", 4: "Count" },
};

const flagNames = { toMany: "To many", isAbstract: "Abstract" };

/// A label and a control for an XML attribute of an element.
export function field(node, steps, description) {
  const { attribute, label, control } = description;
  const value = node.a[attribute];
  const id = `field-${node.k}-${attribute}`;
  const disabled = isReadOnly();
  const set = (text) => (attribute === "name" && text !== null ? rename(steps, text) : setValue(steps, attribute, text));
  const wrap = (element, ...more) => {
    element.id = id;
    return [h("label", { htmlFor: id }, control === "flag" ? "" : label), h("div", { class: "value" }, element, ...more)];
  };
  switch (control) {
    case "flag": {
      const box = h("input", {
        type: "checkbox", checked: value === "YES", disabled, id, onchange: (event) => set(event.target.checked ? "YES" : null),
      });
      return [h("span"), h("div", { class: "value" }, h("label", {}, box, flagNames[attribute] ?? label))];
    }
    case "optionalFlag":
      return wrap(select(value ?? "", [["", "Default"], ["YES", "Yes"], ["NO", "No"]], set, disabled));
    case "choice":
      return wrap(select(value ?? "", choices(description), set, disabled));
    case "entity":
      return wrap(lazySelect({ none: "None", value: value ?? "", options: () => entityOptions("None"), onchange: emptyAsNull(set), disabled }));
    case "inverse":
      return wrap(lazySelect({ none: "None", value: value ?? "", options: () => inverseOptions(node), onchange: emptyAsNull(set), disabled }));
    case "composite":
      return wrap(lazySelect({ none: "None", value: value ?? "", options: () => plain(names(app.root, "composite")), onchange: emptyAsNull(set), disabled }));
    case "predicate": return wrap(predicateField(node, steps, attribute, 2));
    case "readOnly": return [h("label", {}, label), h("div", { class: "value read-only" }, value ?? "")];
    default: {
      const input = h("input", {
        value: value ?? "", disabled, spellcheck: false, inputMode: control === "number" ? "numeric" : "text",
      });
      commits(input, emptyAsNull(set));
      return wrap(input, dateHint(attribute, value));
    }
  }
}

const plain = (list) => [{ value: "", text: "None" }, ...list.map((value) => ({ value, text: value }))];
const emptyAsNull = (set) => (text) => set(text === "" ? null : text);

function choices({ attribute, choices: list }) {
  const pairs = list.map((value) => [value, choiceNames[attribute]?.[value] ?? value]);
  return pairs;
}

function select(value, pairs, set, disabled) {
  const known = pairs.some(([one]) => one === value) ? pairs : [[value, value], ...pairs];
  const element = h("select", { disabled, onchange: () => emptyAsNull(set)(element.value) },
    known.map(([one, text]) => h("option", { value: one }, text)));
  element.value = value;
  return element;
}

export function predicateField(node, steps, attribute, rows) {
  const input = h("textarea", {
    id: `predicate-${node.k}`, rows, value: node.a[attribute] ?? "", disabled: isReadOnly(), spellcheck: false, "aria-label": "Predicate",
  });
  return commits(input, (text) => setValue(steps, attribute, text));
}

/// Dates are seconds since 2001.
function dateHint(attribute, value) {
  if (!attribute.endsWith("DateTimeInterval") || value === undefined) return null;
  const date = new Date((Number(value) + 978307200) * 1000);
  return h("span", { class: "hint" }, Number.isNaN(date.getTime()) ? "seconds since 2001" : date.toISOString().slice(0, 19).replace("T", " ") + " UTC");
}

/// The names of an entity's properties, inherited ones too.
export const propertyNames = (entity, kinds) =>
  lineage(app.root, entity.a.name).flatMap((one) => kinds.flatMap((kind) => children(one, kind))).map((one) => one.a.name ?? "");
