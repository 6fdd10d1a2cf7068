// The list of shortcuts, and the explanation of a store that cannot be shown.

import { byID, fill, h } from "./dom.js";
import { db } from "./data-store.js";

const shortcuts = [
  ["↑ ↓ ← → PgUp PgDn", "Select another cell"], ["Home End, Ctrl+Home Ctrl+End", "First and last column, row"],
  ["Return", "Follow the link, show bytes, or edit"], ["F2", "Edit the value"], ["S, Shift+S", "Sort by the column, by this column too"], ["Alt+←", "Back"],
  ["/", "Predicate"], ["Ctrl+Space", "Complete"], ["F6, Shift+F6", "Next, previous part of the page"], ["Alt+L, Alt+P", "Show or hide the list, the details"],
  ["Ctrl+Z, Ctrl+Shift+Z", "Undo, redo"], ["Ctrl+S", "Save"], ["Ctrl+C, Ctrl+V", "Copy and paste cells as tab-separated text"], ["Alt+N", "New object"], ["Delete", "Delete the object, or the selected ones"],
  ["Shift+↑ ↓, Space, Ctrl+A", "Select several rows, this row too, all rows"], ["Esc", "Select one row again"], ["?", "This list"],
];

export function showHelp() {
  fill(byID("help"), h("h2", {}, "Keyboard Shortcuts"),
    h("table", {}, shortcuts.map(([keys, text]) => h("tr", {}, h("td", {}, keys), h("td", {}, text)))),
    h("p", {}, h("button", { onclick: () => byID("help").close(), autofocus: true }, "Close")));
  byID("help").showModal();
}
export function showProblem() {
  const { message } = db.state.problem;
  fill(byID("sidebar"));
  fill(byID("panel"));
  fill(byID("content"), h("div", { class: "explanation", role: "alert" }, h("h1", {}, `“${db.state.name}” cannot be shown`),
    h("p", {}, `${message[0].toUpperCase()}${message.slice(1)}.`), db.state.problem.help && h("p", { class: "dim" }, db.state.problem.help),
    h("p", { class: "dim" }, "The file was not changed."), h("button", { onclick: () => location.reload() }, "Try Again")));
}
