// The store's history: transactions with their changes.

import { fill, h } from "./dom.js";
import { ask, words } from "./data-store.js";
import { dateText } from "./data-cells.js";

const pageSize = 50;

/// Shows the newest transactions; those that were open before stay open.
export async function showHistory(content, actions) {
  const old = [...content.querySelectorAll(".transaction")];
  const open = old.length ? new Set(old.filter((one) => one.open).map((one) => one.dataset.number)) : null;
  const list = h("div", { class: "history" });
  fill(content, h("div", { class: "list-head" }, h("h1", {}, "History")), list);
  await more(list, null, actions, open);
}

async function more(list, before, actions, open = null) {
  const reply = await ask({ history: { ...(before === null ? {} : { before }), limit: pageSize } });
  if (reply.problem) return list.append(h("p", { class: "placeholder" }, words(reply.problem)));
  const { transactions, hasMore, note } = reply.history;
  if (note) list.append(h("p", { class: "placeholder" }, note));
  const isOpen = (one, index) => (open ? open.has(String(one.number)) : before === null && index < 3);
  list.append(...transactions.map((one, index) => transaction(one, isOpen(one, index), actions)));
  const last = transactions[transactions.length - 1];
  if (hasMore && last) {
    list.append(h("button", { onclick: (event) => { event.target.remove(); more(list, last.number, actions); } }, "Older Transactions"));
  }
  return undefined;
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
