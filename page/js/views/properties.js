// "What can it not do?": the properties of a unit, each proved or with a vector, and how far it is from exact.
import {h, s, fill} from '../dom.js';
import {combobox} from '../combobox.js';
import {askJson, commandLine, Stopped} from '../program.js';
import {completions, learn, shapeOf, showUnit, unitOf} from '../units.js';
import {trouble} from '../trouble.js';
import {decimal} from '../vector.js';
import {withTerms, term} from '../terms.js';
import {formatMenu} from './two.js';
import {commandBox} from '../take.js';

const names = ['swap', 'negation', 'order-in-block', 'order-across-blocks', 'monotonic', 'faithful', 'exact-region', 'no-false-overflow', 'specials',
               'zero-neutral', 'split', 'max-error', 'error-of-terms'];
const verdicts = {proved: ['holds', 'holds for all inputs'], refuted: ['fails', 'fails'], unknown: ['open', 'not known']};

export function propertiesView({state, replace}) {
  const current = {unit: state.unit || 'H100', format: state.format || 'f16'};
  const box = combobox({label: 'Unit', value: current.unit, suggest: completions, changed: value => { current.unit = value; go(); }});
  const menu = formatMenu(current.format, value => { current.format = value; go(); });
  const list = h('div', {class: 'properties'}), errors = h('div'), status = h('p', {class: 'asking', role: 'status'});
  const element = h('div', null, h('form', {class: 'boxes one', onsubmit: event => event.preventDefault()}, box.element, h('div', {class: 'format'}, h('label', null, h('span', {class: 'label-text'}, 'Format'), menu))),
    h('section', {class: 'answer', 'aria-label': 'The answer'}, status, list, errors));
  let run = 0;

  async function go() {
    const now = ++run;
    let unit = '';
    replace({unit: current.unit, format: current.format});
    fill(list); fill(errors);
    status.textContent = 'Asking what it can and cannot do …';
    let shape = null;
    try {
      await learn([current.unit], 'properties');
      unit = unitOf(current.unit, current.format);
      shape = shapeOf((await showUnit(unit, 'properties')).tree);
    } catch (error) { if (now === run) say(error); return; }
    drawErrors(unit, now);
    let open = 0;
    for (const name of names) {
      if (now !== run) return;
      status.textContent = `Asking about ${name} …`;
      try {
        const {json} = await askJson(['property', unit, name, '--json', '--timeout', '12'], {group: 'properties'});
        if (now !== run) return;
        for (const p of json.properties) list.append(row(p, shape, unit));
      } catch (error) {
        if (now !== run || error instanceof Stopped && error.message === 'replaced') return;
        if (error instanceof Stopped && error.message === 'Stopped.') { say(error); return; }
        if (error instanceof Stopped) { ++open; list.append(row({name, says: '', verdict: 'unknown', by: '', heavy: true}, shape, unit)); }
        else if (!/is not asked|no such|has no|one block|needs/.test(error.message)) list.append(row({name, says: error.message, verdict: 'unknown', by: ''}, shape, unit));
      }
    }
    status.textContent = open ? '' : 'All are answered.';
    list.append(commandBox(commandLine(['property', unit])));
  }

  function say(error) {
    status.textContent = '';
    if (error instanceof Stopped && error.message === 'replaced') return;
    fill(list, trouble(error, (_, name) => { current.unit = box.value = name; go(); }));
  }

  function vectorText(v, shape) {
    const used = v.a.map((_, i) => i).filter(i => !/^0*$/.test(v.a[i]) || !/^0*$/.test(v.b[i]));
    const terms = used.map(i => `${decimal(shape.a, v.a[i])} × ${decimal(shape.b, v.b[i])}`);
    if (v.c !== undefined) terms.push(decimal(shape.c, v.c));
    return h('li', null, (terms.join(' + ') || '0').replaceAll('-', '−'), ' → ', h('b', null, decimal(shape.d, v.d).replace('-', '−')), ' ', h('code', null, v.d));
  }

  // The number that a property is about, in the words of the program.
  function valueOf(p) {
    if (p.value === null || p.value === undefined) return null;
    if (p.verdict === 'refuted') return `${p.value} in this vector`;
    if (p.name === 'exact-region') return `n = ${p.value}${p.shown !== undefined ? `, not for n = ${p.shown}` : ''}`;
    return `k = ${p.value}${p.shown !== undefined ? `, at least ${p.shown}` : ''}`;
  }

  function row(p, shape, unit) {
    const [className, words] = verdicts[p.verdict];
    const value = valueOf(p);
    return h('article', {class: `property ${className}`}, h('h2', null, h('span', {class: 'badge'}, words), ' ', p.name.replaceAll('-', ' '), value ? h('span', {class: 'aside'}, ` ${value}`) : null),
      h('p', null, withTerms(p.says)),
      p.by ? h('p', {class: 'remark'}, p.verdict === 'proved' ? `Why: ${p.by}.` : `Found by ${p.by === 'random' ? 'random search' : p.by}${p.where ? `, at ${p.where}` : ''}.`) : null,
      p.heavy ? h('p', {class: 'remark'}, 'Too heavy for a browser. Run: ', h('code', null, commandLine(['property', unit, p.name]))) : null,
      p.vector ? h('ul', {class: 'vectors'}, vectorText(p.vector, shape), p.other ? vectorText(p.other, shape) : null) : null);
  }

  async function drawErrors(unit, now) {
    try {
      const {json} = await askJson(['measure', unit, '-n', '50000', '--threads', '1', '--json']);
      if (now !== run) return;
      const m = json.families[0].units[0], g = m.ulp.histogram;
      // As wide as there is room for, so that a phone shows both sides.
      const room = errors.clientWidth - 70, width = Math.max(220, Math.min(640, room));
      const counts = g.counts, most = Math.max(...counts), height = 150, w = width / counts.length;
      const sum = m.dots - m.special;
      const percent = x => `${(100 * x / sum).toFixed(1)} %`;
      const bars = counts.map((n, i) => s('rect', {class: 'bar-of-errors', x: i * w + 0.5, y: height - height * n / most, width: w - 1, height: height * n / most},
        s('title', null, `${g.from + i * g.step} to ${g.from + (i + 1) * g.step} ulp: ${percent(n)}`)));
      const ticks = [];
      for (let u = Math.ceil(g.from); u <= g.from + counts.length * g.step; ++u) ticks.push(s('text', {class: 'axis', x: (u - g.from) / g.step * w, y: height + 14}, String(u).replace('-', '−')));
      fill(errors, h('section', {class: 'card', 'aria-label': 'How far from exact'}, h('h2', null, 'How far from exact'),
        h('p', null, `Of ${m.dots.toLocaleString('en')} sums of normally distributed numbers, ${percent(m.correct)} are the exact result rounded once; the mean error is ${Number(m.ulp.mean).toPrecision(3)} `, term('ulp'), `, the largest ${m.ulp.max}.`),
        h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Histogram of errors'}, s('svg', {class: 'picture', role: 'img', 'aria-label': `Histogram of errors in ulp: ${percent(g.below)} lie below ${g.from} and ${percent(g.above)} above ${g.from + counts.length * g.step}`,
          width: width + 20, height: height + 22, viewBox: `-10 -2 ${width + 20} ${height + 24}`}, bars, s('line', {class: 'rule', x1: 0, x2: width, y1: height, y2: height}), ticks)),
        h('p', {class: 'remark'}, `Error in ulp of the result, from ${g.from} to ${g.from + counts.length * g.step}; below lie ${percent(g.below)}, above ${percent(g.above)}.`),
        commandBox(commandLine(['measure', unit, '-n', '50000']))));
    } catch (error) { if (now === run && !(error instanceof Stopped)) fill(errors, h('p', {class: 'remark'}, error.message)); }
  }
  return {element, start: go};
}
