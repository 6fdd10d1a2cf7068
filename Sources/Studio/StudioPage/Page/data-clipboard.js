// Cells as tab-separated text, as spreadsheets copy and paste it.

import { ask, db, notify, words } from "./data-store.js";
import { editText } from "./data-cells.js";

/// A field that holds no value is empty; an empty text is two quotation marks.
const quoted = (text) => (text === "" || /[\t\r\n"]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text);

/// Rows of fields from tab-separated text; null for an empty field.
export function parse(text) {
  const rows = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;
  while (field.lastIndex <= text.length) {
    const found = field.exec(text);
    rows.at(-1).push(found[1] !== undefined ? found[1].replaceAll("\"\"", "\"") : found[2] || null);
    if (found[3] === "") break;
    if (found[3] !== "\t") {
      if (field.lastIndex === text.length) break;
      rows.push([]);
    }
  }
  return rows;
}

/// The rows with the URIs, in the order of the list; null if some are not there.
async function rowsOf(table, uris) {
  const found = new Map();
  const take = (rows, offset) => rows.forEach((row, index) => { if (uris.has(row.uri)) found.set(row.uri, { row, index: offset + index }); });
  for (const [page, rows] of table.pages) take(rows, page * 100);
  const [first, last] = [Math.min(table.anchor ?? table.row, table.row), Math.max(table.anchor ?? table.row, table.row)];
  for (let offset = first; offset <= last && found.size < uris.size; offset += 500) {
    const reply = await ask({ rows: { query: table.query, offset, limit: 500 } });
    if (reply.problem) throw new Error(words(reply.problem));
    take(reply.page.rows, offset);
  }
  if (found.size < uris.size) throw new Error("some of the selected rows are not in the list any more; select them again");
  return [...found.values()].sort((one, other) => one.index - other.index).map((one) => one.row);
}

/// The text of the current cell, or of all cells of the selected rows.
async function text(table) {
  const rows = table.selected.size ? await rowsOf(table, table.selected) : [table.selectedRow];
  const columns = table.selected.size ? table.columns : [table.selectedColumn];
  const lines = [];
  for (const row of rows) {
    let complete = null;
    const fields = [];
    for (const column of columns) {
      let cell = column.kind === "entity" ? { text: row.entity } : column.kind === "key" ? { text: row.key } : row.cells[column.index];
      if (cell.isCut) {
        // Lists have the beginning of a long text.
        complete ??= await ask({ object: { uri: row.uri } });
        if (complete.problem) throw new Error(words(complete.problem));
        cell = complete.object.values.find((one) => one.name === column.name).cell;
        if (cell.isCut) throw new Error(`“${column.name}” is too long to be copied`);
      }
      if (["bytes", "missing"].includes(cell.kind)) {
        if (columns.length === 1) throw new Error(`the bytes of “${column.name}” cannot be copied as text`);
        fields.push("");
      } else fields.push(cell.kind === "null" ? "" : cell.kind === "count" ? String(cell.count) : quoted(editText(cell)));
    }
    lines.push(fields.join("\t"));
  }
  return lines.join("\n");
}

/// Copies the current cell, or the selected rows.
export async function copyCells(table) {
  if (!table.selectedRow || table.selectedRow.isMissing) return;
  try {
    const copied = await text(table);
    await navigator.clipboard.writeText(copied);
    notify(table.selected.size ? `Copied ${table.selected.size.toLocaleString("en")} rows` : "Copied");
  } catch (error) {
    notify(error.message, true);
  }
}

/// The edits that paste rows of fields from the current cell on, or one field into all selected rows.
async function edits(table, fields) {
  const width = Math.max(...fields.map((line) => line.length));
  const isOne = fields.length === 1 && width === 1;
  const columns = table.columns.slice(table.column, table.column + width);
  if (columns.length < width) throw new Error(`the text has ${width} columns, and ${columns.length} are right of the current cell`);
  const wrong = columns.find((one) => one.kind !== "attribute" || !one.isEditable || one.elements || ["Binary Data", "Transformable", "Composite"].includes(one.type));
  if (wrong) throw new Error(`text cannot be pasted into “${wrong.name}”`);
  const uris = isOne && table.selected.size ? [...table.selected] : [];
  if (uris.length === 0) {
    if (table.row + fields.length > table.total) throw new Error(`the text has ${fields.length} rows, and the list has ${table.total - table.row} from the current one on`);
    if (fields.length > db.state.rowLimit) throw new Error(`at most ${db.state.rowLimit.toLocaleString("en")} rows can be pasted`);
    const reply = await ask({ uris: { query: table.query, offset: table.row, limit: fields.length } });
    if (reply.problem) throw new Error(words(reply.problem));
    if (reply.uris.length < fields.length) throw new Error("the list has changed; try again");
    uris.push(...reply.uris);
  }
  return uris.flatMap((uri, row) => {
    const line = isOne ? fields[0] : fields[row];
    return line.map((value, column) => ({ set: { uri, key: columns[column].name, ...(value === null ? {} : { text: value }) } }));
  });
}

/// Pastes tab-separated text; `send` gets the edits, which are one step.
export async function pasteCells(table, pasted, send) {
  if (!table.selectedColumn || pasted === "") return;
  try {
    const list = await edits(table, parse(pasted));
    const reply = await send(list);
    if (!reply.problem) notify(`Pasted ${list.length.toLocaleString("en")} ${list.length === 1 ? "value" : "values"}`);
  } catch (error) {
    notify(error.message, true);
  }
}
