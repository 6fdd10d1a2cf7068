// The controls of the inspector's fields.

import { app, isReadOnly, rename, setValue } from "./app.js";
import { completes } from "./completion.js";
import { h, lazySelect, sends, textField } from "./dom.js";
import { children, idOf, lineage, names } from "./model.js";
import { entityOptions, inverseOptions } from "./tables.js";

export const choiceNames = {
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
  const key = `${idOf(steps)} ${attribute}`;
  const set = (text) => (attribute === "name" ? rename(steps, text ?? "") : setValue(steps, attribute, text));
  const row = (...parts) => h("div", { class: "value", key: `${key} value` }, ...parts);
  const wrap = (element, ...more) => {
    element.id = id;
    element.key = key;
    return [h("label", { htmlFor: id, key: `${key} label` }, label), row(element, ...more)];
  };
  switch (control) {
    case "flag": {
      const box = h("input", {
        type: "checkbox", checked: value === "YES", disabled, id, key, onchange: sends((isOn) => set(isOn ? "YES" : null)),
      });
      return [h("span", { key: `${key} label` }), row(h("label", {}, box, flagNames[attribute] ?? label))];
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
    case "readOnly":
      return [h("label", { key: `${key} label` }, label), h("div", { class: "value read-only", key: `${key} value` }, value ?? "")];
    default: {
      const properties = { disabled, inputMode: control === "number" ? "numeric" : "text" };
      return wrap(textField(value ?? "", properties, emptyAsNull(set)), dateHint(attribute, value));
    }
  }
}

const plain = (list) => [{ value: "", text: "None" }, ...list.map((value) => ({ value, text: value }))];
const emptyAsNull = (set) => (text) => set(text === "" ? null : text);

/// The values of an attribute with their names on the page.
export function choices({ attribute, choices: list }) {
  const pairs = list.map((value) => [value, choiceNames[attribute]?.[value] ?? value]);
  return pairs;
}

function select(value, pairs, set, disabled) {
  const options = pairs.some(([one]) => one === value) ? pairs : [[value, value], ...pairs];
  const element = h("select", { disabled, onchange: sends(emptyAsNull(set)) },
    options.map(([one, text]) => h("option", { value: one, key: one }, text)));
  element.value = value;
  return element;
}

export function predicateField(node, steps, attribute, rows) {
  return completes(textField(node.a[attribute] ?? "", {
    id: `predicate-${node.k}`, key: `${idOf(steps)} ${attribute}`, rows, disabled: isReadOnly(), "aria-label": "Predicate",
  }, (text) => setValue(steps, attribute, text)), steps);
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
