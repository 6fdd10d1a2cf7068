// Editing: fields for values, picking destinations, conflicts.

import { byID, debounce, fill, h, sends, textField } from "./dom.js";
import { ask, db, entityNamed, notify, words } from "./data-store.js";
import { editText, sizeText } from "./data-cells.js";

export const identifier = (text) => `edit-${text.replaceAll(/[^A-Za-z0-9]/g, "-")}`;

/// A field for a value or a to-one relationship.
export function valueEditor(object, value, description, actions) {
  const id = identifier(value.name);
  const key = `${object.uri} ${value.name}`;
  const clear = description.isOptional && value.cell.kind !== "null"
    && h("button", { class: "plain", title: "Set to nil", "aria-label": `Set ${value.name} to nil`, onclick: () => clearValue() }, "×");
  const clearValue = () => (description.kind === "relationship"
    ? actions.onlink(object.uri, value.name, null) : actions.onset(object.uri, value.name, null));
  if (description.kind === "relationship") {
    return h("div", { class: "line", key: `${key} line` },
      value.cell.kind === "link" ? h("button", { class: "link grow", onclick: () => actions.onfollow(value.cell.uri) }, value.cell.text)
        : h("span", { class: "null grow" }, "nil"),
      h("button", { id, onclick: () => pick(description.type, (uri) => actions.onlink(object.uri, value.name, uri)) }, "Choose…"), clear);
  }
  if (description.type === "Binary Data") {
    return h("div", { class: "line", key: `${key} line` }, h("span", { class: "null grow" }, value.cell.text ?? "nil"), bytesButtons(object, value, description, actions));
  }
  if (description.type === "Boolean") {
    const select = h("select", {
      id, key, "aria-label": value.name, onchange: sends((text) => actions.onset(object.uri, value.name, text || null)),
    }, (description.isOptional || value.cell.kind === "null") && h("option", { value: "", key: "" }, "nil"),
    h("option", { value: "true", key: "true" }, "true"), h("option", { value: "false", key: "false" }, "false"));
    select.value = value.cell.text ?? "";
    return h("div", { class: "line", key: `${key} line` }, select);
  }
  if (value.cell.isCut) return h("div", { class: "value-text long" }, `${value.cell.text}…`);
  const text = editText(value.cell);
  const isLong = description.type === "String" && (text.length > 60 || /[\r\n]/.test(text));
  // An empty field means nil except for text, which has a button for nil.
  const input = textField(text, {
    id, key, "aria-label": value.name, placeholder: value.cell.kind === "null" ? "nil" : "", rows: isLong ? 4 : null,
  }, (typed) => actions.onset(object.uri, value.name, typed === "" && description.type !== "String" ? null : typed), {
    onescape: () => byID("grid")?.focus(),
  });
  return h("div", { class: "line", key: `${key} line` }, input, clear);
}

/// The buttons that replace and remove bytes.
export function bytesButtons(object, value, description, actions) {
  const key = `${object.uri} ${value.name}`;
  const id = identifier(`file ${value.name}`);
  const input = h("input", {
    type: "file", hidden: true, id, key: `${key} file`, "aria-label": `File for ${value.name}`, tabIndex: -1,
    onchange: ({ currentTarget }) => {
      const [file] = currentTarget.files;
      // The same file can be picked again.
      currentTarget.value = "";
      if (!file) return;
      const limit = db.state.byteLimit;
      if (file.size > limit) notify(`“${file.name}” has ${sizeText(file.size)}; values can have at most ${sizeText(limit)}`, true);
      else actions.onfile(object.uri, value.name, file);
    },
  });
  return [input,
    h("button", { id: identifier(value.name), key: `${key} choose`, onclick: () => byID(id).click() }, value.cell.kind === "bytes" ? "Replace…" : "Choose File…"),
    value.cell.kind === "bytes" && description.isOptional && h("button", {
      class: "plain", key: `${key} remove`, "aria-label": `Remove ${value.name}`, onclick: () => actions.onset(object.uri, value.name, null),
    }, "Remove")];
}

/// The button that adds a destination to a to-many relationship.
export function memberButtons(object, description, actions) {
  return h("button", {
    id: identifier(`add ${description.name}`), key: `${object.uri} add ${description.name}`, onclick: () => pick(description.type, (uri) => actions.onadd(object.uri, description.name, uri)),
  }, "Add…");
}

