// A launch (docs/kernel-files.md) as the page holds it: read from its JSON, written as that, and guessed from a kernel.

/** A launch of a text, or null where it is no object of JSON. */
export function parse(text) {
  try {
    const launch = JSON.parse(text);
    return launch && typeof launch === 'object' && !Array.isArray(launch) ? launch : null;
  } catch { return null; }
}

/** Whether a number of the text has more digits than JavaScript keeps, so that only the text may be changed. */
export const isLong = text => /\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ''));

/** The text of a launch, an argument a line. */
export function write(launch) {
  const line = value => Array.isArray(value) ? `[${value.map(line).join(', ')}]`
    : value && typeof value === 'object' ? `{${Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${line(v)}`).join(', ')}}` : JSON.stringify(value);
  const {arguments: list, ...head} = launch;
  const rows = (list || []).map(argument => `\n  ${line(argument)}`);
  return `${line(head).slice(0, -1)}, "arguments": [${rows.join(',')}]}\n`;
}

/** What an argument of a launch is: a row of the form's menu. */
export function kindOf(argument) {
  if (argument === undefined) return 'none';
  const known = ['matrix', 'result', 'i32', 'i64', 'f32', 'f64', 'zeros', 'pointer'].find(kind => argument && typeof argument === 'object' && kind in argument);
  return known || 'json';
}

const letters = ['mk', 'kn', 'mn'];
// Of what is tried: rows and columns of all arrays, whether a result has a number for each row, and whether each is one row.
const line = {rows: 1, columns: 256, isLine: true};
const matrices = [{rows: 64, columns: 64}, {rows: 128, columns: 128}, line];
const rows = [{rows: 64, columns: 64}, {rows: 16, columns: 2048, isFlat: true}, {rows: 16, columns: 2048}, line];

/**
 * The first launch to show for a kernel: square matrices, contiguous row by row, with all sizes and strides alike.
 * @param kernel  what describe() says. @param entry  one of its entries
 */
export function firstGuess(kernel, entry, sizes = matrices[0]) {
  const isLlir = kernel.language === 'llir';
  return {launch: 1, ...(kernel.entries.length > 1 ? {entry: entry.name} : {}), ...(isLlir && kernel.target ? {target: kernel.target} : {}), grid: [1, 1, 1],
    block: entry.block || (entry.isPlane ? [16, 16, 1] : [isLlir ? 64 : 128, 1, 1]), shared: isLlir ? 65536 : 232448, // what a block of these GPUs can have
    ...argumentsOf(entry, sizes)};
}

const shapeOf = ({rows, columns, isFlat, isLine}, isResult) => isLine ? [columns] : isResult && isFlat ? [rows] : [rows, columns];

/**
 * Looks for a launch that the program reads, from firstGuess() on: the sentence with which it refuses one says whether
 * blocks are missing. Of B's two layouts that is taken which makes fewer different trees.
 * @param ask   from a launch to {out} or, of one that is refused, {refused: sentence}; it may throw
 * @param most  milliseconds after which the search ends
 * @returns {launch, out} or {launch, refused}: the first one and why it is refused
 */
export async function search(kernel, entry, ask, most = 12000) {
  const end = performance.now() + most, reads = entry.parameters.filter(p => p.reads && !p.writes).length;
  let first = null;
  for (const sizes of reads < 2 ? rows : matrices) {
    const base = firstGuess(kernel, entry, sizes);
    const found = await withGrid(base, shapeOf(sizes, true), ask, end);
    first ||= {launch: base, refused: found.refused};
    if (found.out) return performance.now() > end ? found : turned(await whole(found, ask, end), ask);
    if (performance.now() > end) break;
  }
  return first;
}

async function turned(found, ask) {
  const list = found.launch.arguments, launch = {...found.launch, arguments: list.map(a => a.matrix === 'B' && a.axes === 'kn' ? {...a, axes: 'nk'} : a)};
  const trees = out => { const json = JSON.parse(out); return json.kernel ? 0 : json.trees ?? Infinity; };
  if (trees(found.out) === 0 || !list.some(a => a.matrix === 'B')) return found;
  const other = await ask(launch);
  return other.out && trees(other.out) < trees(found.out) ? {launch, out: other.out} : found;
}

// A result that holds something before may be left as it was in part, which no sentence says: the smallest grid of which
// no element is so.
async function whole(found, ask, end) {
  const isPartial = out => (JSON.parse(out).terms || []).some(term => /^t\d+ = (\w+_before\[[^\]]*\]|\+0)$/.test(term));
  if (!found.launch.arguments.some(a => a.initial) || !isPartial(found.out)) return found;
  for (const [x, y] of [[2, 1], [2, 2], [4, 1], [4, 4], [8, 8], [16, 1], [64, 1]]) {
    if (performance.now() > end) break;
    const launch = {...found.launch, grid: [x, y, 1]}, {out} = await ask(launch);
    if (out && !isPartial(out)) return {launch, out};
  }
  return found;
}

// Makes the grid larger, in x or in y, while the program says that an element is not written.
async function withGrid(base, shape, ask, end) {
  const total = shape.reduce((a, b) => a * b), row = shape[shape.length - 1];
  let {grid} = base, axis = 0, best = null, useless = [], first = null;
  for (let tries = 0; tries < 12 && performance.now() < end; ++tries) {
    const launch = {...base, grid}, answer = await ask(launch);
    if (answer.out) return {launch, out: answer.out};
    first ||= answer;
    const missing = Number(/element (\d+) \(from 0\)/.exec(answer.refused)?.[1] ?? NaN);
    if (missing === 1 && shape.length > 1) break; // a block writes a number, not a row
    if (missing > 0 && (!best || missing > best.missing)) {
      best = {grid, missing};
      useless = [];
    } else {
      useless.push(axis);
      axis = [0, 1].find(n => !useless.includes(n));
      if (!best || axis === undefined) break;
    }
    const factor = Math.ceil(best.missing < row ? row / best.missing : total / best.missing);
    grid = best.grid.map((n, i) => i === axis ? n * Math.max(2, factor) : n);
  }
  return first;
}

// Arguments of one size. A result that the kernel reads, too, holds an operand before.
function argumentsOf(entry, sizes) {
  const {isFlat, isLine, columns} = sizes, buffers = [];
  const pointers = entry.parameters.filter(p => p.pointer && (p.reads || p.writes));
  const isResult = p => p.writes && (!p.reads || p.atomic || !pointers.some(q => q.writes && !q.reads));
  let results = pointers.filter(isResult);
  if (results.length === pointers.length && pointers.length > 1) results = [pointers[pointers.length - 1]];
  let operands = 0, written = 0;
  const one = p => {
    if (results.includes(p)) {
      const name = results.length > 1 ? `D${written++}` : 'D';
      const array = {format: entry.d || p.format || 'f32', shape: shapeOf(sizes, true), axes: isLine ? 'n' : isFlat ? 'm' : 'mn'};
      if (p.reads && !p.atomic) buffers.push({matrix: `${name}_before`, ...array});
      return {result: name, ...array, ...(p.atomic ? {initial: 'zero'} : p.reads ? {initial: `${name}_before`} : {})};
    }
    if (p.pointer && pointers.includes(p)) {
      const at = operands++, name = at < 2 ? 'AB'[at] : at < 20 ? 'CEFGHIJKLNOPQRSTUVWX'[at - 2] : `A${at}`;
      return {matrix: name, format: at < 2 ? entry[at ? 'b' : 'a'] || p.format || 'f32' : p.format || entry.a || 'f32', shape: shapeOf(sizes, false), axes: isLine ? 'n' : letters[Math.min(at, 2)]};
    }
    if (p.pointer) return {zeros: 4096};
    if (p.type === 'bytes' || p.bytes < 4) return {hex: '00'.repeat(p.bytes)};
    if (p.type === 'f32' || p.type === 'f64') return {[p.type]: 1};
    return {[p.bytes === 8 ? 'i64' : 'i32']: columns};
  };
  const list = entry.parameters.map(one);
  // What is not used at the end need not be said.
  while (list.length && 'zeros' in list[list.length - 1]) list.pop();
  return {...(buffers.length ? {buffers} : {}), arguments: list};
}
