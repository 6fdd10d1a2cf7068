// Several rows: setting one value in all of them, deleting them.

import { byID, h, refill } from "./dom.js";
import { entityNamed } from "./data-store.js";
import { pick } from "./data-edit.js";

/// The property that was set last, by entity.
const chosen = new Map();

/// Shows what can be done with the selected objects.
export function showSelection(panel, { entity, uris }, actions) {
  const fields = settable(entity);
  const name = fields.some((one) => one.name === chosen.get(entity)) ? chosen.get(entity) : fields[0]?.name;
  const field = fields.find((one) => one.name === name);
  const select = h("select", {
    id: "set-property", "aria-label": "Property",
    onchange: (event) => { chosen.set(entity, event.currentTarget.value); showSelection(panel, { entity, uris }, actions); },
  }, fields.map((one) => h("option", { value: one.name, key: one.name }, one.name)));
  if (name) select.value = name;
  const count = uris.length.toLocaleString("en");
  const send = (edit) => { chosen.set(entity, name); return actions.ongroup(uris.map(edit)); };
  panel.dataset.uri = "";
  refill(panel,
    h("h2", { class: "object-title", id: "selection-title" }, h("span", { class: "icon", "aria-hidden": "true" }, "E"), `${count} Objects`),
    field && h("form", { class: "selection", key: `selection ${entity}`, onsubmit: (event) => event.preventDefault() },
      h("label", { class: "field" }, h("span", {}, "Set "), select, h("span", { class: "type" }, field.type)),
      field.isRelationship
        ? h("button", { type: "button", id: "set-destination", key: `destination ${name}`, onclick: () => pick(field.type, (destination) => send((uri) => ({ link: { uri, key: name, destination } }))) }, "Choose…")
        : valueField(field, name, (text) => send((uri) => ({ set: { uri, key: name, text } }))),
      field.isOptional && h("button", {
        type: "button", id: "set-nil", key: `nil ${name}`, onclick: () => send((uri) => (field.isRelationship ? { link: { uri, key: name } } : { set: { uri, key: name } })),
      }, "Set to Nil")),
    h("p", { class: "dim" }, "The value is set in all of them, as one step that can be undone."),
    h("div", { class: "buttons" }, h("button", { id: "delete-selection", onclick: () => actions.ondelete() }, `Delete ${count} Objects`),
      h("button", { id: "deselect", onclick: () => actions.ondeselect() }, "Select One")));
}

/// The properties that can be set in several objects, elements of composite attributes included.
function settable(entity) {
  return entityNamed(entity).properties.filter((one) => one.isEditable && !one.isToMany && one.type !== "Binary Data").flatMap((one) => (one.elements
    ? one.elements.filter((element) => element.type !== "Binary Data").map((element) => ({ ...element, isOptional: true }))
    : [{ name: one.name, type: one.type, isOptional: one.isOptional, isRelationship: one.kind === "relationship" }]));
}

function valueField(field, name, send) {
  const key = `value of ${name}`;
  // What is shown here is no value of the store, and so is left alone when the panel is drawn again.
  const old = byID("set-value");
  const input = field.type === "Boolean"
    ? h("select", { id: "set-value", key, "aria-label": "Value" },
      h("option", { value: "true", key: "true" }, "true"), h("option", { value: "false", key: "false" }, "false"))
    : h("input", {
      id: "set-value", key, "aria-label": "Value", spellcheck: false, placeholder: field.type === "Date" ? "2026-01-31T12:00:00Z" : "",
      onkeydown: (event) => {
        if (event.key === "Escape") byID("grid").focus();
        if (event.key === "Enter") { event.preventDefault(); send(event.currentTarget.value); }
      },
    });
  if (field.type === "Boolean" && old?.key === key) input.value = old.value;
  const set = h("button", { type: "button", id: "set-all", class: "primary", onclick: () => send(byID("set-value").value) }, "Set");
  return h("div", { class: "line", key: `${key} line` }, input, set);
}
