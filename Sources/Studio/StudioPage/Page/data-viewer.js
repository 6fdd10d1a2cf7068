// The details of an object, and the viewer of bytes.

import { fill, h, refill } from "./dom.js";
import { ask, db, entityNamed, invalidValues, words } from "./data-store.js";
import { blobAddress, cellContent, sizeText } from "./data-cells.js";
import { bytesButtons, memberButtons, valueEditor } from "./data-edit.js";
import { findingsOf } from "./data-findings.js";
import { acceptMembers, orderControl, pageSize } from "./data-order.js";

let latest = 0;

/// Shows an object in the panel; without a panel, only drops what is being read.
export async function showObject(panel, uri, actions) {
  const number = ++latest;
  if (!panel) return;
  if (!uri) {
    panel.dataset.uri = "";
    refill(panel, h("p", { class: "placeholder", key: "none" }, "Select an object to see all of its values."));
    return;
  }
  const prefix = `${uri} `;
  const offsets = [...db.memberOffsets].filter(([key]) => key.startsWith(prefix)).map(([key, offset]) => [key.slice(prefix.length), offset]);
  const reply = await ask({ object: { uri, members: Object.fromEntries(offsets) } });
  if (number !== latest) return;
  if (reply.problem) {
    panel.dataset.uri = "";
    refill(panel, h("p", { class: "placeholder", key: "problem" }, words(reply.problem)));
    return;
  }
  draw(panel, reply.object, actions);
}

function draw(panel, object, actions) {
  const entity = entityNamed(object.entity);
  const top = panel.scrollTop;
  panel.dataset.uri = object.uri;
  refill(panel,
    h("h2", { class: "object-title", key: "object title" }, h("span", { class: "icon", "aria-hidden": "true" }, "E"), `${object.entity} ${object.key || "(new)"}`),
    h("div", { key: "object findings" }, findingTexts(object.uri, null)),
    h("dl", { class: "values", key: `values ${object.uri}` }, object.values.map((value) => property(object, value, entity.properties.find((one) => one.name === value.name), actions))),
    h("p", { class: "uri dim", key: "uri", title: "The URI of the object" }, object.uri));
  panel.scrollTop = top;
}

/// What a check of the store has found about a property of an object; about the object itself for `null`.
const findingTexts = (uri, name) => findingsOf(uri, name).map((one) => h("div", { class: `finding-text ${one.severity}`, title: one.help ?? "" }, one.message));

function property(object, value, description, actions) {
  const errors = invalidValues(object.uri, value.name);
  const editable = db.state.isEditable && description.isEditable;
  return [
    h("dt", { key: `${value.name} title` }, value.name, h("span", { class: "type" }, description.isToMany ? `${description.isOrdered ? "ordered " : ""}to-many ${description.type}` : description.type)),
    h("dd", { key: value.name, class: errors.length ? "invalid" : "" }, content(object, value, description, editable, actions),
      errors.map((one) => h("div", { class: "error-text", role: "alert" }, one.message)), findingTexts(object.uri, value.name)),
  ];
}

function content(object, value, description, editable, actions) {
  if (value.members) return members(object, value, description, editable, actions);
  if (value.elements && (value.cell.kind !== "null" || editable)) return elements(object, value, editable, actions);
  if (editable && value.cell.kind !== "bytes") return valueEditor(object, value, description, actions);
  const shown = cellContent(value.cell, {
    uri: object.uri, key: value.name, follow: actions.onfollow, open: () => {}, view: () => actions.onvalue(object.uri, value.name),
  });
  if (shown.tagName === "BUTTON") shown.tabIndex = 0;
  const isBytes = value.cell.kind === "bytes";
  return [h("div", { class: `value-text${description.type === "String" ? " long" : ""}` }, shown),
    isBytes && editable && h("div", { class: "buttons" }, bytesButtons(object, value, description, actions)),
    isBytes && value.cell.media && h("img", { class: "preview", src: blobAddress(object.uri, value.name), alt: value.cell.text })];
}

function elements(object, value, editable, actions) {
  return h("dl", { class: "values nested" }, value.elements.map((element) => {
    const name = element.name.split(".").pop();
    return [h("dt", { key: `${name} title` }, name, h("span", { class: "type" }, element.type)),
      h("dd", { key: name }, element.elements ? elements(object, element, editable, actions)
        : content(object, element, { type: element.type, isOptional: true }, editable, actions))];
  }));
}

