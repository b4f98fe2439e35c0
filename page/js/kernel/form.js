// The launch as a form: grid, block and what each parameter is. The text of its JSON is what counts; the form reads it,
// and a change of a field writes it anew.
import {h, fill} from '../dom.js';
import {isLong, kindOf, parse, write} from './launch.js';

const kinds = {matrix: 'an operand', result: 'a result', i32: 'a whole number (i32)', i64: 'a whole number (i64)', f32: 'a number (f32)', f64: 'a number (f64)',
  zeros: 'scratch memory, zero', pointer: 'a pointer into another', json: 'other, as JSON', none: 'not given'};
const formats = ['f16', 'bf16', 'f32', 'f64', 'tf32', 'e4m3', 'e5m2', 'e2m1', 'e3m2', 'e2m3', 'e4m3fnuz', 'e5m2fnuz', 'e8m0', 'ue4m3', 's8', 'u8', 's32', 'u32'];
const axesOfNew = {matrix: 'mk', result: 'mn'};

/** The numbers of "64 × 128", "64, 128" or "64x128". */
const numbersOf = text => (text.match(/\d+/g) || []).map(Number);

/**
 * @param changed  called with the new text when a field was changed
 * @returns {element, show(text, parameters)}: the parameters of the entry name the rows
 */
