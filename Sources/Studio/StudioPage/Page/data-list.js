// The table of a list: only the rows in sight exist, and pages are read when they are scrolled to.

import { h } from "./dom.js";
import { ask, current, db, entityNamed, invalidValues, notify, words } from "./data-store.js";
import { cellContent, columnWidth, isNumeric } from "./data-cells.js";
import { findingMark, findingMessages, findingsOf } from "./data-findings.js";

const rowHeight = 26;
const pageSize = 100;
/// Browsers do not lay out elements of more than about 17 million pixels.
const maximumHeight = 8_000_000;

/// A table in an element, with what happens in it.
export class DataTable {
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    this.generation = 0;
    /// The number of rows, once they were read.
    this.total = 0;
    /// The URIs of the rows that are selected together, and the row that a range starts from.
    this.selected = new Set();
    this.anchor = null;
    this.selections = 0;
    this.header = h("div", { class: "data-head", role: "row" });
    this.body = h("div", { class: "data-rows", role: "rowgroup" });
    this.space = h("div", { class: "data-space" }, this.body);
    this.scroller = h("div", {
      class: "data-grid", role: "grid", tabIndex: 0, id: "grid", "aria-label": "Objects", "aria-multiselectable": "true", onscroll: () => this.render(),
      onkeydown: (event) => this.key(event),
    }, this.header, this.space);
    host.replaceChildren(this.scroller);
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.scroller);
  }

  /// Shows a query; the rows that are read already stay in sight until the new ones are there.
  async show(query, row = 0, column = 0) {
    this.query = query;
    this.entity = entityNamed(query.entity);
    this.columns = [
      ...(this.entity.hasSubentities ? [{ name: "Entity", kind: "entity", width: 120 }] : []),
      { name: "ID", kind: "key", width: 84 },
      ...this.entity.properties.map((property, index) => ({ ...property, index, width: columnWidth(property) })),
    ];
    this.row = row;
    this.column = Math.min(column, this.columns.length - 1);
    await this.reload(true);
    this.scrollTo(this.row);
    this.select(this.row, this.column);
  }

  /// Reads the rows in sight anew.
  async reload(isFirst = false) {
    const generation = ++this.generation;
    const uri = isFirst ? null : this.selectedRow?.uri;
    const page = Math.floor((isFirst ? this.row : this.first()) / pageSize);
    const reply = await ask({ rows: { query: this.query, offset: page * pageSize, limit: pageSize } });
    if (generation !== this.generation) return reply;
    // A store that is locked for a while leaves what was read in sight.
    if (reply.problem && !isFirst && this.pages) {
      this.actions.onproblem(reply.problem, false);
      return reply;
    }
    this.pages = new Map();
    this.waiting = new Set();
    if (reply.problem) {
      this.total = 0;
      this.actions.onproblem(reply.problem, isFirst);
    } else {
      this.total = reply.page.total;
      this.pages.set(page, reply.page.rows);
      this.actions.ontotal(this.total);
    }
    if (!isFirst) this.row = this.rowOf(uri) ?? Math.min(this.row, Math.max(0, this.total - 1));
    this.drawHeader();
    this.render();
    return reply;
  }

  /// The row of an object, if it is among those that were read: objects move when others come or go.
  rowOf(uri) {
    if (!uri || this.rowAt(this.row)?.uri === uri) return undefined;
    for (const [page, rows] of this.pages) {
      const index = rows.findIndex((row) => row.uri === uri);
      if (index >= 0) return page * pageSize + index;
    }
    return undefined;
  }

  get template() { return this.columns.map((column) => `${column.width}px`).join(" "); }

  drawHeader() {
    const width = this.columns.reduce((sum, column) => sum + column.width, 0);
    this.space.style.height = `${Math.min(this.total * rowHeight, maximumHeight)}px`;
    this.space.style.width = this.header.style.width = this.body.style.width = `${width}px`;
    this.header.style.gridTemplateColumns = this.template;
    this.scroller.setAttribute("aria-rowcount", String(this.total + 1));
    this.header.replaceChildren(...this.columns.map((column) => {
      const keys = this.query.sort ?? [];
      const sortIndex = keys.findIndex((one) => one.key === column.name || one.key.startsWith(`${column.name}.`));
      const isSorted = column.kind === "key" ? keys.length === 0 : sortIndex >= 0;
      const direction = isSorted && keys[sortIndex]?.isDescending ? "descending" : "ascending";
      const canSort = column.isSortable || column.sortFields || column.kind === "key";
      const by = column.sortNote ? ` by ${column.sortNote}` : column.sortFields ? " by an element" : "";
      // ARIA has a sort direction for one column; the others tell theirs in words.
      return h("div", {
        role: "columnheader", class: isNumeric(column) ? "right" : "", "aria-sort": isSorted && sortIndex < 1 ? direction : null,
        title: column.type ?? column.name,
      }, h("button", {
        tabIndex: -1, disabled: !canSort, onclick: (event) => this.actions.onsort(column, event.shiftKey),
        title: canSort ? `Sort${by}; with Shift, sort by this column, too` : null,
        "aria-label": sortIndex > 0 ? `${column.name}, sort column ${sortIndex + 1}, ${direction}` : null,
      }, keys[sortIndex]?.key ?? column.name, isSorted && h("span", { class: "arrow" }, direction === "descending" ? " ▼" : " ▲", keys.length > 1 && String(sortIndex + 1))));
    }));
  }

  get visibleCount() { return Math.max(1, Math.floor((this.scroller.clientHeight - rowHeight) / rowHeight)); }

  get isScaled() { return this.total * rowHeight > maximumHeight; }

  first() {
    const top = this.scroller.scrollTop;
    if (!this.isScaled) return Math.floor(top / rowHeight);
    const range = maximumHeight - (this.scroller.clientHeight - rowHeight);
    return Math.round(Math.min(1, top / range) * Math.max(0, this.total - this.visibleCount));
  }

  scrollTo(row) {
    const first = this.first();
    let target = first;
    if (row < first) target = row;
    else if (row >= first + this.visibleCount) target = row - this.visibleCount + 1;
    else return;
    if (!this.isScaled) this.scroller.scrollTop = target * rowHeight;
    else {
      const range = maximumHeight - (this.scroller.clientHeight - rowHeight);
      this.scroller.scrollTop = target / Math.max(1, this.total - this.visibleCount) * range;
    }
  }

  rowAt(index) { return this.pages?.get(Math.floor(index / pageSize))?.[index % pageSize]; }

  /// Draws the rows in sight, and reads those that are missing.
  render() {
    if (!this.pages) return;
    const first = Math.max(0, this.first());
    const last = Math.min(this.total, first + this.visibleCount + 2);
    this.body.style.transform = `translateY(${this.isScaled ? this.scroller.scrollTop : first * rowHeight}px)`;
    const rows = [];
    for (let index = first; index < last; index++) rows.push(this.drawRow(index));
    this.body.replaceChildren(...rows);
    // The current cell may be out of sight.
    const current = `cell-${this.row}-${this.column}`;
    if (document.getElementById(current)) this.scroller.setAttribute("aria-activedescendant", current);
    else this.scroller.removeAttribute("aria-activedescendant");
    this.need(first, last);
  }

  need(first, last) {
    clearTimeout(this.timer);
    const missing = [];
    for (let page = Math.floor(first / pageSize); page * pageSize < last; page++) {
      if (!this.pages.has(page) && !this.waiting.has(page)) missing.push(page);
    }
    if (missing.length) this.timer = setTimeout(() => missing.forEach((page) => this.read(page)), 40);
  }

  async read(page) {
    const generation = this.generation;
    this.waiting.add(page);
    const reply = await ask({ rows: { query: this.query, offset: page * pageSize, limit: pageSize } });
    if (generation !== this.generation) return;
    this.waiting.delete(page);
    if (reply.problem) return notify(words(reply.problem), true);
    this.pages.set(page, reply.page.rows);
    // Pages far away are read again when they are needed.
    if (this.pages.size > 60) this.pages.delete(this.pages.keys().next().value);
    this.render();
    if (Math.floor(this.row / pageSize) === page) this.actions.onselect(this.rowAt(this.row), this.columns[this.column]);
  }

  drawRow(index) {
    const row = this.rowAt(index);
    const isSelected = this.selected.size ? this.selected.has(row?.uri) : index === this.row;
    const element = h("div", {
      class: `data-row${index % 2 ? " odd" : ""}${row?.change ? ` ${row.change}` : ""}${isSelected ? " selected" : ""}`,
      role: "row", "aria-rowindex": String(index + 2), "aria-selected": String(isSelected),
    });
    element.style.gridTemplateColumns = this.template;
    if (!row) {
      element.append(h("div", { class: "dim" }, "…"));
      return element;
    }
    if (row.isMissing) {
      element.append(h("div", { class: "dim gone" }, `${row.key}: deleted meanwhile`));
      return element;
    }
    element.append(...this.columns.map((column, number) => this.drawCell(row, index, column, number)));
    return element;
  }

  drawCell(row, index, column, number) {
    const cell = column.kind === "entity" ? { kind: "text", text: row.entity }
      : column.kind === "key" ? { kind: "text", text: row.key || "new" } : row.cells[column.index];
    const [error] = invalidValues(row.uri, column.name);
    const found = findingsOf(row.uri, column.index === undefined ? null : column.name);
    const isCurrent = index === this.row && number === this.column;
    return h("div", {
      role: "gridcell", id: `cell-${index}-${number}`, title: error?.message ?? (found.length ? findingMessages(found) : cell.kind === "text" ? cell.text : ""),
      class: `${isNumeric(column) ? "right " : ""}${isCurrent ? "current " : ""}${error ? "invalid" : found.length ? "found" : ""}`, "aria-invalid": error ? "true" : null,
      onpointerdown: (event) => this.press(event, index, number),
      ondblclick: () => this.actions.onedit(row, column),
    }, column.kind === "key" && findingMark(row.uri), cellContent(cell, {
      uri: row.uri, key: column.name, follow: (uri) => this.actions.onfollow(uri), open: () => this.actions.onopen(row, column),
      view: () => this.actions.onview(row, column),
    }));
  }

  /// What a click on a cell selects: with Shift, the rows up to there; with Ctrl, this row, too.
  press(event, row, column) {
    if (event.button !== 0) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.scroller.focus();
      if (event.shiftKey) this.extend(row);
      else this.toggle(row);
      this.select(row, column, false);
    } else if (this.selected.size || row !== this.row || column !== this.column) {
      this.deselect();
      this.select(row, column, false);
    }
  }

  /// Ends the selection of several rows.
  deselect() {
    this.selections += 1;
    this.selected.clear();
    this.anchor = null;
  }

  /// Adds a row to the selection, or takes it out.
  toggle(index) {
    const uri = this.rowAt(index)?.uri;
    if (!uri) return;
    this.selections += 1;
    const old = this.selectedRow?.uri;
    if (this.selected.size === 0 && old && index !== this.row) this.selected.add(old);
    if (this.selected.has(uri)) this.selected.delete(uri);
    else this.selected.add(uri);
    this.anchor = index;
  }

  /// Selects the rows from where the selection started to a row; their URIs are read if they are not in sight.
  async extend(to) {
    const number = ++this.selections;
    const target = Math.max(0, Math.min(this.total - 1, to));
    this.anchor ??= this.row;
    const first = Math.min(this.anchor, target);
    const limit = Math.abs(this.anchor - target) + 1;
    if (limit > db.state.rowLimit) {
      notify(`At most ${db.state.rowLimit.toLocaleString("en")} rows can be selected; the list has ${this.total.toLocaleString("en")}.`, true);
      return;
    }
    const rows = Array.from({ length: limit }, (_, index) => this.rowAt(first + index));
    let uris = rows.filter((row) => row && !row.isMissing).map((row) => row.uri);
    if (rows.some((row) => !row)) {
      const reply = await ask({ uris: { query: this.query, offset: first, limit } });
      if (number !== this.selections) return;
      if (reply.problem) {
        notify(words(reply.problem), true);
        return;
      }
      uris = reply.uris;
    }
    this.selected = new Set(uris);
    this.render();
    this.actions.onselect(this.selectedRow, this.selectedColumn);
  }

  /// Selects a cell.
  select(row, column, scrolls = true) {
    if (this.total === 0) return this.actions.onselect(null, null);
    this.row = Math.max(0, Math.min(this.total - 1, row));
    this.column = Math.max(0, Math.min(this.columns.length - 1, column));
    const entry = current();
    if (entry) Object.assign(entry, { row: this.row, column: this.column });
    if (scrolls) {
      this.scrollTo(this.row);
      const left = this.columns.slice(0, this.column).reduce((sum, one) => sum + one.width, 0);
      const width = this.columns[this.column].width;
      if (left < this.scroller.scrollLeft) this.scroller.scrollLeft = left;
      else if (left + width > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = left + width - this.scroller.clientWidth;
    }
    // A click on a cell's button must find the button: it comes after this.
    if (scrolls) this.render();
    else requestAnimationFrame(() => setTimeout(() => this.render(), 150));
    this.actions.onselect(this.rowAt(this.row), this.columns[this.column]);
  }

  get selectedRow() { return this.rowAt(this.row); }

  get selectedColumn() { return this.columns?.[this.column]; }

  key(event) {
    if (event.target !== this.scroller || !this.columns) return;
    const command = event.ctrlKey || event.metaKey;
    const move = (row, column) => {
      event.preventDefault();
      if (!event.shiftKey) this.deselect();
      else if (row !== this.row) this.extend(row);
      this.select(row, column);
    };
    switch (event.key) {
      case "ArrowDown": return move(this.row + 1, this.column);
      case "ArrowUp": return move(this.row - 1, this.column);
      case "ArrowRight": return move(this.row, this.column + 1);
      case "ArrowLeft": if (!event.altKey) move(this.row, this.column - 1); return;
      case "PageDown": return move(this.row + this.visibleCount, this.column);
      case "PageUp": return move(this.row - this.visibleCount, this.column);
      case "Home": return command ? move(0, this.column) : move(this.row, 0);
      case "End": return command ? move(this.total - 1, this.column) : move(this.row, this.columns.length - 1);
      case "Enter": case "F2": {
        const row = this.selectedRow;
        if (!row || row.isMissing) return;
        event.preventDefault();
        return this.enter(row, this.selectedColumn, event.key === "F2");
      }
      case "Delete": return this.actions.ondelete();
      case " ": {
        event.preventDefault();
        this.toggle(this.row);
        return this.select(this.row, this.column);
      }
      case "a": case "A": {
        if (!command || this.total === 0) return;
        event.preventDefault();
        this.anchor = 0;
        return this.extend(this.total - 1);
      }
      case "Escape": {
        if (this.selected.size === 0) return;
        this.deselect();
        return this.select(this.row, this.column);
      }
      case "s": case "S": if (!command && !event.altKey && this.selectedColumn) this.actions.onsort(this.selectedColumn, event.shiftKey); return;
      default:
    }
  }

  /// Follows what the current cell leads to, or edits it.
  enter(row, column, edits) {
    const cell = row.cells[column.index];
    if (!edits && cell?.kind === "link") return this.actions.onfollow(cell.uri);
    if (!edits && cell?.kind === "count") return this.actions.onopen(row, column);
    if (!edits && cell?.kind === "bytes") return this.actions.onview(row, column);
    this.actions.onedit(row, column);
  }
}
