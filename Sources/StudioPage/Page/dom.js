// Elements without markup: every text becomes a text node.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && name !== "list" && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

const shown = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/// Replaces what is in an element; lists are flattened, and what is not there is left out.
export const fill = (element, ...children) => element.replaceChildren(...shown(children));

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

/// Calls a function once a while after the last call.
export function debounce(delay, body) {
  let timer;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...parameters), delay);
  };
}
