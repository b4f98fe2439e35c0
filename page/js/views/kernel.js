// "Kernel": the text of a kernel and how it is started give what it computes; two kernels, or one and a schedule, whether
// they give the same bits.
import {h, fill, afterPause, download} from '../dom.js';
import {askJson, ask, commandLine, sentences, Stopped} from '../program.js';
import {commandBox, copyButton} from '../take.js';
import {kernelEditor} from '../kernel/editor.js';
import {search, write} from '../kernel/launch.js';
import {most, pack, unpack} from '../kernel/packed.js';
import {parts} from '../kernel/schedule.js';
import {reading} from '../kernel/answer.js';
import {compared, formatsOf} from '../kernel/compared.js';
import examples from 'kernels';

const withs = {nothing: 'Nothing', kernel: 'Another kernel', schedule: 'A unit’s schedule'};

export function kernelView({state, replace}) {
  let compareWith = 'nothing', run = 0;
  const editors = [kernelEditor({mark: 'a', label: 'The kernel', changed: go, outdate}), kernelEditor({mark: 'b', label: 'The other kernel', changed: go, outdate})];
  const goSoon = afterPause(500, () => go());
  const scheduleField = h('input', {type: 'text', id: 'schedule', spellcheck: 'false', autocapitalize: 'off', placeholder: 'UNIT@[K=128 d=f16:rne]', oninput: () => { outdate(); goSoon(); }});
  const schedule = h('div', {class: 'schedule-field', hidden: true}, h('label', {for: 'schedule'}, 'The schedule, in the notation'), scheduleField);
  const other = h('div', {hidden: true}, editors[1].element);
  const choices = h('div', {class: 'choices', role: 'group', 'aria-label': 'Compare it with'}, h('span', {class: 'label-text'}, 'Compare it with'),
    Object.entries(withs).map(([key, text]) => h('button', {type: 'button', 'data-with': key, onclick: () => { choose(key); go(); }}, text)));
  const answer = h('section', {class: 'answer', 'aria-label': 'The answer'}), verdict = h('div', {class: 'verdict', role: 'status', 'aria-live': 'polite'}), body = h('div');
  answer.append(verdict, body);
  const element = h('div', {class: 'kernel-view'}, editors[0].element, choices, other, schedule, answer);

  // From the first key on, what is shown or still computed is about another text.
  function outdate() {
    ++run;
    answer.setAttribute('aria-busy', 'true');
  }

  function choose(key) {
    compareWith = key;
    for (const editor of editors) editor.fold(key !== 'nothing');
    for (const button of choices.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset.with === key));
    other.hidden = key !== 'kernel';
    schedule.hidden = key !== 'schedule';
    if (key === 'kernel' && !editors[1].value.code && !editors[1].value.missing) editors[1].set(examples.b);
  }

  // The names of both files; the second one gets another name where they are alike.
  function names() {
    const [a, b] = editors.map(e => e.value.name);
    return [a, stem(a) === stem(b) ? `other_${b}` : b];
  }
  const stem = name => name.replace(/\.(ptx|llir|ll)$/, '');
  const argument = (i, name) => `${editors[i].kernel.language === 'llir' ? 'llir' : 'ptx'}:${name}`;
  function filesOf(i, name, launch = editors[i].value.launch) {
    const {code, assembly} = editors[i].value;
    return {[name]: code, [`${stem(name)}.launch.json`]: launch, ...(assembly ? {[`${stem(name)}.amdgcn`]: assembly} : {})};
  }
  const isExample = i => !editors[i].value.assembly && [examples.a, examples.b].find(x => x.code === editors[i].value.code && x.launch === editors[i].value.launch);

  // `show` of one kernel; where its launch is a guess, another one is looked for if the program refuses it.
  async function show(i, name) {
    const known = isExample(i);
    if (known) return JSON.parse(known.show);
    const {value} = editors[i];
    const one = launch => ask(['show', argument(i, name), '--json'], {files: filesOf(i, name, launch), group: 'kernel'});
    const refusal = result => sentences(result.err).pop() || 'no answer';
    if (!value.isGuess || !editors[i].entry) {
      const result = await one(value.launch);
      if (result.status !== 0) throw new Error(refusal(result));
      return JSON.parse(result.out);
    }
    const found = await search(editors[i].kernel, editors[i].entry, async launch => {
      const result = await one(write(launch));
      return result.status === 0 ? {out: result.out} : {refused: refusal(result)};
    });
    if (editors[i].value === value) editors[i].found(write(found.launch));
    if (!found.out) throw new Error(found.refused);
    return JSON.parse(found.out);
  }

  async function unitsOf(jsons) {
    const units = {};
    for (const result of jsons.flatMap(json => json.results || [json])) {
      const name = result.kernel && parts(result.kernel)?.unit;
      if (!name || units[name]) continue;
      try { units[name] = (await askJson(['show', name, '--json'], {group: 'kernel'})).json; } catch (error) { if (error instanceof Stopped) throw error; }
    }
    return units;
  }

  async function go() {
    const now = ++run;
    keep();
    const used = compareWith === 'kernel' ? [0, 1] : [0];
    const [nameA, nameB] = names();
    fill(body);
    if (used.some(i => !editors[i].value.code)) {
      answer.removeAttribute('aria-busy');
      fill(verdict, h('p', {class: 'asking'}, used.some(i => editors[i].value.missing) ? 'The file that the link does not keep is missing: choose it or drop it.' : 'Paste a kernel, or drop its file.'));
      return;
    }
    answer.setAttribute('aria-busy', 'true');
    fill(verdict, h('p', {class: 'asking'}, `Reading ${used.map(i => [nameA, nameB][i]).join(' and ')} …`));
    let command = ['show', argument(0, nameA)];
    const sections = [];
    try {
      const shown = [];
      for (const i of used) {
        command = ['show', argument(i, [nameA, nameB][i])];
        shown.push(await show(i, [nameA, nameB][i]));
        if (now !== run) return;
      }
      const units = await unitsOf(shown);
      if (now !== run) return;
      for (const i of used) sections.push(readingSection(i, [nameA, nameB][i], shown[i], units));
      if (compareWith === 'nothing' || compareWith === 'schedule' && !offerSchedule(shown[0])) {
        fill(verdict, headline(shown[0]));
      } else {
        fill(body, sections);
        command = ['same-bits', argument(0, nameA), compareWith === 'kernel' ? argument(1, nameB) : scheduleField.value.trim()];
        fill(verdict, h('p', {class: 'asking'}, 'Comparing …'));
        const both = await compare(command, used, [nameA, nameB], now);
        if (now !== run) return;
        fill(verdict, both.verdict);
        sections.unshift(both.details);
      }
      if (used.some(i => editors[i].value.isGuess)) verdict.append(h('p', {class: 'remark'}, 'The launch was guessed; the answer is about it.'));
      answer.removeAttribute('aria-busy');
      fill(body, sections, takeAway(command, used, [nameA, nameB]));
    } catch (error) {
      if (now !== run || error instanceof Stopped && error.message === 'replaced') return;
      answer.removeAttribute('aria-busy');
      fill(verdict, h('p', {class: 'trouble', role: 'alert'}, error.message), used.map(i => whereButton(i, [nameA, nameB][i], error.message)),
        error instanceof Stopped ? h('p', null, 'The program itself has no such limit. Run: ', h('code', null, commandLine(command))) : null);
      fill(body, sections, takeAway(command, used, [nameA, nameB]));
    }
    keep();
  }

  // The line that a sentence names, shown in the text.
  function whereButton(i, name, message) {
    const line = message.startsWith(`${name}:`) && /^:(\d+)/.exec(message.slice(name.length))?.[1];
    return line ? h('button', {type: 'button', class: 'quiet', onclick: () => editors[i].select(Number(line))}, `Show line ${line}`) : null;
  }

  // The field's first content: the kernel's own schedule. Whether there is one to compare with.
  function offerSchedule(json) {
    if (!scheduleField.value.trim()) scheduleField.value = (json.results || [json]).map(r => r.kernel).find(Boolean) || '';
    return scheduleField.value.trim() !== '';
  }

  async function compare(command, used, [nameA, nameB], now) {
    const files = Object.assign({}, ...used.map(i => filesOf(i, [nameA, nameB][i])));
    const {json} = await askJson([...command, '--json', '--timeout', '30'], {files, group: 'kernel'});
    let explained = null;
    if (json.vector) {
      const kernels = used.map(i => argument(i, [nameA, nameB][i]));
      if (now !== run) return null;
      explained = (await askJson(['explain', ...kernels, 'vector.json', '--json'], {files: {...files, 'vector.json': JSON.stringify(json.vector)}, group: 'kernel'})).json;
    }
    const labels = compareWith === 'kernel' ? [nameA, nameB] : [nameA, 'the schedule'];
    return compared(json, labels, {...formatsOf(editors[1].value.launch), ...formatsOf(editors[0].value.launch)}, explained);
  }

  function headline(json) {
    const results = json.results || [json], [first] = results;
    if (!first) return h('h2', {class: 'open'}, 'The launch names no result: say which parameter is one');
    const isOpen = results.some(r => r.contractible > 0 || r.ordered_atomics);
    if (results.length === 1 && first.kernel)
      return h('h2', {class: isOpen ? 'open' : ''}, `Each element of ${first.result} is `, h('code', null, first.kernel));
    return h('h2', {class: isOpen ? 'open' : ''}, results.length > 1 ? `It has ${results.length} results` : `Each element of ${first.result} is a tree of ${first.terms.length} terms`.replace(/ 1 terms$/, ' one term'));
  }

  function readingSection(i, name, json, units) {
    return h('section', {class: 'card reading', 'data-kernel': 'ab'[i], 'aria-label': `What ${name} computes`}, h('h2', {class: 'small'}, h('span', {class: `mark mark-${'ab'[i]}`, 'aria-hidden': 'true'}, 'AB'[i]), `What ${name} computes`), reading(json, units));
  }

  function takeAway(command, used, both) {
    const file = i => { const name = both[i]; return [h('button', {type: 'button', onclick: () => download(name, editors[i].value.code, 'text/plain')}, name),
      h('button', {type: 'button', onclick: () => download(`${stem(name)}.launch.json`, editors[i].value.launch, 'application/json')}, `${stem(name)}.launch.json`)]; };
    return h('section', {class: 'card take', 'aria-label': 'Take it with you'}, h('h3', null, 'Take it with you'), h('p', null, 'The command line that gives the same answer, beside these files:'), commandBox(commandLine(command)),
      h('div', {class: 'buttons'}, copyButton('Copy a link to this', () => location.href), used.flatMap(file)));
  }

  // What a link keeps: all of it, or without texts that are too long. The example as it is needs no words.
  function kept(i) {
    const {name, code, launch, assembly, isGuess, missing} = editors[i].value;
    const size = (code || '').length + (assembly || '').length;
    return {name, launch, ...(isGuess ? {isGuess} : {}), ...(missing || size > most ? {missing: missing || size} : {code, ...(assembly ? {assembly} : {})})};
  }
  async function keep() {
    const now = run;
    if (compareWith === 'nothing' && isExample(0) === examples.a) { replace({}); return; }
    const packed = await pack({a: kept(0), ...(compareWith === 'kernel' ? {b: kept(1)} : {}), ...(compareWith === 'schedule' ? {schedule: scheduleField.value} : {})});
    if (now === run && element.isConnected) replace({k: packed});
  }

  async function start() {
    let given = null;
    if (state.k) {
      try { given = await unpack(state.k); } catch { given = {}; }
    }
    const isText = x => typeof x === 'string';
    const isValid = value => value && isText(value.name) && isText(value.launch) && (isText(value.code) || value.missing > 0) && (!value.assembly || isText(value.assembly));
    if (given && !isValid(given.a)) {
      fill(verdict, h('p', {class: 'trouble', role: 'alert'}, 'The link does not hold a kernel: it was cut off or changed. This is the example.'));
      editors[0].set(examples.a);
      choose('nothing');
      return;
    }
    editors[0].set(given ? given.a : examples.a);
    if (given && isValid(given.b)) editors[1].set(given.b);
    if (given && typeof given.schedule === 'string') scheduleField.value = given.schedule;
    choose(given && isValid(given.b) ? 'kernel' : given && typeof given.schedule === 'string' ? 'schedule' : 'nothing');
    return go();
  }
  return {element, start};
}
