// "My unit": the parameters of one unit as sliders and menus beside its line of the notation, and what a change changes.
import {h, fill, afterPause} from '../dom.js';
import {combobox} from '../combobox.js';
import {Comparison} from '../comparison.js';
import {askJson, Stopped} from '../program.js';
import {completions, learn, shortName, showUnit, unitOf} from '../units.js';
import {term, withTerms} from '../terms.js';
import {formatMenu} from './two.js';
import {copyButton} from '../take.js';
import {modes} from '../modes.js';
import parameters from 'parameters';

const choices = Object.entries(modes).map(([mode, text]) => [mode, `${mode}, ${text}`]);
// What is shown first, in the order of a sum: [key, label, the glossary's entry].
const main = [
  ['F', 'F, bits kept below the common exponent', 'F, F2'], ['floor', 'floor, a lower bound of the common exponent', 'floor'],
  ['align', 'how terms are aligned', 'alignment'], ['round', 'how the result is rounded', 'rounding mode'],
  ['L', 'order: products added at once (L)', 'K, L'], ['c', 'when c joins', 'accumulator, c, d'],
];

export function mineView({state, replace}) {
  const current = {unit: state.unit || 'H100', format: state.format || 'f16', set: parse(state.set)};
  const comparison = new Comparison({group: 'mine', changed: keep, choose: (_, name) => { current.unit = box.value = name; current.set = {}; begin(); }});
  const box = combobox({label: 'Begin with', value: current.unit, suggest: completions, changed: value => { current.unit = value; current.set = {}; begin(); }});
  const menu = formatMenu(current.format, value => { current.format = value; current.set = {}; begin(); });
  const line = h('div', {class: 'notation', 'aria-live': 'polite'});
  const controls = h('div', {class: 'controls'});
  const more = h('div', {class: 'controls'});
  const trouble = h('p', {class: 'trouble', role: 'alert'});
  const changedSoon = afterPause(150, apply);
  const element = h('div', null,
    h('form', {class: 'boxes one', onsubmit: event => event.preventDefault()}, box.element, h('div', {class: 'format'}, h('label', null, h('span', {class: 'label-text'}, 'Format'), menu))),
    h('section', {class: 'card', 'aria-label': 'Parameters'}, h('h2', {class: 'small'}, 'Change it'), controls,
      h('details', null, h('summary', null, 'All other parameters'), more),
      h('h3', null, 'Its line of the ', term('notation', 'accumulation tree, tree')), line, trouble),
    comparison.element);
  let original = null;

  function parse(text) {
    const set = {};
    for (const part of (text || '').split(',')) { const i = part.indexOf('='); if (i > 0) set[part.slice(0, i)] = part.slice(i + 1); }
    return set;
  }
  const setText = () => Object.entries(current.set).map(([k, v]) => `${k}=${v}`).join(',');
  function keep() { replace({unit: current.unit, format: current.format, ...(setText() ? {set: setText()} : {}), ...comparison.state()}); }

  async function begin(given = null) {
    fill(trouble);
    try {
      await learn([current.unit], 'mine');
      original = await showUnit(unitOf(current.unit, current.format), 'mine');
    } catch (error) {
      if (error instanceof Stopped) return;
      fill(controls); fill(more); fill(line);
      comparison.say(error);
      return;
    }
    if (Object.keys(current.set).length === 0) suggestOne();
    drawControls();
    return apply(given);
  }

  // A first change, so that there is something to see: one bit less.
  function suggestOne() {
    const F = value('F');
    if (/^\d+$/.test(F) && Number(F) > 2) current.set.F = String(Number(F) - 1);
    else {
      const L = Number(value('L')), K = Number(value('K'));
      if (L > 1) current.set.L = String(smallerDivisor(K, L));
    }
  }
  const smallerDivisor = (K, L) => { for (let n = L - 1; n > 0; --n) if (K % n === 0) return n; return 1; };
  const original_value = key => { const p = original.parameters.find(x => x.key === key); return p ? p.value : ''; };
  const value = key => current.set[key] ?? original_value(key);

  function set(key, to) {
    if (to === original_value(key) || to === '') delete current.set[key]; else current.set[key] = to;
    markChanged();
    changedSoon();
  }
  function markChanged() {
    for (const row of element.querySelectorAll('[data-key]')) row.classList.toggle('changed', row.dataset.key in current.set);
  }

  function drawControls() {
    const known = new Map(original.parameters.map(p => [p.key, p]));
    fill(controls, main.filter(([key]) => known.has(key)).map(([key, label, entry]) => control(known.get(key), label, entry)));
    const shown = new Set(main.map(m => m[0]));
    fill(more, original.parameters.filter(p => !shown.has(p.key)).map(p => control(p, `${p.key}${parameters[p.key] ? `: ${parameters[p.key].meaning}` : ''}`, null)));
    markChanged();
  }

  function control(parameter, label, entry) {
    const {key} = parameter, from = `given by: ${parameter.evidence}${parameter.source ? `, ${parameter.source}` : ''}`;
    const was = h('span', {class: 'was'}, `was ${parameter.value}`);
    const name = h('span', {class: 'label-text'}, entry ? term(label, entry) : withTerms(label));
    let field;
    if (key === 'F') field = slider(key, -2, 40, 'exact', 'exact sum');
    else if (key === 'floor') field = slider(key, -300, 40, 'none', 'none');
    else if (key === 'L') {
      const K = Number(value('K')), divisors = [];
      for (let n = 1; n <= K; ++n) if (K % n === 0) divisors.push(String(n));
      field = choice(key, divisors.map(n => [n, n === String(K) ? `${n}: all at once` : `${n}: ${K / Number(n)} blocks, one after the other`]), label);
    } else if (key === 'c') field = choice(key, [['early', 'early: with the products'], ['late', 'late: after each block’s rounding'], ['last', 'last: once, at the end']], label);
    else if (key === 'align') field = choice(key, choices, label);
    else if (key === 'round') {
      const format = value('round').includes(':') ? value('round').split(':')[0] : '';
      field = choice(key, choices.map(([m, text]) => [format ? `${format}:${m}` : m, text]), label);
    } else {
      const words = (parameters[key]?.values || '').split(' ').filter(w => /^[a-z]+$/.test(w) && !['or', 'and', 'those', 'of', 'that', 'see'].includes(w));
      const simple = words.length > 0 && !/\b(n|HEX|MODE|FORMAT)\b|,/.test(parameters[key]?.values || '');
      field = simple ? choice(key, words.map(w => [w, w]), label)
        : h('input', {type: 'text', value: value(key), 'aria-label': label, size: 10, spellcheck: 'false', title: parameters[key]?.values || '', oninput: event => set(key, event.target.value.trim())});
    }
    return h('div', {class: 'control', 'data-key': key, title: from}, name, h('div', {class: 'field'}, field), was);
  }

  function choice(key, options, label) {
    const now = value(key);
    const all = options.some(([v]) => v === now) ? options : [[now, now], ...options];
    const select = h('select', {'aria-label': label, onchange: () => set(key, select.value)}, all.map(([v, text]) => h('option', {value: v}, text)));
    select.value = now;
    return select;
  }

  // A slider with a number beside it, and a box for the word that stands for no number.
  function slider(key, least, most, word, wordText) {
    const now = value(key), isWord = !/^-?\d+$/.test(now);
    const start = isWord ? (key === 'F' ? 24 : -133) : Number(now);
    const range = h('input', {type: 'range', min: least, max: most, step: 1, value: start, disabled: isWord, 'aria-label': `${key}, by slider`, oninput: () => { number.value = range.value; set(key, range.value); }});
    const number = h('input', {type: 'number', min: least, max: 5000, value: start, disabled: isWord, 'aria-label': key, oninput: () => { if (number.value !== '') { range.value = number.value; set(key, number.value); } }});
    const box = h('input', {type: 'checkbox', checked: isWord, onchange: () => { range.disabled = number.disabled = box.checked; set(key, box.checked ? word : number.value); }});
    return h('span', {class: 'slider'}, range, number, h('label', null, box, ` ${wordText}`));
  }

  // The new line, with what differs from the old one marked.
  function drawLine(tree) {
    const words = text => text.split(/(?<=[ (),\[\]])|(?=[ (),\[\]])/);
    const before = words(original.tree), after = words(tree);
    const same = lcs(before, after);
    fill(line, h('code', {tabindex: '0', role: 'group', 'aria-label': 'notation'}, after.map((w, i) => same.has(i) ? w : h('mark', null, w))), copyButton('Copy', tree));
  }

  async function apply(given = null) {
    fill(trouble);
    const base = unitOf(current.unit, current.format);
    const overrides = setText();
    const mine = overrides === '' ? base : join(base, overrides);
    try {
      const {json} = await askJson(['show', mine, '--json'], {group: 'mine'});
      drawLine(json.tree);
    } catch (error) {
      if (error instanceof Stopped) return;
      fill(trouble, error.message);
      fill(comparison.verdict); fill(comparison.body);
      keep();
      return;
    }
    keep();
    return comparison.compare([base, mine], [shortName(current.unit), 'your unit'], current.format, given && given.a ? given : null);
  }
  const join = (base, overrides) => {
    const m = /^(.*)\{([^{}]*)\}$/s.exec(base);
    return m ? `${m[1]}{${m[2]},${overrides}}` : `${base}{${overrides}}`;
  };
  return {element, start: () => begin(state.a ? state : null), comparison};
}

// The positions of `after` that a longest common subsequence with `before` has.
function lcs(before, after) {
  const n = before.length, m = after.length, length = Array.from({length: n + 1}, () => new Uint16Array(m + 1));
  for (let i = n; i-- > 0;) for (let j = m; j-- > 0;)
    length[i][j] = before[i] === after[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const kept = new Set();
  for (let i = 0, j = 0; i < n && j < m;) {
    if (before[i] === after[j]) { kept.add(j); ++i; ++j; } else if (length[i + 1][j] >= length[i][j + 1]) ++i; else ++j;
  }
  return kept;
}
