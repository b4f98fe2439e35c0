// What two units make of one vector: the verdict and why, the vector, both results, the picture, and what to take away.
// Used by "Two units" and by "My unit".
import {h, fill, afterPause, newId} from './dom.js';
import {ask, askJson, sentences, Stopped, commandLine} from './program.js';
import {layout, numberOf} from './formats.js';
import {pairOf, shapeOf} from './units.js';
import {trouble} from './trouble.js';
import {withTerms, term} from './terms.js';
import {columnsOf, drawUnit, figure, superscript} from './picture.js';
import {bits, decimal, exactSum, fromText, legend, options, toText, vectorTable} from './vector.js';
import {takeAway} from './take.js';

const grounds = {
  structure: 'the two are one tree of the notation once what cannot show is left out',
  terms: 'their formulas fold to the same term',
  solver: 'a solver found that no input tells them apart',
  certificate: 'a certificate that was checked',
};

// Numbers with which to begin where no vector tells two units apart.
function anyVector(shape) {
  const a = [1, 1, 1, 1], width = layout(shape.a);
  if (!width) return null;
  const zero = name => '0'.repeat(Math.ceil(layout(name).width / 4));
  const one = name => {
    const f = layout(name);
    if (f.specials === 'fixed') return (1n << BigInt(f.point)).toString(16).padStart(Math.ceil(f.width / 4), '0');
    return (BigInt(f.bias) << BigInt(f.fraction + f.padding)).toString(16).padStart(Math.ceil(f.width / 4), '0');
  };
  const vector = {a: Array(shape.K).fill(zero(shape.a)), b: Array(shape.K).fill(zero(shape.b))};
  for (let i = 0; i < Math.min(shape.K, a.length); ++i) { vector.a[i] = one(shape.a); vector.b[i] = one(shape.b); }
  if (shape.scale) {
    const count = Math.ceil(shape.K / shape.scaleBlock);
    vector.sa = Array(count).fill(one(shape.scale));
    vector.sb = Array(count).fill(one(shape.scale));
  }
  if (shape.c) vector.c = one(shape.c);
  return vector;
}

/** The distance of two patterns of a format in units in the last place, or null. */
export function ulps(formatName, x, y) {
  const format = layout(formatName);
  if (!format || format.padding || format.specials === 'fixed') return null;
  if ([x, y].some(p => !Number.isFinite(numberOf(format, p)))) return null;
  const ordered = hex => {
    const n = BigInt('0x' + hex), sign = 1n << BigInt(format.width - 1);
    return format.signed && n & sign ? -(n - sign) : n;
  };
  const distance = ordered(x) - ordered(y);
  return distance < 0n ? -distance : distance;
}

export class Comparison {
  /**
   * @param group     of the questions, so that newer ones replace older ones
   * @param changed   called when the state has changed that a link keeps
   * @param choose    called with (0 or 1, name) when another name was chosen for one that is none, or null
   */
  constructor({group, changed, choose = null}) {
    this.choose = choose;
    this.group = group;
    this.changed = changed;
    this.verdict = h('div', {class: 'verdict', role: 'status', 'aria-live': 'polite'});
    this.body = h('div', {class: 'comparison'});
    this.element = h('section', {class: 'answer', 'aria-label': 'The answer'}, this.verdict, this.body);
    this.editing = afterPause(180, edit => this.explainEdited(edit));
    this.run = 0;
  }

  /** The state that a link keeps: the vector, if there is one. */
  state() { return this.vector ? toText(this.vector) : {}; }

  busy(text) {
    this.element.setAttribute('aria-busy', 'true');
    fill(this.verdict, h('p', {class: 'asking'}, text));
  }

  say(error, command) {
    this.element.removeAttribute('aria-busy');
    if (error instanceof Stopped && error.message === 'replaced') return;
    const heavy = error instanceof Stopped && command;
    fill(this.verdict, trouble(error, this.choose),
      heavy ? h('p', null, 'The program itself has no such limit. Run: ', h('code', null, command)) : null);
    fill(this.body);
  }

