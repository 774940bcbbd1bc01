// Small helpers to make parts of the page.

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

/** A text whose line breaks stand, as a region that a keyboard can scroll. */
export function block(text, label, kind = "") {
  return make("pre", { class: `text ${kind}`, tabindex: "0", role: "region", "aria-label": label }, text);
}

/** A control with its label. */
export function field(id, label, control) {
  control.id = id;
  return make("div", { class: "field" }, make("label", { for: id }, label), control);
}

/** A list to choose from: groups of [value, text]. */
export function choice(groups, chosen) {
  const option = ([value, text]) => {
    const made = make("option", { value }, text);
    made.selected = value === chosen;
    return made;
  };
  const parts = groups.map(({ label, options }) =>
    label ? make("optgroup", { label }, options.map(option)) : options.map(option),
  );
  return make("select", {}, parts);
}

/** Diagnostics as they are printed. */
export function complaints(diagnostics) {
  return diagnostics.map(({ text, isError }) =>
    block(text, isError ? "A mistake" : "A warning", isError ? "complaint" : "warning"),
  );
}

/** Text in which `words` are code. */
export function prose(text) {
  return text.split("`").map((part, at) => (at % 2 === 1 ? make("code", {}, part) : part.replaceAll("*", "")));
}
