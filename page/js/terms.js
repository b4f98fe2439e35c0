// Terms of the glossary, explained where they stand: on hover, on focus, and to screen readers.
import {h, newId} from './dom.js';
import glossary from 'glossary';

// Words of sentences, and the entry of docs/glossary.md that explains them.
const words = {
  'alignment': 'alignment', 'aligned': 'alignment', 'accumulator': 'accumulator, c, d', 'block': 'block', 'blocks': 'block',
  'truncated': 'truncate', 'truncates': 'truncate', 'truncate': 'truncate', 'rounding mode': 'rounding mode',
  'ulp': 'ulp', 'subnormal': 'FTZ, flush', 'carry bits': 'carry bits', 'common exponent': 'common exponent, E',
  'pattern': 'pattern', 'patterns': 'pattern', 'vector': 'vector', 'vectors': 'vector', 'catalogue': 'catalogue',
  'notation': 'accumulation tree, tree', 'accumulation tree': 'accumulation tree, tree', 'unit': 'unit', 'units': 'unit',
  'equivalent': 'equivalence', 'witness': 'witness', 'scales': 'scale, scale block', 'fuse': 'fuse', 'floor': 'floor',
  'FMA': 'FMA', 'sticky': 'guard, sticky', 'significand': 'significand', 'ground': 'ground', 'F': 'F, F2',
};
const pattern = new RegExp(`(?<![\\w-])(${Object.keys(words).sort((a, b) => b.length - a.length).join('|')})(?![\\w-])`, 'g');

let bubble = null;
function show(event) {
  const term = event.currentTarget;
  hide();
  bubble = h('div', {class: 'bubble', role: 'tooltip', id: newId('bubble')}, glossary[term.dataset.term]);
  document.body.append(bubble);
  term.setAttribute('aria-describedby', bubble.id);
  const box = term.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left), innerWidth - bubble.offsetWidth - 8);
  const below = box.bottom + 6 + bubble.offsetHeight < innerHeight;
  bubble.style.left = `${left + scrollX}px`;
  bubble.style.top = `${(below ? box.bottom + 6 : box.top - bubble.offsetHeight - 6) + scrollY}px`;
}
function hide() {
  if (bubble) bubble.remove();
  bubble = null;
}
addEventListener('keydown', event => { if (event.key === 'Escape') hide(); });

/** One term of the glossary, with these words. */
export function term(text, entry = words[text]) {
  if (!glossary[entry]) return text;
  return h('span', {class: 'term', tabindex: '0', 'data-term': entry, onmouseenter: show, onfocus: show, onmouseleave: hide, onblur: hide}, text);
}

/** A sentence with its terms explained, each the first time that it stands there. */
export function withTerms(text) {
  const seen = new Set(), parts = [];
  let at = 0;
  for (const m of text.matchAll(pattern)) {
    const entry = words[m[1]];
    if (seen.has(entry) || !glossary[entry]) continue;
    seen.add(entry);
    parts.push(text.slice(at, m.index), term(m[1], entry));
    at = m.index + m[1].length;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Explains the terms of the page's own text: elements with `data-terms`. */
export function explainTerms(root) {
  for (const element of root.querySelectorAll('[data-terms]')) element.replaceChildren(...withTerms(element.textContent));
}
