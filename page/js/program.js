// Questions to the program, which runs in a worker: command lines, one after the other.
//
// The module is compiled once and kept; a worker that is ended is followed by another within a tenth of a second. What
// the first visit asks was answered when the page was built (answers.json), so that it need not wait for the module.

import answers from 'answers';

const limitSeconds = 40;
let compiled = null;      // a promise of the WebAssembly.Module
let makeWorker = null;    // how a worker is started, when the module is there
let worker = null, ready = null;
let current = null;       // {id, resolve, reject, timer} of the question that runs
const waiting = [];
const listeners = new Set();
let lastId = 0;

export class Stopped extends Error {}

/** Calls `listener({busy, command})` whenever a question begins or ends. */
export function onChange(listener) { listeners.add(listener); }
const tell = () => listeners.forEach(l => l({busy: current !== null, command: current ? commandLine(current.args) : ''}));

/** A command line for a shell. */
export function commandLine(args) {
  const plain = /^[A-Za-z0-9_\/.,:=@+-]+$/;
  return ['discern', ...args].map(a => plain.test(a) ? a : `'${a.replace(/'/g, `'\\''`)}'`).join(' ');
}

async function gunzip(stream) {
  return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// From a folder (file:) nothing can be fetched; a script that holds the same files is loaded instead.
function offline() {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = 'offline.js';
    script.onload = () => resolve(globalThis.discernOffline);
    script.onerror = () => reject(new Error('offline.js is not beside the page'));
    document.head.append(script);
  });
}

async function load() {
  let bytes;
  if (location.protocol === 'file:') {
    const {module, worker: source} = await offline();
    const packed = Uint8Array.from(atob(module), c => c.charCodeAt(0));
    bytes = await gunzip(new Blob([packed]).stream());
    const url = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
    makeWorker = () => new Worker(url);
  } else {
    const response = await fetch('discern.wasm.gz');
    if (!response.ok) throw new Error(`discern.wasm.gz: ${response.status} ${response.statusText}`);
    bytes = await response.arrayBuffer();
    // A server may have undone the compression already.
    if (new Uint8Array(bytes, 0, 2)[0] === 0x1f) bytes = await gunzip(new Blob([bytes]).stream());
    makeWorker = () => new Worker('worker.js');
  }
  return WebAssembly.compile(bytes);
}

/** Begins to load the module. */
export function warm() {
  if (ready) return ready;
  compiled ||= load();
  ready = compiled.then(module => new Promise((resolve, reject) => {
    worker = makeWorker();
    worker.onmessage = event => event.data.ready ? resolve() : finished(event.data);
    worker.onerror = event => reject(new Error(event.message || 'the worker did not start'));
    worker.postMessage({compiled: module});
  }));
  ready.catch(() => { ready = null; });
  return ready;
}

function endWorker() {
  if (worker) worker.terminate();
  worker = ready = null;
}

function finished(message) {
  if (!current || message.id !== current.id) return;
  const {resolve, reject, timer} = current;
  clearTimeout(timer);
  current = null;
  if (message.broken) {
    endWorker();
    reject(new Error(/memory|allocat/i.test(message.broken)
      ? 'The browser gives this page no more memory (2 GB).' : `The program ended: ${message.broken}`));
  } else resolve(message);
  next();
}

async function next() {
  tell();
  if (current || waiting.length === 0) return;
  current = waiting.shift();
  const question = current;
  tell();
  try {
    await warm();
  } catch (error) {
    if (current === question) { current = null; question.reject(error); next(); }
    return;
  }
  if (current !== question) return;
  question.timer = setTimeout(() => stopCurrent(
    `This is too heavy for a browser: no answer within ${limitSeconds} seconds.`), limitSeconds * 1000);
  worker.postMessage({id: question.id, args: question.args, files: question.files});
}

function stopCurrent(why) {
  const question = current;
  current = null;
  clearTimeout(question.timer);
  endWorker();
  question.reject(new Stopped(why));
  warm().catch(() => {});
  next();
}

/** Ends the question that runs, and forgets those that wait. */
export function stop(why = 'Stopped.') {
  for (const question of waiting.splice(0)) question.reject(new Stopped(why));
  if (current) stopCurrent(why);
}

/**
 * Asks the program.
 * @param args   the command line, without the program's name
 * @param files  what is in files that the command line names: {name: string | Uint8Array}
 * @param group  a newer question of the same group takes the place of older ones, which end as Stopped
 * @returns {status, out, err, ms}; rejects with Stopped, or with an Error if the program could not run
 */
export function ask(args, {files = null, group = null} = {}) {
  const known = files ? null : answers[args.join(' ')];
  if (known) return Promise.resolve({ms: 0, ...known});
  if (group) {
    for (let i = waiting.length; i-- > 0;)
      if (waiting[i].group === group) waiting.splice(i, 1)[0].reject(new Stopped('replaced'));
    if (current && current.group === group) stopCurrent('replaced');
  }
  return new Promise((resolve, reject) => {
    waiting.push({id: ++lastId, args, files, group, resolve, reject, timer: 0});
    next();
  });
}

/** The sentences of the error stream, without the program's name. */
export const sentences = err => err.split('\n').filter(line => line).map(line => line.replace(/^discern: /, ''));

/** Asks for JSON. @throws Error with the program's sentence if it ended with "trouble", or with no JSON */
export async function askJson(args, options) {
  const answer = await ask(args, options);
  if (answer.status === 2 || !answer.out.trim()) throw new Error(sentences(answer.err).pop() || 'no answer');
  return {...answer, json: JSON.parse(answer.out)};
}
