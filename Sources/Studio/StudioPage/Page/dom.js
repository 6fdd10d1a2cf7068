// Elements without markup: every text becomes a text node.

/// Makes an element. Of the properties, `key` identifies the element when its part is drawn again, and `on…` are handlers.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) listen(element, name.slice(2), value);
    else if (name === "key") element.key = String(value);
    else if (name === "class") element.className = value;
    else if (name in element && name !== "list" && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

/// Sets what happens at an event; drawing the element again replaces it.
export function listen(element, type, handler) {
  element.handlers ??= {};
  if (!(type in element.handlers)) element.addEventListener(type, (event) => element.handlers[type]?.(event));
  element.handlers[type] = handler;
}

const shown = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/// Lets an element receive what is dragged, while `fits` says so.
export function acceptDrops(element, fits, drop) {
  listen(element, "dragover", (event) => {
    if (!fits()) return;
    event.preventDefault();
    element.classList.add("drop");
  });
  listen(element, "dragleave", () => element.classList.remove("drop"));
  listen(element, "drop", (event) => {
    element.classList.remove("drop");
    if (!fits()) return;
    event.preventDefault();
    drop();
  });
}

const sendDrag = (element, type) => element?.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }));

/// What is touched, and by which pointer: `{ id, x, y, isDragged, over }`.
let touch = null;

/// The handlers that let a draggable handle be dragged by touch, or with a pen: browsers need not send events of drags for these.
export const touchDrag = {
  onpointerdown: ({ pointerType, pointerId: id, clientX: x, clientY: y }) => {
    touch = pointerType === "mouse" ? null : { id, x, y, isDragged: false, over: null };
  },
  onpointermove({ currentTarget, pointerId, clientX: x, clientY: y }) {
    if (touch?.id !== pointerId) return;
    if (!touch.isDragged) {
      if (Math.hypot(x - touch.x, y - touch.y) < 5) return;
      touch.isDragged = true;
      sendDrag(currentTarget, "dragstart");
    }
    const over = document.elementFromPoint(x, y);
    if (over !== touch.over) sendDrag(touch.over, "dragleave");
    touch.over = over;
    sendDrag(over, "dragover");
  },
  onpointerup(event) { endTouch(event.currentTarget, "drop"); },
  onpointercancel(event) { endTouch(event.currentTarget, "dragleave"); },
};

function endTouch(handle, type) {
  const ended = touch;
  touch = null;
  if (!ended?.isDragged) return;
  sendDrag(ended.over, type);
  sendDrag(handle, "dragend");
}

/// Replaces what is in an element; lists are flattened, and what is not there is left out.
export const fill = (element, ...children) => element.replaceChildren(...shown(children));

/// Draws a part of the page again. Elements that are still there stay, found by their key or ID, or by their position among those without:
/// nothing that has the focus is removed or moved, and what is being typed is left alone.
export function refill(part, ...children) {
  patchChildren(part, shown(children).map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
}

/// What the page adds to elements, other than fields and handlers.
const own = ["key", "steps", "makeOptions", "isFilled"];

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.key ?? (node.id || null) : null);
const fits = (old, next) => old.nodeName === next.nodeName && !old.field === !next.field && old.type === next.type;

function patchChildren(parent, nodes) {
  const keyed = new Map();
  const plain = [];
  for (const child of parent.childNodes) {
    const key = keyOf(child);
    if (key !== null && !keyed.has(key)) keyed.set(key, child);
    else plain.push(child);
  }
  let nextPlain = 0;
  const ordered = nodes.map((next) => {
    const key = keyOf(next);
    let old;
    if (key === null) {
      const index = plain.findIndex((one, number) => number >= nextPlain && keyOf(one) === null && fits(one, next));
      if (index >= 0) {
        old = plain[index];
        nextPlain = index + 1;
      }
    } else {
      old = keyed.get(key);
      keyed.delete(key);
    }
    if (!old || !fits(old, next)) return next;
    patch(old, next);
    return old;
  });
  const kept = new Set(ordered);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) remove(child);
  // The child with the focus stays where it is, and the others are placed around it.
  const fixed = Math.max(0, ordered.findIndex((child) => child.contains(document.activeElement)));
  if (ordered.length === 0) return;
  if (ordered[fixed].parentNode !== parent) parent.prepend(ordered[fixed]);
  for (let index = fixed - 1; index >= 0; index--) {
    if (ordered[index].nextSibling !== ordered[index + 1]) parent.insertBefore(ordered[index], ordered[index + 1]);
  }
  for (let index = fixed + 1; index < ordered.length; index++) {
    if (ordered[index].previousSibling !== ordered[index - 1]) ordered[index - 1].after(ordered[index]);
  }
}

