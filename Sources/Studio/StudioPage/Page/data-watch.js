// Changes of the store that the page has not made.

import { db, notify, poll, take } from "./data-store.js";

/// Notices what other tabs and programs have changed.
///
/// `actions` has `onstate` (warnings or locks are others), `oncounts` (numbers of objects may be others), and
/// `onchange` (rows may be others).
export async function watch(actions) {
  const revision = db.state.revision;
  const answer = await poll();
  if (!answer) notify("the studio does not answer; unsaved edits are in its journal", true);
  else {
    const { state } = answer;
    // A studio that was started again counts from the beginning.
    const isChanged = state && (state.run !== db.state.run || state.revision > revision || state.problem?.message !== db.state.problem?.message);
    if (state && String(state.warnings) !== String(db.state.warnings)) {
      Object.assign(db.state, { warnings: state.warnings, isLocked: state.isLocked });
      actions.onstate();
    }
    // What could not be read is read now.
    if (state && !state.isLocked && db.isBehind && !document.querySelector("dialog[open]")) {
      db.isBehind = false;
      await actions.oncounts();
      await actions.onchange();
    }
    // The pending answer will report the page's edits. Until then, the change stays pending for the next poll.
    if (isChanged && revision === db.state.revision && document.body.ariaBusy !== "true") {
      take(state);
      db.bytesVersion += 1;
      db.isBehind = Boolean(document.querySelector("dialog[open]"));
      if (!db.isBehind) {
        actions.oncounts();
        await actions.onchange();
        notify("The store has changed.");
      }
    }
  }
  setTimeout(() => watch(actions), 2000);
}

/// Shows the store once it can be opened: the program that has locked it may be done.
export async function awaitStore() {
  const answer = await poll();
  if (answer?.state && answer.state.problem?.message !== db.state.problem?.message) location.reload();
  else setTimeout(awaitStore, 2000);
}
