// Elements without markup: every text becomes a text node.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && name !== "list" && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
    // What a field was made with tells whether something has been typed since.
    if (name === "value" && "defaultValue" in element) element.defaultValue = value;
  }
  element.append(...shown(children));
  return element;
}

const shown = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/// Replaces what is in an element; lists are flattened, and what is not there is left out.
export const fill = (element, ...children) => element.replaceChildren(...shown(children));

/// Replaces what is in a part of the page while the user may be typing there: the element with the focus keeps it, by its ID, with the
/// caret and with text that has not been sent yet.
export function refill(part, ...children) {
  const old = part.contains(document.activeElement) ? document.activeElement : null;
  const isText = old?.selectionStart !== undefined && old.selectionStart !== null;
  const typed = isText && old.value !== old.defaultValue ? old.value : null;
  const range = isText ? [old.selectionStart, old.selectionEnd, old.selectionDirection] : null;
  // A field that is removed may lose the focus before or after; neither sends the text.
  if (typed !== null) old.value = old.defaultValue;
  fill(part, ...children);
  const next = old?.id ? byID(old.id) : null;
  next?.focus();
  if (next?.setSelectionRange && range) {
    if (typed !== null) next.value = typed;
    next.setSelectionRange(...range);
  } else if (typed !== null) {
    // The field is gone: what was typed counts.
    old.value = typed;
    old.dispatchEvent(new Event("blur"));
  }
}

/// Sends a field's text when the field is left or, if it has one line, Return is pressed; Escape takes back what was typed.
export function commits(field, send, onescape = () => field.blur()) {
  const commit = () => {
    if (field.value === field.defaultValue) return;
    field.defaultValue = field.value;
    send(field.value);
  };
  field.addEventListener("blur", commit);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.tagName !== "TEXTAREA") {
      event.preventDefault();
      commit();
    }
    if (event.key === "Escape") {
      field.value = field.defaultValue;
      event.stopPropagation();
      onescape();
    }
  });
  return field;
}

/// Whether a field is being typed in, other than the search field.
export const isTyping = () => ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName)
  && document.activeElement.type !== "checkbox" && document.activeElement.id !== "search";

export const byID = (id) => document.getElementById(id);

/// A select that makes its options when it is needed: hundreds of rows with hundreds of entities stay cheap.
export function lazySelect({ value, options, onchange, label, disabled, none = "" }) {
  const select = h("select", { "aria-label": label, disabled });
  const fill = () => {
    if (select.dataset.filled) return;
    select.dataset.filled = "1";
    const list = options();
    if (!list.some((option) => option.value === value)) list.unshift({ value, text: value });
    select.replaceChildren(...list.map((option) => h("option", { value: option.value }, option.text)));
    select.value = value;
  };
  select.append(h("option", { value }, value === "" ? none : value));
  for (const event of ["focus", "pointerdown", "mousedown"]) select.addEventListener(event, fill);
  select.addEventListener("change", () => onchange(select.value));
  return select;
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

/// Calls a function once a while after the last call.
export function debounce(delay, body) {
  let timer;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...parameters), delay);
  };
}
