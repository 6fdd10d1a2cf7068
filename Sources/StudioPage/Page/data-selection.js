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
    onchange: () => { chosen.set(entity, select.value); showSelection(panel, { entity, uris }, actions); },
  }, fields.map((one) => h("option", { value: one.name }, one.name)));
  if (name) select.value = name;
  const count = uris.length.toLocaleString("en");
  const send = (edit) => { chosen.set(entity, name); return actions.ongroup(uris.map(edit)); };
  panel.dataset.uri = "";
  refill(panel,
    h("h2", { class: "object-title", id: "selection-title" }, h("span", { class: "icon", "aria-hidden": "true" }, "E"), `${count} Objects`),
    field && h("form", { class: "selection", onsubmit: (event) => event.preventDefault() },
      h("label", { class: "field" }, h("span", {}, "Set "), select, h("span", { class: "type" }, field.type)),
      field.isRelationship
        ? h("button", { type: "button", id: "set-destination", onclick: () => pick(field.type, (destination) => send((uri) => ({ link: { uri, key: name, destination } }))) }, "Choose…")
        : valueField(field, (text) => send((uri) => ({ set: { uri, key: name, text } }))),
      field.isOptional && h("button", {
        type: "button", id: "set-nil", onclick: () => send((uri) => (field.isRelationship ? { link: { uri, key: name } } : { set: { uri, key: name } })),
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

function valueField(field, send) {
  const input = field.type === "Boolean"
    ? h("select", { id: "set-value", "aria-label": "Value" }, h("option", { value: "true" }, "true"), h("option", { value: "false" }, "false"))
    : h("input", {
      id: "set-value", "aria-label": "Value", spellcheck: false, placeholder: field.type === "Date" ? "2026-01-31T12:00:00Z" : "",
      onkeydown: (event) => {
        if (event.key === "Escape") byID("grid").focus();
        if (event.key === "Enter") { event.preventDefault(); send(input.value); }
      },
    });
  return h("div", { class: "line" }, input, h("button", { type: "button", id: "set-all", class: "primary", onclick: () => send(input.value) }, "Set"));
}