/// Removes a node. Browsers may tell a field that it loses the focus; what was typed in it is not sent.
function remove(node) {
  if (node.contains(document.activeElement)) document.activeElement.field?.abandon();
  node.remove();
}

function patch(old, next) {
  if (old === next) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    // Whether details are open is up to the user.
    if (!next.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (name === "style") old.style.cssText = next.style.cssText;
    else if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of own) if (name in next) old[name] = next[name];
  for (const type of Object.keys(old.handlers ?? {})) old.handlers[type] = null;
  for (const [type, handler] of Object.entries(next.handlers ?? {})) listen(old, type, handler);
  if (old.field) return old.field.update(next.field);
  if (old.nodeName === "SELECT" && old === document.activeElement) fillOptions(next);
  patchChildren(old, [...next.childNodes]);
  showValue(old, old.nodeName === "SELECT" ? next.value : old.type === "checkbox" ? next.checked : undefined);
  if (old.type === "checkbox") old.indeterminate = next.indeterminate;
}

/// Shows the value of a select or checkbox, once the answers to all of its edits are there.
function showValue(control, value) {
  if (value === undefined) return;
  control.latest = value;
  if (control.pending) return;
  if (control.type === "checkbox") control.checked = value;
  else control.value = value;
}

/// Returns the handler of a select or checkbox that sends its value. Until the answer is there, it shows what was chosen.
export const sends = (send) => (event) => {
  const control = event.currentTarget;
  control.pending = (control.pending ?? 0) + 1;
  return Promise.resolve(send(control.type === "checkbox" ? control.checked : control.value)).finally(() => {
    control.pending -= 1;
    showValue(control, control.latest);
  });
};

/// Returns a text with the line breaks that it had before it was edited in a control, which has only line feeds.
export function withLineBreaks(original, typed) {
  const plain = original.replace(/\r\n?/g, "\n");
  if (plain === original) return typed;
  let start = 0;
  while (start < plain.length && start < typed.length && plain[start] === typed[start]) start++;
  let end = 0;
  while (end < plain.length - start && end < typed.length - start && plain[plain.length - 1 - end] === typed[typed.length - 1 - end]) end++;
  // Where the characters of the plain text are in the original.
  const offsets = [];
  for (let index = 0; index < original.length; index++) {
    offsets.push(index);
    if (original[index] === "\r" && original[index + 1] === "\n") index++;
  }
  offsets.push(original.length);
  const [lineBreak] = /\r\n?|\n/.exec(original);
  return original.slice(0, offsets[start]) + typed.slice(start, typed.length - end).replaceAll("\n", lineBreak)
    + original.slice(offsets[plain.length - end]);
}

