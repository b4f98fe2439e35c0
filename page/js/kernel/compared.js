// Whether two kernels give the same bits, as `same-bits` says it, and where they part, as `explain` does.
import {h} from '../dom.js';
import {digitsOf, layout} from '../formats.js';
import {bits, decimal, legend} from '../vector.js';
import {parse} from './launch.js';
import {termTable} from './answer.js';

/** The format of each array of a launch. */
export function formatsOf(launchText) {
  const launch = parse(launchText), formats = {};
  for (const a of [...(launch?.arguments || []), ...(launch?.buffers || [])]) if (a && (a.matrix || a.result)) formats[a.matrix || a.result] = a.format;
  return formats;
}
const arrayOf = operand => operand.slice(0, operand.indexOf('['));
const asNumber = (format, hex) => format && layout(format) ? decimal(format, hex).replace('-', '−') : '';

/**
 * @param json       of `same-bits --json`
 * @param labels     names of both in sentences
 * @param formats    of formatsOf()
 * @param explained  of `explain --json`, or null
 * @returns {verdict, details}: elements
 */
export function compared(json, labels, formats, explained) {
  const name = i => h('b', {class: i ? 'name-b' : 'name-a'}, labels[i]);
  const pair = [name(0), ' and ', name(1)];
  const out = [];
  if (json.verdict === 'same') {
    out.push(h('h2', {class: 'same'}, pair, ' give the same bits for all inputs'));
    out.push(h('p', null, `Why: ${json.by}. This is about the launch as it is described.`));
  } else if (json.verdict === 'different') {
    const v = json.vector;
    out.push(h('h2', {class: 'different'}, pair, ` give other bits in ${v.result}[${v.element.join(', ')}]`));
  } else {
    out.push(h('h2', {class: 'open'}, 'Not known: ', pair));
    out.push(h('p', null, `${json.by}.`));
  }
  if (json.stand_ins?.length) out.push(h('p', {class: 'remark'}, `The machine’s own functions ${json.stand_ins.join(', ')} are computed by stand-ins.`));
  return {verdict: out, details: json.vector ? [vector(json, name, formats), explained ? steps(explained, labels) : null] : []};
}

function vector(json, name, formats) {
  const v = json.vector, d = formats[v.result], ulp = json.apart?.ulp?.max;
  const one = i => h('div', {class: `result ${i ? 'b' : 'a'}`}, h('h3', null, name(i), ' gives'), h('output', {class: 'big'}, asNumber(d, v.d[i]) || v.d[i]),
    h('div', {class: 'pattern'}, h('code', null, v.d[i]), ' ', d ? bits(d, v.d[i], v.d[1 - i]) : ''));
  const operands = Object.entries(v.operands);
  return h('div', {class: 'pair-of-panels'},
    h('section', {class: 'card', 'aria-label': 'The operands'}, h('h3', null, 'On these operands', h('span', {class: 'aside'}, ' all others are +0')),
      h('div', {class: 'scroll operands', tabindex: '0', role: 'group', 'aria-label': 'Operands'}, h('table', {class: 'list'}, h('thead', null, h('tr', null, ['operand', 'pattern', 'number'].map(t => h('th', {scope: 'col'}, t)))),
        h('tbody', null, operands.map(([operand, hex]) => h('tr', null, h('th', {scope: 'row'}, operand), h('td', null, h('code', null, hex)), h('td', null, asNumber(formats[arrayOf(operand)], hex)))))))),
    h('section', {class: 'card results', 'aria-label': 'The results'}, one(0), one(1), ulp ? h('p', {class: 'distance'}, `${ulp} ulp apart.`) : null, legend()));
}

function steps(explained, labels) {
  const value = term => {
    const guessed = /^t\d+(?:\[[^\]]*\])? = [a-z]\w*\/\S+@\[/.test(term.term) && term.value.length === 8 ? 'f32' : /\.rn\.(b?f16)\.|[a-z]\.(f32)\(/.exec(term.term.split(' = ')[1] || '')?.slice(1).find(Boolean);
    const format = guessed && digitsOf(layout(guessed)) === term.value.length ? guessed : null;
    return `${term.of && !term.term.startsWith(`${term.of} =`) ? `${term.of} ` : ''}is ${term.value}${format ? ` (${asNumber(format, term.value)})` : ''}`;
  };
  return h('section', {class: 'card', 'aria-label': 'How both got there'}, h('h3', null, 'How both got there'),
    h('div', {class: 'pictures'}, explained.kernels.map((kernel, i) => h('div', null, h('h4', {class: i ? 'name-b' : 'name-a'}, labels[i]),
      termTable(kernel.terms.map(t => t.term), `Terms of ${labels[i]}, with their values`, kernel.terms.map(value))))));
}
