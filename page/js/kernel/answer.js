// What a kernel computes, as `show` says it: its schedule and which unit that is, or its terms, and what its code leaves open.
import {h} from '../dom.js';
import {address} from '../address.js';
import {shapeOf} from '../units.js';
import {copyButton} from '../take.js';
import {isChain, meaning, parts} from './schedule.js';
import catalogue from 'catalogue';

const names = new Set(catalogue.units);
const number = n => n.toLocaleString('en');
const few = list => list.length > 5 ? `${list.slice(0, 4).join(', ')} and ${list.length - 4} more` : list.join(', ');

/** A term with its units as links, and the names of other terms marked. */
export function termText(text) {
  return text.split(/((?<![\w/])[a-z]\w*\/[\w.]+|(?<![\w.])t\d+(?![\w.]))/).map((part, i) => i % 2 === 0 ? part
    : names.has(part) ? h('a', {href: address('mine', {unit: part})}, part)
    : /^t\d+$/.test(part) ? h('b', {class: 'term-name'}, part) : part);
}

/** Terms as a table. @param values  of each, or nothing: [{value, number}] */
export function termTable(terms, label, values = null) {
  const row = (text, i) => {
    const m = /^(t\d+)(\[[^\]]*\])? = ([\s\S]*)$/.exec(text);
    return h('tr', null, h('th', {scope: 'row'}, m ? [h('b', {class: 'term-name'}, m[1]), m[2] || ''] : ''),
      h('td', null, h('code', null, termText(m ? m[3] : text)), values && values[i] ? h('div', {class: 'term-value'}, values[i]) : null));
  };
  return h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': label}, h('table', {class: 'terms'},
    h('thead', {class: 'hidden'}, h('tr', null, h('th', {scope: 'col'}, 'name'), h('th', {scope: 'col'}, 'is'))), h('tbody', null, terms.map(row))));
}

function schedule(text, unit) {
  const {unit: name, keys} = parts(text) || {unit: text, keys: []};
  const instruction = unit ? shapeOf(unit.tree)?.K || 0 : 0, products = unit && unit.products || [];
  const row = (key, ...what) => h('tr', null, h('th', {scope: 'row'}, h('code', null, key)), h('td', null, ...what));
  return [h('div', {class: 'notation'}, h('code', {tabindex: '0', role: 'group', 'aria-label': 'schedule'}, text), copyButton('Copy', text)),
    h('table', {class: 'terms keys'}, h('tbody', null,
      row('unit', names.has(name) ? h('a', {href: address('mine', {unit: name})}, name) : name, products.length ? `, the instruction of ${few(products)}` : '', '. ',
        h('a', {href: address('properties', {unit: name})}, 'What it cannot do')),
      keys.map(([key, value]) => row(`${key}=${value}`, meaning(key, value, instruction), key === 'K' && isChain(keys) ? ', one after the other' : ''))))];
}

/** What the code does not settle, a sentence each. */
function open(result) {
  const list = [];
  const pairs = result.contractible;
  if (pairs > 0) list.push(`${number(pairs)} ${pairs === 1 ? 'pair' : 'pairs'} of a product and a sum may be fused, or not, by what compiles this further: the bits are not settled.`);
  if (result.ordered_atomics) list.push('Atomic operations: the order of blocks is not the kernel’s; this is one of the orders.');
  if (result.uninterpreted.length) list.push(`Functions that are not defined to the last bit: ${result.uninterpreted.join(', ')}.`);
  if (result.reads_uninitialised > 0) list.push(`${number(result.reads_uninitialised)} values that no result needs come from bytes that nothing has written.`);
  for (const text of result.assumptions || []) list.push(`Assumed: ${text}.`);
  if (result.unwaited) list.push(`${result.unwaited}; PTX leaves it undefined, and the assembler is believed to wait.`);
  return list;
}

/** The results of `show --json`. @param units  what `show` says of each schedule's unit, by its name */
export function reading(json, units) {
  const results = json.results || [json];
  return results.map(result => {
    const left = open(result), trees = result.trees === 1 ? 'all of one tree' : `of ${number(result.trees)} trees`;
    const unit = result.kernel ? units[parts(result.kernel)?.unit] : null;
    const terms = termTable(result.terms, `Terms of ${result.result}`);
    return h('div', {class: 'result-of-kernel'},
      h('h3', null, result.result, h('span', {class: 'aside'}, ` ${number(result.elements)} elements, ${trees}`)),
      result.kernel ? [schedule(result.kernel, unit), h('details', null, h('summary', null, 'Its terms'), terms)]
        : [h('p', null, 'No schedule says it; its terms:'), terms,
           result.trees > 8 ? h('p', {class: 'remark'}, `These are the terms of the first eight trees; there are ${number(result.trees - 8)} others.`) : null],
      left.length ? h('ul', {class: 'open-points'}, left.map(text => h('li', null, text))) : null);
  });
}
