// Editing: fields for values, picking destinations, conflicts.

import { byID, commits, debounce, fill, h } from "./dom.js";
import { ask, db, entityNamed, words } from "./data-store.js";
import { editText } from "./data-cells.js";

const identifier = (text) => `edit-${text.replaceAll(/[^A-Za-z0-9]/g, "-")}`;

/// A field for a value or a to-one relationship.
export function valueEditor(object, value, description, actions) {
  const id = identifier(value.name);
  const clear = description.isOptional && value.cell.kind !== "null"
    && h("button", { class: "plain", title: "Set to nil", "aria-label": `Set ${value.name} to nil`, onclick: () => clearValue() }, "×");
  const clearValue = () => (description.kind === "relationship"
    ? actions.onlink(object.uri, value.name, null) : actions.onset(object.uri, value.name, null));
  if (description.kind === "relationship") {
    return h("div", { class: "line" },
      value.cell.kind === "link" ? h("button", { class: "link grow", onclick: () => actions.onfollow(value.cell.uri) }, value.cell.text)
        : h("span", { class: "null grow" }, "nil"),
      h("button", { id, onclick: () => pick(description.type, (uri) => actions.onlink(object.uri, value.name, uri)) }, "Choose…"), clear);
  }
  if (description.type === "Boolean") {
    const select = h("select", { id, "aria-label": value.name, onchange: () => actions.onset(object.uri, value.name, select.value || null) },
      (description.isOptional || value.cell.kind === "null") && h("option", { value: "" }, "nil"),
      h("option", { value: "true" }, "true"), h("option", { value: "false" }, "false"));
    select.value = value.cell.text ?? "";
    return h("div", { class: "line" }, select);
  }
  if (value.cell.isCut) return h("div", { class: "value-text long" }, `${value.cell.text}…`);
  const text = editText(value.cell);
  const isLong = description.type === "String" && (text.length > 60 || text.includes("\n"));
  const input = h(isLong ? "textarea" : "input", {
    id, value: text, "aria-label": value.name, spellcheck: false, placeholder: value.cell.kind === "null" ? "nil" : "", rows: isLong ? 4 : null,
  });
  // An empty field means nil except for text, which has a button for nil.
  commits(input, (typed) => actions.onset(object.uri, value.name, typed === "" && description.type !== "String" ? null : typed), () => {
    input.blur();
    byID("grid")?.focus();
  });
  return h("div", { class: "line" }, input, clear);
}

/// The button that adds a destination to a to-many relationship.
export function memberButtons(object, description, actions) {
  return h("button", {
    id: identifier(`add ${description.name}`), onclick: () => pick(description.type, (uri) => actions.onadd(object.uri, description.name, uri)),
  }, "Add…");
}

/// Lets the user pick an object of an entity.
export function pick(entity, done) {
  const dialog = document.getElementById("dialog");
  const list = h("ul", { class: "members pick", role: "listbox", "aria-label": `Objects of ${entity}`, tabIndex: -1 });
  const texts = entityNamed(entity).properties.filter((one) => one.type === "String");
  const read = async () => {
    const text = JSON.stringify(input.value);
    const predicate = input.value && texts.length ? texts.map((one) => `${one.name} CONTAINS[cd] ${text}`).join(" OR ") : undefined;
    const query = { entity, ...(predicate ? { predicate } : {}) };
    const reply = await ask({ rows: { query, offset: 0, limit: 100 } });
    if (reply.problem) return fill(list, h("li", { class: "dim" }, words(reply.problem)));
    const shown = entityNamed(entity).properties;
    return fill(list, ...reply.page.rows.filter((row) => row.change !== "deleted" && !row.isMissing).map((row) => h("li", {},
      h("button", { class: "link", onclick: () => { dialog.close(); done(row.uri); } },
        `${row.entity} ${row.key || "(new)"}  ${shown.map((one, index) => (one.type === "String" ? row.cells[index].text : null)).filter(Boolean).slice(0, 2).join(" · ")}`))));
  };
  const input = h("input", {
    type: "search", placeholder: texts.length ? "Search" : "", disabled: texts.length === 0, "aria-label": `Search ${entity}`, id: "pick-search",
    oninput: debounce(150, read), onkeydown: (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); list.querySelector("button")?.focus(); }
    },
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextSibling", ArrowUp: "previousSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    (document.activeElement.closest("li")?.[step]?.querySelector("button") ?? input).focus();
  });
  dialog.className = "picker";
  dialog.setAttribute("aria-label", `Choose ${entity}`);
  fill(dialog, h("h2", {}, `Choose ${entity}`), input, list, h("div", { class: "buttons" }, h("button", { onclick: () => dialog.close() }, "Cancel")));
  read();
  dialog.showModal();
  input.focus();
}

/// Explains the conflicts of a save and lets the user decide.
export function showConflicts(conflicts, resolve) {
  const dialog = document.getElementById("dialog");
  const choose = (keepsEdits) => { dialog.close(); resolve(keepsEdits); };
  dialog.className = "conflicts";
  dialog.setAttribute("aria-label", "Conflicts");
  fill(dialog, h("h2", {}, "Changed by Another Program"),
    h("p", {}, "Nothing was saved. Choose which values are kept where both were changed; all other edits are saved in either case."),
    conflicts.map((conflict) => h("section", {}, h("p", { class: "message" }, conflict.message),
      conflict.properties.length > 0 && h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Property"), h("th", {}, "Edited here"), h("th", {}, "In the store"))),
        h("tbody", {}, conflict.properties.map((one) => h("tr", {}, h("td", {}, one.name), h("td", {}, one.mine), h("td", {}, one.theirs))))))),
    h("div", { class: "buttons" }, h("button", { id: "keep-mine", onclick: () => choose(true) }, "Keep My Edits"),
      h("button", { id: "keep-theirs", onclick: () => choose(false) }, "Use the Store’s Values"), h("button", { onclick: () => dialog.close() }, "Cancel")));
  dialog.showModal();
}

/// Whether a field is being typed in.
export const isTyping = () => ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName);

export const errorCount = () => new Set(db.invalid.map((one) => one.uri)).size;
