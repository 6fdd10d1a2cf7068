// The toolbar and the banners of the data browser.

import { byID, h, refill } from "./dom.js";
import { ask, db, words } from "./data-store.js";

/// Shows the state of the store: its name, what can be done, and the banners.
///
/// `onrecover` restores the edits of the last session.
export function showState(onrecover) {
  const { state } = db;
  byID("store-name").textContent = state.name;
  document.title = `${state.isEdited ? "• " : ""}${state.name} — modelc studio`;
  byID("edited").hidden = state.isEditable && !state.isEdited;
  byID("edited").textContent = state.isEdited ? "Edited" : "Read-Only";
  byID("origin").textContent = state.modelOrigin ? `${state.kind} · model: ${state.modelOrigin}` : "";
  byID("origin").title = byID("origin").textContent;
  byID("enable-editing").hidden = !state.canEnableEditing;
  for (const id of ["undo", "redo", "discard", "save"]) byID(id).hidden = !state.isEditable;
  byID("undo").disabled = !state.canUndo;
  byID("redo").disabled = !state.canRedo;
  byID("discard").disabled = byID("save").disabled = !state.isEdited;
  byID("summary").textContent = state.entities.length ? `${state.entities.length} entities` : "";
  const banner = (text, ...buttons) => h("div", { class: "banner", key: text }, h("span", { class: "text" }, text), ...buttons);
  const list = state.warnings.map((text) => banner(text));
  if (state.problem && state.entities.length) list.push(banner(words(state.problem)));
  if (state.recoverableCount > 0) {
    list.push(banner(`The last session ended with unsaved edits (${state.recoverableCount}).`,
      h("button", { id: "recover", onclick: onrecover }, "Restore"),
      h("button", { onclick: () => ask({ forget: {} }) }, "Discard")));
  }
  refill(byID("banners"), list);
}

/// Lists the time zones; `onchange` is called after another one was chosen.
export function fillZones(onchange) {
  const select = byID("zone");
  const names = Intl.supportedValuesOf?.("timeZone") ?? [];
  select.replaceChildren(h("option", { value: "UTC" }, "UTC"), h("option", { value: "local" }, `Local (${Intl.DateTimeFormat().resolvedOptions().timeZone})`),
    ...names.filter((name) => name !== "UTC").map((name) => h("option", { value: name }, name)));
  select.value = db.zone;
  select.addEventListener("change", () => {
    db.zone = select.value;
    localStorage.setItem("modelc-zone", db.zone);
    onchange();
  });
}
