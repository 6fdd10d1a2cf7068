// The store's history: transactions with their changes.

import { fill, h } from "./dom.js";
import { ask, words } from "./data-store.js";
import { dateText } from "./data-cells.js";

const pageSize = 50;

/// Shows the newest transactions, as many as before; those that were open before stay open.
export async function showHistory(content, actions) {
  const old = [...content.querySelectorAll(".transaction")];
  const open = old.length ? new Set(old.filter((one) => one.open).map((one) => one.dataset.number)) : null;
  const list = h("div", { class: "history" });
  let last = await more(list, null, actions, open);
  while (last && list.querySelectorAll(".transaction").length < old.length) last = await more(list, last, actions, open);
  const top = content.querySelector(".history")?.scrollTop ?? 0;
  fill(content, h("div", { class: "list-head" }, h("h1", {}, "History")), list);
  list.scrollTop = top;
}

/// Adds a page of transactions.
///
/// Returns the number of the last one if there are more.
async function more(list, before, actions, open = null) {
  list.querySelector("#older")?.remove();
  const reply = await ask({ history: { ...(before === null ? {} : { before }), limit: pageSize } });
  if (reply.problem) {
    list.append(h("p", { class: "placeholder" }, words(reply.problem)));
    return null;
  }
  const { transactions, hasMore, note } = reply.history;
  if (note) list.append(h("p", { class: "placeholder" }, note));
  const isOpen = (one, index) => (open ? open.has(String(one.number)) : before === null && index < 3);
  list.append(...transactions.map((one, index) => transaction(one, isOpen(one, index), actions)));
  const last = transactions[transactions.length - 1];
  if (!hasMore || !last) return null;
  list.append(h("button", { id: "older", onclick: () => older(list, last.number, actions) }, "Older Transactions"));
  return last.number;
}

async function older(list, before, actions) {
  const count = list.querySelectorAll(".transaction").length;
  await more(list, before, actions);
  list.querySelectorAll(".transaction > summary")[count]?.focus();
}

function transaction(one, isOpen, actions) {
  const facts = [one.author && `author ${one.author}`, one.context && `context ${one.context}`, one.bundle, one.process].filter(Boolean);
  return h("details", { class: "transaction", open: isOpen, "data-number": String(one.number) }, h("summary", {},
    h("span", { class: "number" }, `#${one.number}`), h("span", {}, dateText(one.date)), h("span", { class: "dim" }, facts.join(" · ")),
    h("span", { class: "dim count" }, `${one.changeCount} ${one.changeCount === 1 ? "change" : "changes"}`)),
  h("table", { class: "changes" }, h("tbody", {}, one.changes.map((change) => h("tr", {},
    h("td", { class: `change ${change.kind}` }, change.kind),
    h("td", {}, change.exists ? h("button", { class: "link", onclick: () => actions.onfollow(change.uri) }, `${change.entity} ${change.key}`)
      : h("span", { class: "dim" }, `${change.entity} ${change.key}`)),
    h("td", { class: "dim" }, change.properties.join(", "), Object.entries(change.tombstone).map(([name, text]) =>
      h("span", { class: "tombstone", title: "Kept in the tombstone" }, `${name}: ${text}`))))))),
  one.changeCount > one.changes.length && h("p", { class: "dim" }, `and ${one.changeCount - one.changes.length} more`));
}