/// A control for a text. It sends the text if it was edited, when the control is left or, if it has one line, Return is pressed; Escape
/// discards what was typed.
export class Field {
  /// Fills a control. `onreturn`, `onescape` and `onleave` are called after that.
  constructor(control, text, send, actions = {}) {
    Object.assign(this, { control, send, actions, pending: 0, isGone: false });
    this.show(text);
    control.field = this;
    control.addEventListener("blur", () => {
      // The window was left, and not the control.
      if (document.activeElement === control || this.isGone) return;
      this.commit();
      this.actions.onleave?.();
    });
    control.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && control.tagName !== "TEXTAREA" && !event.isComposing) {
        event.preventDefault();
        this.commit();
        this.actions.onreturn?.();
      }
      if (event.key === "Escape") {
        control.value = this.shown;
        event.stopPropagation();
        if (this.actions.onescape) this.actions.onescape();
        else control.blur();
      }
    });
  }

  /// Shows a text of the model.
  show(text) {
    this.text = this.latest = text;
    this.control.value = text;
    // Controls drop line breaks, or change them.
    this.shown = this.control.value;
  }

  get isEdited() { return this.control.value !== this.shown; }

  commit() {
    if (this.isGone || !this.isEdited) return;
    const [text, shown] = [this.text, this.shown];
    this.shown = this.control.value;
    this.text = withLineBreaks(text, this.shown);
    this.pending += 1;
    Promise.resolve(this.send(this.text)).then((reply) => {
      this.pending -= 1;
      // What the server may not have got is still to be sent.
      if (reply?.isUnanswered) Object.assign(this, { text, shown });
      else this.follow();
    });
  }

  /// Takes over what the model has now. What is being typed, or awaits its answer, is left alone.
  update({ send, actions, text }) {
    Object.assign(this, { send, actions, latest: text });
    this.follow();
  }

  follow() {
    if (this.pending === 0 && !this.isEdited && this.latest !== this.text) this.show(this.latest);
  }

  /// Never sends anything again.
  abandon() { this.isGone = true; }
}

/// Makes a field. A text of several lines gets a control that shows them.
export function textField(text, properties, send, actions) {
  const isLong = properties.rows || /[\r\n]/.test(text);
  const control = h(isLong ? "textarea" : "input", { spellcheck: false, ...(isLong ? { rows: 2 } : {}), ...properties });
  new Field(control, text, send, actions);
  return control;
}

/// Sends what was typed so far, before the page turns to something else.
export const commitActive = () => document.activeElement?.field?.commit();

/// Leaves the element with the focus, so that keys that are pressed until an answer is there do nothing.
export const park = () => document.activeElement?.blur?.();
export const isParked = () => document.activeElement === document.body;

/// Whether a field is being typed in, other than the search field.
export const isTyping = () => ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName)
  && document.activeElement.type !== "checkbox" && document.activeElement.id !== "search";

/// Whether a list has the focus: letters choose in it, and shortcuts with Alt or Ctrl are not its own.
export const isInList = () => document.activeElement?.tagName === "SELECT";

export const byID = (id) => document.getElementById(id);

/// A select that makes its options when it is needed: hundreds of rows with hundreds of entities stay cheap.
export function lazySelect({ value, options, onchange, label, disabled, none = "", key }) {
  const fill = (event) => fillOptions(event.currentTarget);
  const select = h("select", {
    key, "aria-label": label, disabled, onfocus: fill, onpointerdown: fill, onmousedown: fill, onchange: sends(onchange),
  }, h("option", { value, key: value }, value === "" ? none : value));
  select.makeOptions = options;
  select.isFilled = false;
  return select;
}

function fillOptions(select) {
  if (!select.makeOptions || select.isFilled) return;
  select.isFilled = true;
  const { value } = select;
  const list = select.makeOptions();
  if (!list.some((option) => option.value === value)) list.unshift({ value, text: value });
  select.replaceChildren(...list.map((option) => h("option", { value: option.value, key: option.value }, option.text)));
  select.value = value;
}

let requests = 0;

/// Marks the page as busy until the answer to a request is shown.
export function busy(request) {
  requests += 1;
  document.body.ariaBusy = "true";
  const done = () => {
    requests -= 1;
    if (requests === 0) document.body.ariaBusy = "false";
  };
  // After the steps that wait for the same answer.
  request.then(() => setTimeout(done), () => setTimeout(done));
  return request;
}

/// Calls a function once, some time after the last call.
export function debounce(delay, body) {
  let timer;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...parameters), delay);
  };
}
