// What the rules of `modelc store check` have found in the store: a list, and marks beside the rows.

import { fill, h } from "./dom.js";
import { db, quietly, words } from "./data-store.js";

/// Reads the findings. The check runs on the server while other requests are answered; it excludes unsaved edits.
///
/// Returns whether they have changed.
export async function readFindings() {
  const reply = await quietly({ findings: {} });
  if (!reply) return false;
  const findings = reply.findings ?? { items: [], note: reply.problem && words(reply.problem) };
  if (JSON.stringify(findings) === JSON.stringify(db.findings)) return false;
  db.findings = findings;
  db.findingsByURI = new Map();
  for (const item of findings.items) {
    for (const uri of item.objects) {
      if (!db.findingsByURI.has(uri)) db.findingsByURI.set(uri, []);
      db.findingsByURI.get(uri).push(item);
    }
  }
  return true;
}

const messages = (items) => items.map((item) => item.message).join("\n");

/// The findings of an object; those of a property, or those of none.
export function findingsOf(uri, property) {
  return (db.findingsByURI.get(uri) ?? []).filter((item) => (item.property?.split(".")[0] ?? null) === property);
}

/// A mark for the first cell of a row; `null` for a row without findings.
export function findingMark(uri) {
  const items = db.findingsByURI.get(uri);
  const severity = ["error", "warning", "note"].find((one) => items?.some((item) => item.severity === one));
  return items ? h("span", { class: `finding ${severity}`, role: "img", title: messages(items), "aria-label": `Findings: ${messages(items)}` }, "⚠") : null;
}

export { messages as findingMessages };

/// Shows all findings; `follow` shows an object.
export function showFindings(element, { onfollow }) {
  const { items, note } = db.findings;
  const shown = 20;
  fill(element, h("div", { class: "list-head" }, h("h1", {}, "Findings"), h("span", { class: "space" })),
    h("div", { class: "findings", id: "findings" },
      note && h("p", { class: "dim" }, note),
      items.length === 0 && !note && h("p", { class: "dim" }, "The store has no errors and no warnings."),
      items.map((item) => h("article", { class: "finding-item" },
        h("h2", {}, h("span", { class: `finding ${item.severity}` }, item.severity), " ", [item.entity, item.property].filter(Boolean).join(".") || "Store"),
        h("p", {}, item.message, " ", h("span", { class: "dim" }, `[${item.rule}]`)),
        item.help && h("p", { class: "dim" }, item.help),
        item.objects.length > 0 && h("p", {}, item.objects.slice(0, shown).map((uri) => [
          h("button", { class: "link", onclick: () => onfollow(uri) }, uri.split("/").slice(-2).join(" ").replace(" p", " ")), " "]).flat(),
        item.count > Math.min(shown, item.objects.length) && h("span", { class: "dim" }, `and ${(item.count - Math.min(shown, item.objects.length)).toLocaleString("en")} more`))))));
}