/// Lets the user pick an object of an entity.
export function pick(entity, done) {
  const dialog = document.getElementById("dialog");
  const list = h("ul", { class: "members pick", "aria-label": `Objects of ${entity}`, tabIndex: -1 });
  const texts = entityNamed(entity).properties.filter((one) => one.type === "String");
  let number = 0;
  /// Reads the first objects, or those after the ones that are shown.
  const read = async (offset = 0) => {
    const own = ++number;
    const key = input.value.trim();
    const query = { entity, ...(input.value && texts.length ? { text: input.value } : {}), ...(key ? { key } : {}) };
    const reply = await ask({ rows: { query, offset, limit: 100 } });
    if (own !== number) return;
    if (reply.problem) {
      fill(list, h("li", { class: "dim" }, words(reply.problem)));
      return;
    }
    const shown = entityNamed(entity).properties;
    const { rows, total } = reply.page;
    const first = list.children.length;
    if (offset === 0) fill(list);
    list.append(...rows.filter((row) => row.change !== "deleted" && !row.isMissing).map((row) => h("li", {},
      h("button", { class: "link", onclick: () => { dialog.close(); done(row.uri); } },
        `${row.entity} ${row.key || "(new)"}  ${shown.map((one, index) => (one.type === "String" ? row.cells[index].text : null)).filter(Boolean).slice(0, 2).join(" · ")}`))));
    const end = offset + rows.length;
    more.hidden = rows.length === 0 || end >= total;
    more.textContent = `Show More (${(total - end).toLocaleString("en")})`;
    more.onclick = () => read(end);
    if (offset > 0) list.children[first]?.querySelector("button").focus();
  };
  const more = h("button", { id: "pick-more", hidden: true });
  const input = h("input", {
    type: "search", placeholder: texts.length ? "Text or key" : "Key", "aria-label": `Search ${entity}`, id: "pick-search",
    oninput: debounce(150, () => read()), onkeydown: (event) => {
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
  fill(dialog, h("h2", {}, `Choose ${entity}`), input, list, h("div", { class: "buttons" }, more, h("button", { onclick: () => dialog.close() }, "Cancel")));
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
  const replacesFile = conflicts.some((conflict) => conflict.replacesFile);
  const done = db.state.recoverableCount > 0 ? "restored" : "saved";
  fill(dialog, h("h2", {}, "Changed by Another Program"),
    h("p", {}, replacesFile
      ? `Nothing was saved. ${db.state.kind} stores are written as a whole: your edits replace all that the other program has written, or are discarded.`
      : `Nothing was ${done}. Choose which values are kept where both were changed; all other edits are ${done} in either case.`),
    conflicts.map((conflict) => h("section", {}, h("p", { class: "message" }, conflict.message),
      conflict.properties.length > 0 && h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Property"), h("th", {}, "Edited here"), h("th", {}, "In the store"))),
        h("tbody", {}, conflict.properties.map((one) => h("tr", {}, h("td", {}, one.name), h("td", {}, one.mine), h("td", {}, one.theirs))))))),
    h("div", { class: "buttons" }, h("button", { id: "keep-mine", onclick: () => choose(true) }, replacesFile ? "Replace the File" : "Keep My Edits"),
      h("button", { id: "keep-theirs", onclick: () => choose(false) }, replacesFile ? "Discard My Edits" : "Use the Store’s Values"),
      // Either choice loses something: the Return key alone must not make it.
      h("button", { onclick: () => dialog.close(), autofocus: true }, "Cancel")));
  dialog.showModal();
}

/// Lets the user pick one of a few texts: `[[value, label]]`.
export function chooseFrom(title, options, done) {
  const dialog = byID("dialog");
  const list = h("ul", { class: "members", "aria-label": title }, options.map(([value, label]) => h("li", {},
    h("button", { class: "link", onclick: () => { dialog.close(); done(value); } }, label))));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextSibling", ArrowUp: "previousSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    document.activeElement.closest("li")?.[step]?.querySelector("button").focus();
  });
  dialog.className = "picker";
  dialog.setAttribute("aria-label", title);
  fill(dialog, h("h2", {}, title), list, h("div", { class: "buttons" }, h("button", { onclick: () => dialog.close() }, "Cancel")));
  dialog.showModal();
  list.querySelector("button").focus();
}

export const errorCount = () => db.invalidByURI.size;
