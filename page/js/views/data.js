// "What computed my data?": a file is dropped or pasted, and `which` says whose results it has.
import {h, fill} from '../dom.js';
import {askJson, ask, commandLine, sentences, Stopped} from '../program.js';
import {decimal} from '../vector.js';
import {withTerms} from '../terms.js';
import {commandBox} from '../take.js';

const exampleUnit = 'A100/f16';

export function dataView({state, replace}) {
  let file = null; // {name, content}
  const text = h('textarea', {rows: 6, spellcheck: 'false', 'aria-label': 'The data as text', placeholder: 'a0,a1,a2,a3,b0,b1,b2,b3,c,d\n0.5,2,…',
                              oninput: () => { file = text.value.trim() ? {name: nameOf(text.value), content: text.value} : null; said(); }});
  const pick = h('input', {type: 'file', class: 'hidden', id: 'data-file', 'aria-label': 'A file with data', accept: '.csv,.tsv,.txt,.npy,.npz,.jsonl,.json', onchange: () => pick.files[0] && take(pick.files[0])});
  const drop = h('div', {class: 'drop', ondragover: event => { event.preventDefault(); drop.classList.add('over'); }, ondragleave: () => drop.classList.remove('over'),
    ondrop: event => { event.preventDefault(); drop.classList.remove('over'); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); }},
    h('p', null, h('label', {for: 'data-file', class: 'button'}, 'Choose a file'), ' or drop it here, or paste text: CSV, JSON Lines, .npy. ',
      h('strong', null, 'Nothing leaves this machine.')), pick, text);
  const formats = h('input', {type: 'text', value: state.formats || '', placeholder: 'f16,f16,f32,f32', size: 22, spellcheck: 'false', id: 'data-formats', oninput: keep});
  const kind = h('select', {id: 'data-kind', onchange: keep}, [['', 'as they look'], ['--numbers', 'numbers'], ['--patterns', 'bit patterns']].map(([v, t]) => h('option', {value: v}, t)));
  kind.value = state.kind || '';
  const which = h('p', {class: 'remark', role: 'status'});
  const answer = h('section', {class: 'answer', 'aria-label': 'The answer', 'aria-live': 'polite'});
  const element = h('div', null, h('section', {class: 'card', 'aria-label': 'The data'},
    h('p', null, 'Each row is one dot product: the columns a0, a1, …, b0, b1, …, perhaps c, and d. A file of vectors says its formats; of a table you say them.'),
    drop, which,
    h('div', {class: 'row'}, h('label', {for: 'data-formats'}, 'Formats of a, b, c, d'), formats, h('label', {for: 'data-kind'}, 'Values are'), kind,
      h('button', {type: 'button', class: 'primary', onclick: go}, 'Which unit gave these?'),
      h('button', {type: 'button', class: 'quiet', onclick: example}, 'Try an example'))), answer);

  function keep() { replace({...(formats.value ? {formats: formats.value} : {}), ...(kind.value ? {kind: kind.value} : {})}); }
  const nameOf = content => content.trimStart().startsWith('{') ? 'data.jsonl' : 'data.csv';
  function said() { which.textContent = file ? `${file.name}, ${(file.content.length / 1000).toFixed(file.content.length < 10000 ? 1 : 0)} kB` : ''; }

  // The format of d, where the first line of a file of vectors says it.
  function formatOfResults() {
    const text = typeof file.content === 'string' ? file.content : new TextDecoder().decode(file.content.subarray(0, 4096));
    try { return JSON.parse(text.split('\n')[0]).d; } catch { return undefined; }
  }

  async function take(chosen) {
    file = {name: chosen.name.replace(/[^\w.-]/g, '_') || 'data', content: new Uint8Array(await chosen.arrayBuffer())};
    text.value = file.content.length < 20000 && !/\.np[yz]$/.test(file.name) ? new TextDecoder().decode(file.content) : '';
    said();
    return go();
  }

  // Rows as a table that a spreadsheet or a test would have written, made by the program itself.
  async function example() {
    try {
      const made = await ask(['generate', exampleUnit, '-n', '12', '--values', 'a:-2..2,b:-2..2,c:-2..2', '--seed', '3']);
      const observed = await ask(['eval', exampleUnit, 'made.jsonl'], {files: {'made.jsonl': made.out}});
      const rows = observed.out.trim().split('\n').slice(1).map(line => JSON.parse(line));
      const shape = {a: 'f16', b: 'f16', c: 'f32', d: 'f32'};
      const head = [...rows[0].a.map((_, i) => `a${i}`), ...rows[0].b.map((_, i) => `b${i}`), 'c', 'd'];
      text.value = [head.join(','), ...rows.map(v => [...v.a.map(x => decimal(shape.a, x)), ...v.b.map(x => decimal(shape.b, x)), decimal(shape.c, v.c), decimal(shape.d, v.d)].join(','))].join('\n') + '\n';
      formats.value = 'f16,f16,f32,f32';
      file = {name: 'data.csv', content: text.value};
      said();
      keep();
      await go();
    } catch (error) { say(error); }
  }

  function say(error) {
    answer.removeAttribute('aria-busy');
    if (error instanceof Stopped && error.message === 'replaced') return;
    fill(answer, h('p', {class: 'trouble', role: 'alert'}, error.message),
      error instanceof Stopped && file ? h('p', null, 'The program itself has no such limit. Run: ', h('code', null, command())) : null);
  }
  const args = () => ['which', file.name, ...(formats.value.trim() ? ['--formats', formats.value.trim()] : []), ...(kind.value ? [kind.value] : []), '--json'];
  const command = () => commandLine(args().filter(a => a !== '--json'));

  async function go() {
    if (!file) { fill(answer, h('p', {class: 'trouble', role: 'alert'}, 'There is no data yet: choose a file, drop one, or paste text.')); return; }
    answer.setAttribute('aria-busy', 'true');
    fill(answer, h('p', {class: 'asking'}, 'Trying every unit of these formats on every row …'));
    try {
      const {json, err} = await askJson(args(), {files: {[file.name]: file.content}, group: 'data'});
      draw(json, sentences(err));
    } catch (error) { say(error); }
  }

  function draw(json, remarks) {
    answer.removeAttribute('aria-busy');
    const count = json.consistent.length;
    // Of an instruction as it is; a unit with another K than its instruction's stands for no product.
    const all = u => u.includes('{') ? [] : json.products && json.products[u.split('/')[0]] || [];
    const products = u => few(all(u));
    const ofClass = units => [...new Set(units.flatMap(all))];
    const out = [];
    if (count === 1) {
      const whose = ofClass(json.consistent[0]);
      out.push(h('h2', {class: 'same'}, whose.length ? `This is what ${few(whose)} ${whose.length > 1 ? 'compute' : 'computes'}` : `This is ${json.consistent[0][0]}`));
    }
    if (count > 1) out.push(h('h2', {class: 'open'}, `${count} different arithmetics fit; more rows would tell them apart`));
    if (count === 0) out.push(h('h2', {class: 'different'}, 'No unit of the catalogue gives these results'));
    out.push(h('p', null, withTerms(`${json.vectors} ${json.vectors === 1 ? 'vector' : 'vectors'} were compared${json.complete === false ? ', until the time was over' : ''}. `),
      count > 0 ? '“Fits” is no proof: a unit that nobody has written down may give the same.' : ''));
    for (const remark of remarks) out.push(h('p', {class: 'remark'}, remark));
    if (count > 0) out.push(h('ol', {class: 'units-found'}, json.consistent.map(units => h('li', null, h('b', null, units[0]), products(units[0]) ? h('span', {class: 'note'}, ` ${products(units[0])}`) : null,
      units.length > 1 ? h('details', null, h('summary', null, `${units.length - 1} more with the same arithmetic`), h('ul', null, units.slice(1).map(u => h('li', null, u, products(u) ? h('span', {class: 'note'}, ` ${products(u)}`) : null)))) : null))));
    if (json.near.length) {
      out.push(h('h3', null, 'The nearest'));
      out.push(h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'The nearest units'}, h('table', {class: 'list'}, h('thead', null, h('tr', null, ['unit', 'rows that differ', 'observed', 'the unit gives'].map(t => h('th', {scope: 'col'}, t)))),
        h('tbody', null, json.near.map(near => {
          const v = near.refuted_by[0], d = formats.value.split(',')[3]?.trim() || formatOfResults();
          const shown = hex => hex === undefined ? '' : d ? `${decimal(d, hex)} (${hex})` : hex;
          return h('tr', null, h('th', {scope: 'row'}, near.unit), h('td', null, String(near.mismatches)), h('td', null, v ? shown(v.d) : ''), h('td', null, v ? shown(v.expected) : ''));
        })))));
      out.push(h('details', null, h('summary', null, 'The vectors that refute them'), h('pre', {tabindex: '0', role: 'group', 'aria-label': 'The vectors that refute the nearest units'}, json.near.map(n => `${n.unit}\n${n.refuted_by.map(v => `  ${JSON.stringify(v)}`).join('\n')}`).join('\n'))));
    }
    out.push(h('h3', null, 'The same on your machine'), commandBox(command()));
    fill(answer, out);
  }
  return {element, start: async () => {}};
}

const few = list => list.length > 4 ? `${list.slice(0, 3).join(', ')} and ${list.length - 3} more` : list.join(', ');
