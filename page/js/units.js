// Units as readers name them, made into what the program takes: a product gets a format, and two units of one format
// get one number of products, so that one vector suits both.
import {ask, askJson, Stopped} from './program.js';
import {NoUnit} from './trouble.js';
import catalogue from 'catalogue';

/** The products, [{product, arch}], in the order of the program's list. */
export const products = catalogue.products;
/** The names of the catalogue's units. */
export const names = catalogue.units;
/** The formats that units have, as products name them: {format: what it is}, for the menu. */
export const formats = {
  'f16': 'f16, added in f32', 'bf16': 'bf16, added in f32', 'tf32': 'tf32, added in f32', 'e4m3': 'fp8 e4m3, added in f32',
  'e5m2': 'fp8 e5m2, added in f32', 'e4m3fnuz': 'fp8 e4m3fnuz, added in f32', 'e5m2fnuz': 'fp8 e5m2fnuz, added in f32',
  'e2m1': 'fp4 e2m1, added in f32', 'f16.f16': 'f16, added in f16', 'bf16.bf16': 'bf16, added in bf16',
  'f32': 'f32', 'f64': 'f64',
};

const plain = text => text.toLowerCase().replace(/[\s_-]/g, '');
const byName = new Map(products.map(p => [plain(p.product), p]));
const learned = new Map(); // names as drivers print them, and what the program takes them for
const nameAlone = text => /^([^/{:]+?)\s*(\{.*\})?$/.exec(text.trim());

/** The product that a text names by itself, or with overrides in braces; else null. */
export function productOf(text) {
  const m = nameAlone(text), found = m && (byName.get(plain(m[1])) || learned.get(plain(m[1])));
  return found ? {...found, overrides: m[2] || ''} : null;
}

/** Asks the program about names that are none of the list's, such as "NVIDIA H100 80GB HBM3"; productOf() knows them then. */
export async function learn(texts, group) {
  for (const text of texts) {
    const name = nameAlone(text)?.[1];
    if (!name || name.startsWith('-') || productOf(text) || names.includes(name)) continue;
    const found = /its units are ([^,]+)\/[^,/]+(?:,|$)/m.exec((await ask(['show', name], {group})).err);
    if (found && byName.has(plain(found[1]))) learned.set(plain(name), byName.get(plain(found[1])));
  }
}

/** The product and the format of a text such as "H100/e4m3", or null. */
export function productAndFormat(text) {
  const m = /^([^/{:]+)\/([^/{:]+?)\s*(\{.*\})?$/.exec(text.trim()), found = m && byName.get(plain(m[1]));
  return found ? {...found, format: m[2].trim(), overrides: m[3] || ''} : null;
}

/** What `show` says of a unit. @throws NoUnit with the program's sentence and the nearest names */
export async function showUnit(unit, group) {
  try {
    if (unit.startsWith('-')) throw new Error(`there is no unit '${unit}'`); // no option of the program's
    return (await askJson(['show', unit, '--json'], {group})).json;
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const said = / \(did you mean (.*?)\?\)/.exec(error.message);
    const message = error.message.replace(said ? said[0] : '; `discern units` lists the names', '');
    throw new NoUnit(message, said ? said[1].split(/, | or /) : /there is no (unit|architecture)/.test(message) ? nearest(unit) : []);
  }
}

// Names of the list that are few letters away.
function nearest(text) {
  const wanted = plain(text.split('{')[0]), all = [...products.map(p => p.product), ...names];
  const far = all.map(name => [plain(name).startsWith(wanted) ? 0 : distance(wanted, plain(name)), name]).filter(([d]) => wanted && d <= Math.max(1, wanted.length / 3));
  return far.sort((x, y) => x[0] - y[0]).slice(0, 3).map(([, name]) => name);
}
function distance(a, b) {
  if (Math.abs(a.length - b.length) > a.length / 3 + 1) return Infinity;
  let row = Array.from({length: b.length + 1}, (_, j) => j);
  for (let i = 1; i <= a.length; ++i)
    row = row.reduce((next, above, j) => [...next, j === 0 ? i : Math.min(above + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))], []);
  return row[b.length];
}

/** The unit of a text: a product alone gets the format. */
export function unitOf(text, format) {
  const product = productOf(text);
  return product ? `${product.product}/${format}${product.overrides}` : text.trim();
}

/** A name for sentences and labels: "A100" rather than "A100/f16{K=16}" where the page itself added the rest. */
export function shortName(text) {
  const product = productOf(text);
  if (product) return product.product + product.overrides;
  return text.trim();
}

/** The formats, the scales and K that the head of a notation line says. */
export function shapeOf(tree) {
  const m = /^([a-z0-9]+)\*([a-z0-9]+)(?:\+([a-z0-9]+))?->([a-z0-9]+) K=(\d+)(?:.*? scale=([a-z0-9]+)\/(\d+))?/.exec(tree.split(' : ')[0]);
  return m ? {a: m[1], b: m[2], c: m[3] || null, d: m[4], K: Number(m[5]), scale: m[6] || null,
              scaleBlock: m[7] ? Number(m[7]) : 0} : null;
}

const gcd = (a, b) => b === 0 ? a : gcd(b, a % b);

/** A unit with another override in its braces. */
export function withOverride(unit, key, value) {
  const m = /^(.*)\{([^{}]*)\}$/s.exec(unit);
  if (!m) return `${unit}{${key}=${value}}`;
  const rest = m[2].split(',').filter(o => o.trim() && o.split('=')[0].trim() !== key);
  return `${m[1]}{${[...rest, `${key}=${value}`].join(',')}}`;
}

const hasK = unit => /\{[^{}]*\bK=/.test(unit) || unit.includes(' : ');

/**
 * Both units as the program takes them, of one K.
 * @returns {units: [u, v], shown: [show --json of each], K, longer: [index of units that got a larger K]}
 */
export async function pairOf(texts, format, group) {
  const units = texts.map(t => unitOf(t, format));
  const shown = [];
  for (const unit of units) {
    try {
      shown.push(await showUnit(unit, group));
    } catch (error) {
      error.index = shown.length; // which of the two was wrong
      throw error;
    }
  }
  const shapes = shown.map(x => shapeOf(x.tree));
  const longer = [];
  const [p, q] = shapes;
  if (p && q && p.K !== q.K && p.a === q.a && p.b === q.b && p.c === q.c && p.d === q.d && p.scale === q.scale) {
    const K = p.K / gcd(p.K, q.K) * q.K;
    for (let i = 0; i < 2; ++i) {
      if (shapes[i].K === K || hasK(units[i]) || K > 256) continue;
      units[i] = withOverride(units[i], 'K', K);
      longer.push(i);
      shown[i] = await showUnit(units[i], group);
    }
  }
  return {units, shown, longer, shape: shapeOf(shown[0].tree)};
}

/** What can be typed: products first, then products with formats, then names of the catalogue. */
export function completions(text, {bare = true} = {}) {
  const wanted = plain(text);
  const found = [];
  const add = (value, note) => { if (found.length < 60 && !found.some(f => f.value === value)) found.push({value, note}); };
  const [head, tail] = text.split('/');
  const exact = byName.get(plain(head));
  if (exact && text.includes('/'))
    for (const f of catalogue.formats[exact.arch] || [])
      if (f.startsWith(tail.trim())) add(`${exact.product}/${f}`, formats[f] || f);
  const starts = products.filter(p => plain(p.product).startsWith(wanted));
  const has = products.filter(p => !starts.includes(p) && (plain(p.product).includes(wanted) || plain(p.arch).startsWith(wanted)));
  for (const p of [...starts, ...has]) add(bare ? p.product : `${p.product}/f16`, p.arch);
  if (exact) for (const f of catalogue.formats[exact.arch] || []) add(`${exact.product}/${f}`, formats[f] || f);
  if (wanted) for (const n of names) if (plain(n).includes(wanted)) add(n, 'catalogue');
  return found;
}

/** The formats of a product's units, or null if it is no product. */
export const formatsOf = text => {
  const product = productOf(text);
  return product ? catalogue.formats[product.arch] || [] : null;
};
