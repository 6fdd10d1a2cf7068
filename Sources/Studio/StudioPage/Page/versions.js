// The dialog that adds a version.

import { app, read, send } from "./app.js";
import { byID, debounce, fill, h } from "./dom.js";

/// Asks for the name of a new version, shows what will be written, and adds the version.
export async function askForVersion() {
  const dialog = byID("dialog");
  const files = h("div", { id: "version-files", "aria-live": "polite" });
  const input = h("input", { id: "version-name", "aria-label": "Name", "aria-describedby": "version-files", autocomplete: "off", spellcheck: false });
  const submit = h("button", { class: "primary", id: "create-version" }, "Add");
  const list = (title, paths) => paths.length > 0 && [h("p", {}, title), h("ul", {}, paths.map((path) => h("li", {}, path)))];

  const plan = async (name) => {
    const reply = await read({ planVersion: name === null ? {} : { name } });
    // A newer name is asked about next.
    if (!reply || name !== null && input.value !== name) return null;
    const { addition, problem } = reply;
    submit.disabled = !addition;
    fill(files, addition
      ? [list("New:", addition.created), list("Changed:", addition.changed), app.state.isEdited && h("p", {}, "Unsaved edits are saved first.")].flat()
      : h("p", { class: "problem" }, [problem.message, problem.help].filter(Boolean).join(" — ")));
    return addition;
  };
  const check = debounce(120, () => plan(input.value));
  input.addEventListener("input", () => { submit.disabled = true; check(); });

  const form = h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      if (submit.disabled) return;
      dialog.close();
      send({ addVersion: { name: input.value } });
    },
  },
    h("label", { class: "line" }, "Name ", input), files,
    h("p", { class: "dim" }, "The new version is a copy of the current one, and becomes current. Undo removes it again until the next save."),
    h("div", { class: "buttons" }, submit, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  dialog.className = "version";
  dialog.setAttribute("aria-label", "New Version");
  fill(dialog, h("h2", {}, "New Version"), form);
  const first = await plan(null);
  input.value = first?.name ?? "";
  dialog.showModal();
  input.select();
}
