// What the page knows before the module has been loaded: the names of units and products, the glossary, the table of
// GPUs, the answers to the question with which the page opens, and two kernels to begin with. Everything comes from the
// program, from docs/ and from tests/data/kernels/.
//
// Usage: node data.mjs MODULE FOLDER      MODULE has discern.js and discern.wasm; the files go to FOLDER
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {createRequire} from 'node:module';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [modules, folder] = process.argv.slice(2).map(path => resolve(path));
const {load} = createRequire(import.meta.url)(join(root, 'page/wasm/run.js'));
const program = await load(modules);
mkdirSync(folder, {recursive: true});
const write = (name, value) => writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));

const json = args => {
  const answer = program(args);
  if (answer.status === 2) throw new Error(`${args.join(' ')}: ${answer.err}`);
  return JSON.parse(answer.out);
};
const shown = unit => { try { return json(['show', unit, '--json']); } catch { return null; } };

// Names. The formats are those that a product can be asked for, as PRODUCT/FORMAT.
const products = json(['units', '--products', '--json']).map(({product, arch}) => ({product, arch}));
const units = json(['units', '--json']);
const asked = ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2', 'e4m3fnuz', 'e5m2fnuz', 'e2m1', 'e3m2', 'e2m3', 'f16.f16', 'bf16.bf16', 'f32', 'f64'];
const archs = [...new Set(products.map(p => p.arch))];
// The product that stands for an architecture: the first of the program's list, or the one that readers know best.
const known = ['MI300X', 'MI250X', 'RX 7900 XTX', 'Ryzen AI Max'];
const first = arch => (products.find(p => p.arch === arch && known.includes(p.product)) || products.find(p => p.arch === arch)).product;
const unitOf = new Map(archs.flatMap(arch => asked.map(f => [`${arch}/${f}`, shown(`${first(arch)}/${f}`)])));
const formats = Object.fromEntries(archs.map(arch => [arch, asked.filter(f => unitOf.get(`${arch}/${f}`))]));
write('catalogue', {products, units: units.map(u => u.unit), formats});

// The glossary: terms and, for "My unit", what each parameter means and can be.
const text = cell => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').trim();
const rows = section => section.split('\n').filter(line => /^\|/.test(line) && !/^\|[-| ]*\|$/.test(line)).map(line => line.split('|').slice(1, -1).map(text));
const [before, parameters] = readFileSync(join(root, 'docs/glossary.md'), 'utf8').split('\n## Parameters');
const meanings = {};
for (const [entry, meaning] of rows(before)) if (entry !== 'term') meanings[entry] = meaning;
write('glossary', meanings);
const keys = {};
for (const [, meaning, , key, values] of rows(parameters)) {
  if (!key || key === 'key' || keys[key]) continue;
  for (const one of key.split(', ')) keys[one] = {meaning: meaning.replace(/^… /, ''), values};
}
write('parameters', keys);

