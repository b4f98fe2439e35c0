// Units as readers name them, made into what the program takes: a product gets a format, and two units of one format
// get one number of products, so that one vector suits both.
import {askJson} from './program.js';
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

/** The product that a text names by itself, or with overrides in braces; else null. */
export function productOf(text) {
  const m = /^([^/{:]+?)\s*(\{.*\})?$/.exec(text.trim());
  const found = m && byName.get(plain(m[1]));
  return found ? {...found, overrides: m[2] || ''} : null;
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
  for (const unit of units) shown.push((await askJson(['show', unit, '--json'], {group})).json);
  const shapes = shown.map(x => shapeOf(x.tree));
  const longer = [];
  const [p, q] = shapes;
  if (p && q && p.K !== q.K && p.a === q.a && p.b === q.b && p.c === q.c && p.d === q.d && p.scale === q.scale) {
    const K = p.K / gcd(p.K, q.K) * q.K;
    for (let i = 0; i < 2; ++i) {
      if (shapes[i].K === K || hasK(units[i]) || K > 256) continue;
      units[i] = withOverride(units[i], 'K', K);
      longer.push(i);
      shown[i] = (await askJson(['show', units[i], '--json'], {group})).json;
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
