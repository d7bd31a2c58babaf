// Small helpers that make elements: a button, a labelled field, a list of choices.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(words, act, more = {}) {
  return element("button", { type: "button", class: "button small", onclick: act, ...more }, words);
}

export function icon(sign, name, act, disabled = false) {
  return element("button", { type: "button", class: "tool", title: name, "aria-label": name, onclick: act, disabled }, sign);
}

export function field(words, control) {
  return element("label", {}, words, " ", control);
}

export function select(options, chosen, act, more = {}) {
  const made = element("select", { onchange: () => act(made.value), ...more });
  for (const [value, words] of options) made.append(element("option", { value, selected: value === chosen }, words));
  return made;
}