function members(object, value, description, editable, actions) {
  const { count } = value.cell;
  const first = value.memberOffset;
  const end = first + value.members.length;
  const rest = count - value.members.length;
  const isMovable = editable && description.isOrdered && count > 1;
  const list = `${object.uri} ${value.name}`;
  const accepts = (element, index) => (isMovable ? acceptMembers(element, list, index, (from, distance) =>
    actions.onmove(object.uri, value.name, value.members[from - first].uri, distance)) : element);
  const line = (index, uri, ...parts) => accepts(h("li", { key: uri }, ...parts), index);
  const page = (id, text, label, offset, target) => accepts(h("button", {
    class: "plain", id: `${id}-${value.name}`, "aria-label": label, title: isMovable ? `${label}; drop here to move there` : label,
    "aria-disabled": offset === null ? "true" : null, onclick: () => { if (offset !== null) actions.onpage(object.uri, value.name, offset); },
  }, text), target);
  return [
    rest > 0 && h("div", { class: "member-pages" },
      page("previous", "‹", "Previous page", first > 0 ? first - pageSize : null, Math.max(0, first - 1)),
      h("span", { id: `members-${value.name}` }, `${(first + 1).toLocaleString("en")}–${end.toLocaleString("en")} of ${count.toLocaleString("en")}`),
      page("next", "›", "Next page", end < count ? first + pageSize : null, Math.min(count - 1, end))),
    h(description.isOrdered ? "ol" : "ul", { class: "members" }, value.members.map((member, index) => line(first + index, member.uri,
      isMovable && orderControl(list, first + index, { object: object.uri, name: value.name, member, count }, actions),
      h("button", { class: "link", onclick: () => actions.onfollow(member.uri) }, member.text),
      editable && h("button", {
        class: "plain", "aria-label": `Remove ${member.text}`, title: "Remove from the relationship",
        onclick: () => actions.onremove(object.uri, value.name, member.uri),
      }, "−")))),
    count === 0 && h("span", { class: "null" }, "none"),
    h("div", { class: "buttons" },
      count > 0 && h("button", { onclick: () => actions.onopen(object, description) }, rest > 0 ? `Show All ${count.toLocaleString("en")}` : "Show as List"),
      editable && memberButtons(object, description, actions)),
  ];
}

/// Shows bytes in a dialog: image, tree, text and hexadecimal.
export async function showValue(uri, key) {
  const dialog = document.getElementById("dialog");
  const reply = await ask({ value: { uri, key } });
  const value = reply.value;
  const close = h("button", { onclick: () => dialog.close(), autofocus: true }, "Close");
  dialog.setAttribute("aria-label", `Value of ${key}`);
  dialog.className = "viewer";
  if (!value) {
    fill(dialog, h("h2", {}, key), h("p", {}, words(reply.problem)), close);
  } else {
    fill(dialog,
      h("h2", {}, key, h("span", { class: "type" }, `${value.title}, ${sizeText(value.count)}`)),
      value.media && h("img", { class: "large", src: blobAddress(uri, key), alt: value.title }),
      value.note && h("p", { class: "dim" }, value.note),
      value.tree && h("div", { class: "tree", role: "tree" }, node(value.tree, true)),
      value.text && h("pre", { tabIndex: 0 }, value.text),
      h("details", { open: !value.media && !value.tree && !value.text }, h("summary", {}, "Bytes"),
        h("pre", { class: "hex", tabIndex: 0 }, value.hex.join("\n") + (value.count > 4096 ? "\n…" : ""))),
      h("div", { class: "buttons" }, h("a", { class: "button", href: blobAddress(uri, key), download: `${key}.${extension(value)}` }, "Download"), close));
  }
  dialog.showModal();
}

const extension = (value) => ({ "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" }[value.media] ?? "bin");

function node(item, isOpen) {
  const label = [item.key !== undefined && h("span", { class: "node-key" }, item.key), h("span", { class: "type" }, item.type),
    item.text !== undefined && h("span", { class: "node-text" }, item.text)];
  if (!item.children) return h("div", { class: "leaf", role: "treeitem" }, label);
  return h("details", { open: isOpen, role: "treeitem" }, h("summary", {}, label), item.children.map((child) => node(child, item.children.length < 30)));
}