  /**
   * @param texts   the two units, as the reader wrote them
   * @param labels  their names in sentences
   * @param format  of products that are named alone
   * @param given   a vector of a link, as toText() has it, or null
   */
  async compare(texts, labels, format, given = null) {
    const run = ++this.run;
    this.labels = labels;
    this.vector = this.explained = null;
    this.busy(`Asking how ${labels[0]} and ${labels[1]} differ …`);
    let command = '';
    try {
      const pair = await pairOf(texts, format, this.group);
      if (run !== this.run) return;
      this.pair = pair;
      const args = ['synth', ...pair.units, '--json', '--timeout', '30'];
      command = commandLine(['synth', ...pair.units]);
      const answer = await askJson(args, {group: this.group});
      if (run !== this.run) return;
      this.answer = answer.json;
      // Units of different shapes are compared as what the program reads them as, which has one shape.
      if (answer.json.read_as) Object.assign(pair, {shape: shapeOf(answer.json.read_as[0]), read: answer.json.read_as});
      const given_vector = given && fromText(given, pair.shape);
      this.found = answer.json.vectors[0] || null;
      this.vector = given_vector || (this.found ? strip(this.found) : anyVector(pair.shape));
      this.isFound = !given_vector || !!this.found && JSON.stringify(given_vector) === JSON.stringify(strip(this.found));
      await this.explain(run);
    } catch (error) {
      if (run === this.run) this.say(error, command);
    }
  }

  async explain(run = this.run) {
    if (!this.vector) { this.draw(); return; }
    const {json} = await askJson(['explain', ...this.pair.units, ...options(this.vector), '--json'], {group: this.group});
    if (run !== this.run) return;
    this.explained = json;
    this.draw();
    this.changed();
  }

  // What the reader typed: numbers are rounded to their formats by the program, which also says what is wrong.
  async explainEdited({edit, field}) {
    const run = ++this.run;
    const values = options(edit);
    try {
      const {json, err} = await askJson(['explain', ...this.pair.units, ...(edit.numbers ? ['--numbers'] : []), ...values, '--json'], {group: this.group});
      if (run !== this.run) return;
      this.vector = json.vector;
      this.isFound = !!this.found && JSON.stringify(this.vector) === JSON.stringify(strip(this.found));
      this.explained = json;
      this.note = (edit.remark || '') + sentences(err).filter(s => /rounded/.test(s)).map(s => s.replace(/; --round exact refuses them/, '')).join(' ');
      this.draw(field);
      this.changed();
    } catch (error) {
      if (run !== this.run || error instanceof Stopped) return;
      this.element.removeAttribute('aria-busy');
      const place = this.body.querySelector('.vector-note');
      if (place) fill(place, h('span', {class: 'trouble', role: 'alert'}, error.message));
    }
  }

  named(text) {
    // "A loses p3" becomes "V100 loses p3", with the colour of its side.
    const parts = powers(text).split(/(?<![A-Za-z0-9])(A|B)(?![A-Za-z0-9])/);
    return parts.map(p => p === 'A' ? this.name(0) : p === 'B' ? this.name(1) : withTerms(p));
  }
  name(i) { return h('b', {class: i ? 'name-b' : 'name-a'}, this.labels[i]); }

  drawVerdict() {
    const {answer, explained} = this, same = answer.verdict === 'equivalent';
    const parts = explained && explained.parts_at;
    const out = [];
    if (answer.verdict === 'different') {
      if (this.isFound) {
        out.push(h('h2', {class: 'different'}, this.name(0), ' and ', this.name(1), ' differ on this vector',
          parts ? [', because ', this.named(lower(parts.sentence)), '.'] : '.'));
      } else {
        out.push(h('h2', {class: 'different'}, this.name(0), ' and ', this.name(1), ' differ'));
        out.push(h('p', null, parts ? ['On the numbers below they do, because ', this.named(lower(parts.sentence)), '.'] : 'On the numbers below both give the same.',
          ' ', h('button', {type: 'button', class: 'quiet', onclick: () => { this.vector = strip(this.found); this.isFound = true; this.note = ''; this.explain().catch(e => this.say(e)); }}, 'Show the vector that was found')));
      }
    } else if (same) {
      out.push(h('h2', {class: 'same'}, this.name(0), ' and ', this.name(1), ' are the same for all inputs'));
      out.push(h('p', null, 'On what ', term('ground', 'ground'), ': ', answer.same_tree ? 'both are one line of the notation.' : `${grounds[answer.ground] || answer.ground} (${answer.by}).`));
    } else {
      out.push(h('h2', {class: 'open'}, 'Not known: no vector and no proof within the time'));
      out.push(h('p', null, 'The program itself can take longer. Run: ', h('code', null, commandLine(['synth', ...this.pair.units, '--timeout', '3600']))));
    }
    for (const text of answer.assumed || []) out.push(h('p', {class: 'remark'}, `${text}.`));
    for (const i of this.pair.longer)
      out.push(h('p', {class: 'remark'}, this.name(i), ` multiplies fewer numbers at once; here it takes ${this.pair.shape.K} in several instructions, each one's c the d of the one before.`));
    fill(this.verdict, out);
  }

