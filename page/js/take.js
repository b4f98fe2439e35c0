// What a reader takes away: the command line, a link, files for other programs, the picture.
import {h, download} from './dom.js';
import {ask, commandLine, sentences, Stopped} from './program.js';
import {file, png} from './picture.js';
import {options, toFile} from './vector.js';

/** A button that copies a text, and says so. */
export function copyButton(label, text) {
  const button = h('button', {type: 'button', onclick: async () => {
    const content = typeof text === 'function' ? text() : text;
    try {
      await navigator.clipboard.writeText(content);
    } catch { // a page from a folder may not have the clipboard
      const area = h('textarea', {class: 'hidden', 'aria-hidden': 'true'});
      area.value = content;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    const before = button.textContent;
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = before; }, 1200);
  }}, label);
  return button;
}

/** A command line with a button to copy it. */
export function commandBox(text, label = 'Copy') {
  return h('div', {class: 'command'}, h('code', {tabindex: '0', role: 'group', 'aria-label': 'command line'}, text), copyButton(label, text));
}

function pythonOf(units, shape, vector) {
  const list = x => `[${x.map(p => `0x${p}`).join(', ')}]`;
  const word = name => ({f64: 'uint64', f32: 'uint32', tf32: 'uint32', f16: 'uint16', bf16: 'uint16'})[name] || 'uint8';
  const values = [`a = np.array(${list(vector.a)}, np.${word(shape.a)})`, `b = np.array(${list(vector.b)}, np.${word(shape.b)})`];
  const call = ['a', 'b'];
  if (shape.c) { values.push(`c = np.uint32(0x${vector.c})`.replace('uint32', word(shape.c))); call.push('c'); }
  if (vector.sa) {
    values.push(`sa = np.array(${list(vector.sa)}, np.uint8)`, `sb = np.array(${list(vector.sb)}, np.uint8)`);
    call.push('sa=sa', 'sb=sb');
  }
  return ['# One dot product, as patterns, on two units: pip install . in a clone of discern', 'import numpy as np', 'import discern', '', ...values,
    `for name in ${JSON.stringify(units)}:`, `    print(name, hex(int(discern.unit(name)(${call.join(', ')}))))`, ''].join('\n');
}

/** The section "Take it with you". @param read  the lines as which units of different shapes are read, or nothing */
export function takeAway({units, shown, read, labels, shape, vector, results, drawn}) {
  const line = commandLine(['explain', ...units, ...options(vector)]);
  const said = h('p', {class: 'said', role: 'status'});
  const title = `${labels[0]} and ${labels[1]}: ${line}`;

  async function exported(form, name, args, files, type = 'text/plain') {
    said.textContent = '';
    try {
      const answer = await ask(args, {files});
      if (answer.status !== 0) throw new Error(sentences(answer.err).pop());
      download(name, answer.out, type);
    } catch (error) {
      if (!(error instanceof Stopped)) said.textContent = `${form}: ${error.message}`;
    }
  }
  const vectors = () => ({'vectors.jsonl': toFile(shape, vector)});
  const button = (label, run) => h('button', {type: 'button', onclick: run}, label);
  const program = form => [0, 1].map(i => {
    const unit = shown[i].unit;
    return button(`${form.toUpperCase()} for ${labels[i]}`, () => exported(form, `vectors.${form === 'cuda' ? 'cu' : 'hip'}`, ['export', '--as', form, '--inputs', '--unit', unit, 'vectors.jsonl'], vectors()));
  });
  const forms = [];
  for (const i of read ? [] : [0, 1]) { // what is read in another shape is no instruction
    const unit = shown[i].unit;
    if (/^(volta|turing|ampere|ada|hopper|blackwell|rtxblackwell)\//.test(unit)) forms.push(program('cuda')[i]);
    if (/^cdna[123]\//.test(unit)) forms.push(program('hip')[i]);
  }
  return h('section', {class: 'card take', 'aria-label': 'Take it with you'}, h('h3', null, 'Take it with you'),
    h('p', null, 'The command line that gives the same answer:'), commandBox(line),
    h('div', {class: 'buttons'},
      copyButton('Copy a link to this', () => location.href),
      button('Vector (JSON Lines)', () => download('vector.jsonl', toFile(shape, vector, results), 'application/jsonl')),
      button('C', () => exported('c', 'vectors.h', ['export', '--as', 'c', '--inputs', 'vectors.jsonl'], vectors())),
      forms,
      button('Python', () => download('vector.py', pythonOf(read || shown.map(x => x.unit), shape, vector), 'text/x-python')),
      [0, 1].map(i => button(`SystemVerilog of ${labels[i]}`, () => exported('sv', `unit_${'ab'[i]}.sv`, ['export', '--as', 'sv', (read || units)[i]], null))),
      button('Picture (SVG)', () => download('sums.svg', file(drawn, title).text, 'image/svg+xml')),
      button('Picture (PNG)', async () => download('sums.png', await png(file(drawn, title)), 'image/png'))),
    said);
}
