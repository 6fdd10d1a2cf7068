// Importing CSV and JSON files.

import { byID, fill, h } from "./dom.js";
import { notify, words } from "./data-store.js";
import { sizeText } from "./data-cells.js";

/// The size of the largest file, in bytes: imported objects are kept in memory until they are saved.
const limit = 8 << 20;

/// Returns the button that imports a file into an entity. `send` sends a request and shows what follows from it.
export function importControl(entity, send) {
  const input = h("input", {
    type: "file", hidden: true, id: "import-file", accept: ".csv,.tsv,.txt,.json", "aria-label": "File to import", tabIndex: -1,
    onchange: async () => {
      const [file] = input.files;
      // The same file can be picked again.
      input.value = "";
      if (file) await read(file, entity, send);
    },
  });
  return [input, h("button", { id: "import", "data-overflow": "3", title: "Insert the rows of a CSV or JSON file", onclick: () => input.click() }, "Import…")];
}

async function read(file, entity, send) {
  if (file.size > limit) {
    notify(`“${file.name}” has ${sizeText(file.size)}; at most ${sizeText(limit)} can be imported at once. Split the file.`, true);
    return;
  }
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    notify(`“${file.name}” is not UTF-8 text. Save it as UTF-8.`, true);
    return;
  }
  const format = /\.json$/i.test(file.name) ? "json" : "csv";
  const run = async (skipsInvalidRows) => {
    const reply = await send({ importRows: { entity, format, text, skipsInvalidRows } });
    if (reply.problem) notify(`“${file.name}”: ${words(reply.problem)}`, true);
    if (reply.imported) show(file.name, reply.imported, run);
  };
  await run(false);
}

const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/// Tells what was imported; problems in a dialog.
function show(name, report, run) {
  const done = `${counted(report.imported, "object", "objects")} imported from “${name}”, not saved yet`;
  if (report.imported > 0) notify(done);
  if (report.imported > 0 && report.unreadableCount + report.invalidCount + report.ignored.length === 0) return;
  const dialog = byID("dialog");
  const others = report.rows - report.unreadableRows;
  const close = (label) => h("button", { id: "close-import", onclick: () => { dialog.close(); byID("grid").focus(); }, autofocus: true }, label);
  dialog.className = "conflicts import";
  dialog.setAttribute("aria-label", "Import");
  fill(dialog, h("h2", {}, report.imported > 0 ? "Imported" : "Nothing Imported"),
    report.imported > 0 && h("p", { class: "message" }, `${done}.`),
    report.unreadableCount > 0 && [
      h("p", {}, `${counted(report.unreadableRows, "row", "rows")} of ${report.rows.toLocaleString("en")} cannot be read${report.imported > 0 ? " and were left out" : ""}:`),
      problems(report.unreadable, report.unreadableCount)],
    report.invalidCount > 0 && [
      h("p", {}, `${counted(report.invalidCount, "value is", "values are")} not valid. Correct them before you save:`), problems(report.invalid, report.invalidCount)],
    report.ignored.length > 0 && h("p", { class: "dim" }, `Columns that were left out: ${report.ignored.join(", ")}.`),
    h("div", { class: "buttons" },
      report.imported === 0 && others > 0 && h("button", { id: "import-others", onclick: () => { dialog.close(); run(true); } }, `Import the Other ${counted(others, "Row", "Rows")}`),
      close(report.imported > 0 ? "Close" : "Cancel")));
  dialog.showModal();
}

function problems(list, count) {
  const hasLines = list.some((one) => one.line !== undefined);
  return h("div", { class: "problems", tabIndex: 0 }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "Row"), hasLines && h("th", {}, "Line"), h("th", {}, "Column"), h("th", {}, "Problem"))),
    h("tbody", {}, list.map((one) => h("tr", {}, h("td", {}, String(one.row)), hasLines && h("td", {}, String(one.line ?? "")),
      h("td", {}, one.column ?? ""), h("td", {}, one.message))))),
  count > list.length && h("p", { class: "dim" }, `and ${(count - list.length).toLocaleString("en")} more`));
}