  draw(field = null) {
    this.element.removeAttribute('aria-busy');
    this.drawVerdict();
    const active = field && document.activeElement && document.activeElement.dataset ? document.activeElement : null;
    const kept = active && active.dataset.field ? {field: active.dataset.field, value: active.value, from: active.selectionStart, to: active.selectionEnd} : null;
    if (!this.vector || !this.explained) { fill(this.body); return; }
    const {shape} = this.pair, [u, v] = this.explained.units;
    const differs = u.d !== v.d;
    const result = (unit, i, other) => h('div', {class: `result ${i ? 'b' : 'a'}`},
      h('h3', null, this.name(i), ' gives'),
      h('output', {class: 'big'}, decimal(shape.d, unit.d).replace('-', '−')),
      h('div', {class: 'pattern'}, h('code', null, unit.d), ' ', bits(shape.d, unit.d, other.d)));
    const sum = exactSum(shape, this.vector), distance = ulps(shape.d, u.d, v.d);
    const described = newId('words');
    const columns = columnsOf(this.explained.units, this.explained.parts_at);
    const drawn = this.explained.units.map((unit, i) => drawUnit(unit, i ? 'b' : 'a', this.labels[i], columns, this.explained.parts_at));
    const words = h('pre', {class: 'words', id: described, tabindex: '0', role: 'group', 'aria-label': 'The same steps in words'});
    const details = h('details', {class: 'in-words', ontoggle: async () => {
      if (words.textContent) return;
      try { words.textContent = (await ask(['explain', ...this.pair.units, ...options(this.vector)])).out; } catch (error) { words.textContent = error.message; }
    }}, h('summary', null, 'The same in words'), words);
    fill(this.body,
      h('div', {class: 'pair-of-panels'},
        h('section', {class: 'card', 'aria-label': 'The vector'}, h('h3', null, withTerms('The vector'), h('span', {class: 'aside'}, ' every number can be changed')),
          vectorTable({shape, vector: this.vector, showAll: this.showAll, edited: (edit, name) => this.editing({edit, field: name}),
                       toggled: () => { this.showAll = !this.showAll; this.draw(); }}),
          h('p', {class: 'vector-note', 'aria-live': 'polite'}, this.note || ''), legend(false)),
        h('section', {class: 'card results', 'aria-label': 'The results'}, result(u, 0, v), result(v, 1, u),
          h('p', {class: 'distance'}, differs ? distance !== null && distance > 0n ? [`${distance} `, term('ulp'), ' apart. '] : '' : 'The same bits. ',
            sum === null ? '' : ['The exact sum is ', h('span', {class: 'exact'}, sum), '.']), legend())),
      h('section', {class: 'card', 'aria-label': 'How both got there'},
        h('h3', null, 'How both got there', h('span', {class: 'aside'}, ' bits of one weight stand below each other; behind the red bar they are lost')),
        h('div', {class: 'pictures'}, drawn.map((d, i) => h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${this.labels[i]}, step by step`}, figure(d, `The sums of ${this.labels[i]}, bit by bit`, described)))),
        details),
      takeAway({units: this.pair.units, shown: this.pair.shown, read: this.pair.read, labels: this.labels, shape, vector: this.vector, results: [u.d, v.d], drawn}));
    if (kept) {
      const again = this.body.querySelector(`[data-field="${kept.field}"]`);
      if (again) { again.value = kept.value; again.focus({preventScroll: true}); try { again.setSelectionRange(kept.from, kept.to); } catch { /* a field of another kind */ } }
    }
  }
}

// 2^-7 as 2⁻⁷.
const powers = text => text.replace(/2\^(-?\d+)/g, (_, n) => `2${superscript(n)}`);
const lower = sentence => /^(A|B)\b/.test(sentence) ? sentence : sentence[0].toLowerCase() + sentence.slice(1);
function strip(vector) { const {d, ...rest} = vector; return rest; }