export function launchForm({changed, name}) {
  const element = h('div', {class: 'launch'});
  let launch = null, parameters = [];

  function show(text, entry) {
    const next = isLong(text) ? null : parse(text);
    parameters = entry ? entry.parameters : [];
    launch = next;
    if (!next) {
      fill(element, h('p', {class: 'remark'}, isLong(text) ? 'The launch has a number of more than 15 digits: change its JSON below.' : 'The launch below is no JSON, so there is no form for it.'));
      return;
    }
    draw();
  }
  function put() { changed(write(launch)); }
  function set(object, key, value) {
    if (value === undefined || value === '' || Array.isArray(value) && value.length === 0) delete object[key]; else object[key] = value;
    put();
  }

  const field = (label, input) => h('label', {class: 'field-of-launch'}, h('span', {class: 'label-text'}, label), input);
  const text = (value, size, label, oninput, extra = {}) => h('input', {type: 'text', value: value ?? '', size, spellcheck: 'false', 'aria-label': label, oninput: event => oninput(event.target.value), ...extra});
  const choice = (value, options, label, onchange) => {
    const select = h('select', {'aria-label': label, onchange: () => onchange(select.value)}, options.map(([v, t]) => h('option', {value: v}, t)));
    select.value = value;
    return select;
  };

  function draw() {
    const list = Array.isArray(launch.arguments) ? launch.arguments : launch.arguments = [];
    const rows = Math.max(parameters.length, list.length);
    const triple = (key, label) => field(label, text((launch[key] || []).join?.(' × '), 11, `${label} of ${name}`, value => set(launch, key, numbersOf(value)), {'data-launch': key}));
    fill(element,
      h('div', {class: 'row'}, triple('grid', 'Grid, in blocks'), triple('block', 'Block, in threads'),
        field('Shared memory, bytes', text(launch.shared, 8, `Shared memory of ${name}, bytes`, value => set(launch, 'shared', /^\d+$/.test(value.trim()) ? Number(value) : undefined), {'data-launch': 'shared', inputmode: 'numeric'})),
        'target' in launch ? field('GPU', text(launch.target, 8, `GPU of ${name}`, value => set(launch, 'target', value.trim()), {'data-launch': 'target'})) : null),
      h('p', {class: 'hint'}, 'An operand or a result has a name, a format, a shape, and a letter for each axis: those of a result name its element, k is what is added up.'),
      h('ol', {class: 'arguments'}, Array.from({length: rows}, (_, i) => row(list, i))));
  }

  function row(list, i) {
    const argument = list[i], parameter = parameters[i], kind = kindOf(argument), called = parameter ? parameter.name : `argument ${i + 1}`;
    const details = h('span', {class: 'details'});
    const select = choice(kind, Object.entries(kinds), `${called} of ${name} is`, to => { turn(list, i, to, parameter); });
    fill(details, detailsOf(argument, kind, called, list, i));
    return h('li', {class: kind in {i32: 1, i64: 1, f32: 1, f64: 1, zeros: 1} ? 'short' : '', 'data-argument': String(i)}, h('span', {class: 'parameter'}, h('code', null, shortened(called)), parameter ? h('span', {class: 'note'}, ` ${parameter.type === 'bytes' ? `${parameter.bytes} bytes` : parameter.pointer ? 'pointer' : parameter.type}`) : null), select, details);
  }

  function detailsOf(argument, kind, called, list, i) {
    if (kind === 'matrix' || kind === 'result') {
      const known = formats.includes(argument.format) ? formats : [argument.format, ...formats];
      return [text(argument[kind], 3, `Name of ${called}`, value => set(argument, kind, value.trim()), {'data-key': 'name'}),
        choice(argument.format, known.map(f => [f, f]), `Format of ${called}`, value => set(argument, 'format', value)),
        text((argument.shape || []).join?.(' × '), 9, `Shape of ${called}`, value => set(argument, 'shape', numbersOf(value)), {'data-key': 'shape'}),
        text(argument.axes, 3, `Axes of ${called}`, value => set(argument, 'axes', value.trim()), {'data-key': 'axes'}),
        argument.strides ? h('span', {class: 'note'}, ` strides ${argument.strides.join?.(', ')}`) : null,
        kind === 'result' && argument.initial !== undefined ? h('span', {class: 'note'}, ` holds ${argument.initial} before`) : null];
    }
    if (kind === 'none') return [];
    if (kind === 'pointer') return [choice(argument.pointer, arraysOf(list).map(n => [n, n]), `Array of ${called}`, value => set(argument, 'pointer', value)),
      text(argument.offset, 6, `Offset of ${called}, bytes`, value => set(argument, 'offset', Number(value) || undefined), {inputmode: 'numeric', placeholder: 'offset'})];
    if (kind === 'json') return [text(JSON.stringify(argument), 30, `${called} as JSON`, value => { try { list[i] = JSON.parse(value); put(); } catch { /* not whole yet */ } }, {'data-key': 'json'})];
    return [text(String(argument[kind]), 8, kind === 'zeros' ? `Bytes of ${called}` : `Value of ${called}`, value => { if (value.trim() && Number.isFinite(Number(value))) set(argument, kind, Number(value)); }, {'data-key': 'value'})];
  }
  const arraysOf = list => list.filter(a => a && typeof a === 'object' && ('matrix' in a || 'result' in a)).map(a => a.matrix ?? a.result);

  // Another kind for one argument, with what can be kept of it; what stands before it has to be given.
  function turn(list, i, to, parameter) {
    const old = list[i] && typeof list[i] === 'object' ? list[i] : {};
    const free = 'ABDCEFGH'.split('').find(n => !arraysOf(list).includes(n)) || `X${i}`;
    const nothing = p => p && p.bytes === 8 ? {i64: 0} : p && p.bytes === 4 ? {i32: 0} : {hex: '00'.repeat(p ? p.bytes : 8)};
    while (list.length < i) list.push(nothing(parameters[list.length]));
    if (to === 'matrix' || to === 'result') {
      const {matrix, result, initial, ...rest} = old;
      list[i] = {[to]: matrix ?? result ?? free, ...{format: 'f16', shape: [64, 64], axes: axesOfNew[to]}, ...('axes' in rest ? rest : {})};
    } else if (to === 'none') {
      if (i >= list.length - 1) list.length = Math.min(list.length, i); else list[i] = nothing(parameter);
    } else if (to === 'pointer') list[i] = {pointer: arraysOf(list).find((_, at) => at !== i) || 'A'};
    else if (to === 'json') list[i] = Object.keys(old).length ? old : {hex: '00'.repeat(parameter ? parameter.bytes : 8)};
    else list[i] = {[to]: to === 'zeros' ? 4096 : Number(old.i32 ?? old.i64 ?? old.f32 ?? old.f64 ?? 0)};
    put();
    draw();
    element.querySelector(`[data-argument="${i}"] select`)?.focus();
  }
  return {element, show};
}

/** A name of nvcc's is long; its end says which parameter it is. */
const shortened = name => name.length > 18 ? `…${name.slice(-16)}` : name;
