// One kernel on the page: its text, typed, pasted or dropped, and how it is started.
import {h, fill, afterPause, newId} from '../dom.js';
import {describe} from './code.js';
import {firstGuess, write} from './launch.js';
import {launchForm} from './form.js';
import {most} from './packed.js';

const mostShown = 300000; // bytes of a text that a field of the page is not slow with

/**
 * @param mark     'a' or 'b'
 * @param label    its name in sentences
 * @param changed  called when the kernel or its launch has changed, after a pause where it is typed
 * @param outdate  called at the first key of such a change
 * @returns {element, value, set(value)}: a value is {name, code, launch, assembly, isGuess}; `code` may be missing where a
 *          link could not keep it
 */
export function kernelEditor({mark, label, changed, outdate}) {
  let value = {name: '', code: '', launch: '', assembly: null, isGuess: false}, kernel = describe(''), entry = null, signature = '';
  const fileId = newId('file'), launchId = newId('launch');
  const changedSoon = afterPause(400, () => changed()), soon = () => { outdate(); changedSoon(); };
  const text = h('textarea', {rows: 9, wrap: 'off', spellcheck: 'false', 'aria-label': `Text of ${label}`, placeholder: '.version 8.8\n.target sm_80\n…',
    oninput: () => { value.code = text.value; delete value.missing; readCode(true); soon(); }});
  const pick = h('input', {type: 'file', multiple: true, class: 'hidden', id: fileId, 'aria-label': `Files of ${label}`, accept: '.ptx,.ll,.llir,.json,.amdgcn,.s,.txt', onchange: () => take(pick.files)});
  const drop = h('div', {class: 'drop', ondragover: event => { event.preventDefault(); drop.classList.add('over'); }, ondragleave: () => drop.classList.remove('over'),
    ondrop: event => { event.preventDefault(); drop.classList.remove('over'); take(event.dataTransfer.files); }},
    h('p', null, h('label', {for: fileId, class: 'button'}, 'Choose files'), ' or drop them here, or paste text: PTX or LLVM IR of AMD’s GPUs, and perhaps its ', h('code', null, '.launch.json'), '.'), pick, text);
  const says = h('p', {class: 'remark', role: 'status'});
  const entries = h('span');
  const form = launchForm({name: label, changed: next => { value.launch = json.value = next; value.isGuess = false; said(); soon(); }});
  const json = h('textarea', {rows: 6, wrap: 'off', spellcheck: 'false', id: launchId, 'aria-label': `Launch of ${label} as JSON`, oninput: () => { value.launch = json.value; value.isGuess = false; form.show(value.launch, entry); said(); soon(); }});
  const started = h('details', {class: 'started', open: true}, h('summary', null, 'How it is started'), entries, form.element,
    h('details', null, h('summary', null, 'The launch as JSON'), json));
  const element = h('section', {class: 'card kernel', 'data-kernel': mark, 'aria-label': label},
    h('h2', {class: 'small'}, h('span', {class: `mark mark-${mark}`, 'aria-hidden': 'true'}, mark.toUpperCase()), label), drop, says,
    started);

  // What the text says of itself. A text of another kernel gets a first launch, unless one was given with it.
  function readCode(isNew) {
    kernel = describe(value.code || '');
    entry = kernel.entries.find(e => value.launch.includes(`"entry": "${e.name}"`)) || kernel.entries[0] || null;
    const before = signature;
    if (entry) signature = [entry.name, ...entry.parameters.map(p => p.type)].join();
    const isOther = before && before !== signature;
    value.name = fileName(isOther && isNew ? entry.name : value.name);
    if (isNew && entry && (value.isGuess || !value.launch || isOther)) guess();
    fill(entries, kernel.entries.length > 1 ? entryMenu() : null);
    form.show(value.launch || '{"launch": 1}', entry);
    json.value = value.launch;
    said();
  }
  // A name that the program takes for such a text: its letters, and its ending.
  function fileName(name) {
    const stem = name.replace(/\.(ptx|llir|ll)$/, '').replace(/[^\w.-]/g, '_').replace(/^\.+/, '').slice(0, 60) || 'kernel';
    const ending = /\.ll$/.test(name) ? 'll' : 'llir';
    return `${stem}.${kernel.language ? kernel.language === 'llir' ? ending : 'ptx' : /\.(ptx|llir|ll)$/.exec(name)?.[1] || 'ptx'}`;
  }
  function guess() {
    value.launch = write(firstGuess(kernel, entry));
    value.isGuess = true;
    started.open = true;
  }
  function entryMenu() {
    const select = h('select', {'aria-label': `Entry of ${label}`, onchange: () => {
      entry = kernel.entries.find(e => e.name === select.value);
      guess();
      readCode(false);
      changed();
    }}, kernel.entries.map(e => h('option', {value: e.name}, e.name)));
    select.value = entry.name;
    return select;
  }
  function said() {
    const size = value.code ? value.code.length : 0, kB = (size / 1000).toFixed(size < 10000 ? 1 : 0);
    const what = value.missing ? `${value.name}, ${(value.missing / 1000).toFixed(0)} kB: a link does not keep so long a text. Give the file again.`
      : !size ? 'There is no kernel yet.'
      : !entry ? `${value.name}, ${kB} kB: neither PTX with an .entry nor LLVM IR with an amdgpu_kernel.`
      : `${value.name}, ${kB} kB of ${kernel.language === 'ptx' ? 'PTX' : 'LLVM IR'}${kernel.target ? ` for ${kernel.target}` : ''}, kernel ${entry.name}.${size > most ? ' A link keeps its launch, and not so long a text.' : ''}`;
    fill(says, what, value.isGuess && entry ? [' ', h('strong', null, 'The launch is a guess.'), ' Say below how it is really started.'] : null);
  }

  async function take(files) {
    const read = await Promise.all([...files].map(async file => ({name: file.name, code: await file.text()})));
    const launch = read.find(f => /\.json$/.test(f.name)), assembly = read.find(f => /\.(amdgcn|s)$/.test(f.name));
    const code = read.find(f => f !== launch && f !== assembly);
    if (code) {
      value = {name: code.name, code: code.code, launch: launch ? launch.code : value.missing ? value.launch : '', assembly: null, isGuess: !launch && !!value.missing && value.isGuess};
    } else if (launch) Object.assign(value, {launch: launch.code, isGuess: false});
    if (assembly) value.assembly = assembly.code;
    if (pick.value) pick.value = '';
    signature = '';
    display();
    readCode(true);
    changed();
  }
  function display() {
    const size = (value.code || '').length;
    text.value = size <= mostShown ? value.code || '' : '';
    text.placeholder = size > mostShown ? `${value.name} is too long to be shown here.` : '.version 8.8\n.target sm_80\n…';
  }

  return {
    element,
    get value() { return value; },
    get kernel() { return kernel; },
    get entry() { return entry; },
    /** Takes a value in the place of the one that is shown. */
    set(next) {
      value = {name: '', code: '', launch: '', assembly: null, isGuess: false, ...next};
      signature = '';
      display();
      readCode(!value.missing);
    },
    /** Whether only the kernel's text is shown. */
    fold(isFolded) { started.open = !isFolded || value.isGuess; },
    /** Selects a line of the text, from 1. */
    select(line) {
      const lines = text.value.split('\n'), from = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
      text.focus();
      text.setSelectionRange(from, from + (lines[line - 1] || '').length);
      text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
    },
    /** Another launch, which was found to be read. */
    found(launch) { value.launch = launch; value.isGuess = true; readCode(false); },
  };
}