// The table of GPUs: for each format one question of `suite` to one unit for each architecture. Where the instructions
// multiply different numbers of products, all get as many as the longest one.
const scaled = (a, scale, block) => arch => {
  const found = units.filter(u => u.arch === arch && u.a === a && u.b === a && u.scale === scale && u.kblock === block && u.d === 'f32');
  return found.length ? found.reduce((most, u) => u.K > most.K ? u : most) : null;
};
const byProduct = format => arch => { const found = unitOf.get(`${arch}/${format}`); return found && !/ scale=/.test(found.tree) ? {unit: `${first(arch)}/${format}`, K: Number(/ K=(\d+)/.exec(found.tree)[1])} : null; };
const tables = [
  {id: 'f16', name: 'f16', format: 'f16', of: byProduct('f16'), what: 'f16 times f16, added in f32'},
  {id: 'bf16', name: 'bf16', format: 'bf16', of: byProduct('bf16'), what: 'bf16 times bf16, added in f32'},
  {id: 'tf32', name: 'tf32', format: 'tf32', of: byProduct('tf32'), what: 'tf32 times tf32, added in f32'},
  {id: 'fp8-e4m3', name: 'fp8 e4m3', format: 'e4m3', of: byProduct('e4m3'), what: 'e4m3 times e4m3, added in f32'},
  {id: 'fp8-e5m2', name: 'fp8 e5m2', format: 'e5m2', of: byProduct('e5m2'), what: 'e5m2 times e5m2, added in f32'},
  {id: 'mxfp8', name: 'mxfp8', of: scaled('e4m3', 'e8m0', 32), what: 'e4m3 times e4m3 with a scale of e8m0 for each 32, added in f32'},
  {id: 'mxfp4', name: 'mxfp4', of: scaled('e2m1', 'e8m0', 32), what: 'e2m1 times e2m1 with a scale of e8m0 for each 32, added in f32'},
  {id: 'nvfp4', name: 'nvfp4', of: scaled('e2m1', 'ue4m3', 16), what: 'e2m1 times e2m1 with a scale of ue4m3 for each 16, added in f32'},
];
write('tables', tables.map(({id, name, format, of, what}) => {
  const members = archs.map(arch => ({arch, found: of(arch)})).filter(m => m.found);
  const K = Math.max(...members.map(m => m.found.K));
  const groups = members.map(({arch, found}) => {
    const all = products.filter(p => p.arch === arch).map(p => p.product);
    const unit = found.K === K ? found.unit : `${found.unit}{K=${K}}`;
    // What the question "Two units" is asked: products where they can be, which are then made of one length.
    return {name: first(arch), products: all, unit, ask: format ? first(arch) : unit};
  });
  const suite = json(['suite', ...groups.map(g => g.unit), '--json', '--timeout', '300']);
  if (suite.interrupted || suite.open.length) throw new Error(`the table for ${name} is not complete`);
  // The program lists units in its own order, and pairs by their places there.
  const at = groups.map(g => suite.units.indexOf(g.unit));
  const letter = {different: 'd', 'same tree': 's', proved: 's', unknown: 'o'};
  const relation = groups.map((_, i) => groups.map((_, j) => {
    if (j <= i) return '';
    const pair = suite.pairs.find(p => p.units.includes(at[i]) && p.units.includes(at[j]) && at[i] !== at[j]);
    return letter[pair.relation];
  }));
  const shorter = members.filter(m => m.found.K !== K).map(m => first(m.arch));
  const longer = groups.map(g => g.name).filter(n => !shorter.includes(n));
  const who = shorter.length <= longer.length ? shorter.join(', ') : `All but ${longer.join(', ')}`;
  return {id, name, format, groups, relation, missing: archs.filter(a => !of(a)).map(first),
          says: `Sums of ${K} products: ${what}.${shorter.length ? ` ${who}: in several instructions, each one's c the d of the one before.` : ''}`};
}));

// The answers to what the page asks first.
const answers = {};
const remember = args => {
  const {status, out, err} = program(args);
  return answers[args.join(' ')] = {status, out, err};
};
for (const unit of ['A100/f16', 'H100/f16']) remember(['show', unit, '--json']);
const found = JSON.parse(remember(['synth', 'A100/f16', 'H100/f16', '--json', '--timeout', '30']).out).vectors[0];
remember(['explain', 'A100/f16', 'H100/f16', `--a=${found.a.join(',')}`, `--b=${found.b.join(',')}`, `--c=${found.c}`, '--json']);

// The kernels with which the view "Kernel" begins: one source that Triton compiled for two GPUs.
const kernel = name => {
  const [code, launch] = ['ptx', 'launch.json'].map(ending => readFileSync(join(root, `tests/data/kernels/${name}.${ending}`), 'utf8'));
  const {status, out, err} = program(['show', `ptx:${name}.ptx`, '--json'], {[`${name}.ptx`]: code, [`${name}.launch.json`]: launch});
  if (status !== 0) throw new Error(err);
  remember(['show', JSON.parse(out).kernel.split('@')[0], '--json']);
  return {name: `${name}.ptx`, code, launch, show: out};
};
write('kernels', {a: kernel('mm_f16_sm80'), b: kernel('mm_f16_sm90')});
write('answers', answers);
write('version', program(['--version']).out.split('\n')[0]);
