// Elements, without a library: h('p', {class: 'why'}, 'text', child) makes one.

const svgNamespace = 'http://www.w3.org/2000/svg';

function make(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child);
  }
}

/** An HTML element. Attributes that are null, undefined or false are left out; `onclick` and its like are listeners. */
export function h(name, attributes, ...children) {
  return make(document.createElement(name), attributes, children);
}

/** An element of SVG. */
export function s(name, attributes, ...children) {
  return make(document.createElementNS(svgNamespace, name), attributes, children);
}

/** Puts these children in the place of all that an element has. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

let made = 0;
/** A name for an element that no other has. */
export function newId(prefix) {
  return `${prefix}-${++made}`;
}

/** Calls `run` when `wait` milliseconds have gone by without another call. */
export function afterPause(wait, run) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), wait);
  };
}

/** Gives the reader a file. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  const link = h('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
