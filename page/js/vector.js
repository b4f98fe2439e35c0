// The numbers of one vector, to be seen and changed: decimals and patterns, with each bit's part of the format.
import {h, fill} from './dom.js';
import {bitsOf, digitsOf, layout, numberOf, textOf} from './formats.js';
import {exact, readable} from './exact.js';

const partNames = {sign: 'sign', exponent: 'exponent', fraction: 'fraction', unused: 'not used'};

/** The bits of a pattern. @param other  a pattern to compare with: bits that differ are marked */
export function bits(formatName, hex, other = null) {
  const format = layout(formatName);
  if (!format) return h('span', {class: 'bits'}, hex);
  const against = other && bitsOf(format, other);
  const groups = [];
  bitsOf(format, hex).forEach((b, i) => {
    if (!groups.length || groups[groups.length - 1].part !== b.part) groups.push({part: b.part, bits: []});
    const differs = against && against[i].bit !== b.bit;
    groups[groups.length - 1].bits.push(differs ? h('b', {class: 'differs'}, b.bit) : b.bit);
  });
  return h('span', {class: 'bits', role: 'img', 'aria-label': `bits ${groups.map(g => `${partNames[g.part]} ${g.bits.map(b => b.textContent ?? b).join('')}`).join(', ')}`},
    groups.map(g => h('span', {class: `bits-${g.part}`, 'aria-hidden': 'true', title: partNames[g.part]}, g.bits)));
}

/** What the marks of bits() mean. */
export function legend(withDifference = true) {
  const one = (className, text, sample = '01') => h('span', {class: 'legend-item'}, h('span', {class: 'bits', 'aria-hidden': 'true'}, h('span', {class: className}, sample)), ` ${text}`);
  return h('p', {class: 'legend'}, one('bits-sign', 'sign (boxed)', '0'), one('bits-exponent', 'exponent (underlined)'), one('bits-fraction', 'fraction (dotted)'),
    withDifference ? h('span', {class: 'legend-item'}, h('b', {class: 'bits differs'}, '1'), ' differs') : null);
}

/** A pattern as a decimal. */
export function decimal(formatName, hex) {
  const format = layout(formatName);
  return format ? textOf(numberOf(format, hex)) : `0x${hex}`;
}

/** The product of two patterns, exactly, as people read it; with scales their product too. */
function product(shape, vector, i) {
  let p = {negative: false, digits: 1n, last: 0};
  const factors = [[shape.a, vector.a[i]], [shape.b, vector.b[i]]];
  if (vector.sa) factors.push([shape.scale, vector.sa[Math.floor(i / shape.scaleBlock)]], [shape.scale, vector.sb[Math.floor(i / shape.scaleBlock)]]);
  for (const [name, hex] of factors) {
    const format = layout(name), x = format && exact(numberOf(format, hex));
    if (!x) return null;
    p = {negative: p.negative !== x.negative, digits: p.digits * x.digits, last: p.last + x.last};
  }
  return p;
}

/** The exact sum of the products and c, as people read it, or null. */
export function exactSum(shape, vector) {
  const terms = vector.a.map((_, i) => product(shape, vector, i));
  if (shape.c) terms.push(exact(numberOf(layout(shape.c), vector.c)));
  if (terms.some(t => t === null)) return null;
  const last = Math.min(...terms.map(t => t.last));
  if (Math.max(...terms.map(t => t.last)) - last > 4000) return null;
  let sum = 0n;
  for (const t of terms) sum += (t.negative ? -t.digits : t.digits) << BigInt(t.last - last);
  return decimalOf(sum, last);
}

// An integer times a power of two, as a decimal of all digits, or with few of them and a sign that says so.
function decimalOf(sum, last) {
  const sign = sum < 0n ? '−' : '';
  let magnitude = sum < 0n ? -sum : sum;
  if (last >= 0) return last > 80 ? `${sign}${magnitude} · 2^${last}` : sign + (magnitude << BigInt(last));
  const digits = -last;
  if (digits > 60) return `≈ ${readable(Number(sum) * 2 ** Math.max(last, -1000) * 2 ** Math.min(0, last + 1000)).replace('≈ ', '').replace('-', '−')}`;
  const scaled = (magnitude * 5n ** BigInt(digits)).toString().padStart(digits + 1, '0');
  const text = `${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`.replace(/\.?0+$/, '');
  return text.length <= 26 ? sign + text : `≈ ${sign}${Number(text).toPrecision(17).replace(/\.?0+$/, '')}`;
}

const isZeroPattern = hex => /^0*$/.test(hex);

// A number with a decimal comma, as many readers write it, with a point; and that this was done.
function withPoint(text) {
  const point = text.replace(/^([-+−]?\d*),(\d+(?:e[-+]?\d+)?)$/i, '$1.$2');
  return [point, true, point === text ? '' : `${text} is read as ${point}. `];
}

/**
 * A table of the vector's numbers that can be edited.
 * @param edited  called with {a, b, sa, sb, c}: texts, `numbers`: whether they are numbers or patterns, and `remark`
 */
export function vectorTable({shape, vector, edited, showAll, toggled}) {
  const rows = [];
  const K = vector.a.length, few = K <= 8;
  const matters = i => !isZeroPattern(vector.a[i]) || !isZeroPattern(vector.b[i]);
  const shown = [...Array(K).keys()].filter(i => few || showAll || matters(i));
  const rest = K - shown.length;

  // A field for the number, and one for the pattern.
  function fields(key, i, formatName, hex, label) {
    const change = (value, numbers, remark = '') => {
      const next = {numbers, remark};
      for (const k of ['a', 'b', 'sa', 'sb', 'c']) {
        if (vector[k] === undefined || vector[k] === null) continue;
        const name = k === 'a' ? shape.a : k === 'b' ? shape.b : k === 'c' ? shape.c : shape.scale;
        const as = x => numbers ? decimal(name, x) : x;
        next[k] = Array.isArray(vector[k]) ? vector[k].map(as) : as(vector[k]);
      }
      if (key === 'c') next.c = value; else next[key][i] = value;
      edited(next, `${key}${i ?? ''}`);
    };
    const text = decimal(formatName, hex), digits = digitsOf(layout(formatName));
    return h('div', {class: 'number'},
      h('input', {class: 'decimal', value: text, 'aria-label': `${label}, as a number`, inputmode: 'text', spellcheck: 'false', autocomplete: 'off',
                  size: 12, 'data-field': `${key}${i ?? ''}`, oninput: event => change(...withPoint(event.target.value.trim()))}),
      h('input', {class: 'hex', value: hex, 'aria-label': `${label}, as a pattern of ${digits} hexadecimal digits`, spellcheck: 'false', autocomplete: 'off',
                  size: digits, maxlength: digits, 'data-field': `${key}${i ?? ''}x`, oninput: event => { if (event.target.value.length === digits) change(event.target.value, false); }}),
      bits(formatName, hex));
  }

  for (const i of shown) {
    const p = product(shape, vector, i);
    rows.push(h('tr', null, h('th', {scope: 'row'}, `p${i}`),
      h('td', null, fields('a', i, shape.a, vector.a[i], `a ${i}`)),
      h('td', {class: 'times', 'aria-hidden': 'true'}, '×'),
      h('td', null, fields('b', i, shape.b, vector.b[i], `b ${i}`)),
      h('td', {class: 'product'}, p ? `= ${decimalOf(p.negative ? -p.digits : p.digits, p.last)}` : '')));
  }
  if (vector.sa) {
    vector.sa.forEach((_, i) => {
      const from = i * shape.scaleBlock, to = Math.min(from + shape.scaleBlock, K) - 1;
      if (!showAll && shown.length && !shown.some(k => k >= from && k <= to)) return;
      rows.push(h('tr', {class: 'scales'}, h('th', {scope: 'row'}, `scales of p${from}–p${to}`),
        h('td', null, fields('sa', i, shape.scale, vector.sa[i], `scale of a ${from} to ${to}`)), h('td', {class: 'times', 'aria-hidden': 'true'}, '×'),
        h('td', null, fields('sb', i, shape.scale, vector.sb[i], `scale of b ${from} to ${to}`)), h('td')));
    });
  }
  if (shape.c) rows.push(h('tr', {class: 'c'}, h('th', {scope: 'row'}, 'c'), h('td', {colspan: 3}, fields('c', null, shape.c, vector.c, 'c')), h('td')));
  return h('div', {class: 'vector'},
    h('table', {class: 'numbers'}, h('caption', {class: 'hidden'}, 'The vector: products and c'),
      h('thead', null, h('tr', null, h('th', {scope: 'col'}, h('span', {class: 'hidden'}, 'product')), h('th', {scope: 'col'}, `a (${shape.a})`), h('td'), h('th', {scope: 'col'}, `b (${shape.b})`), h('th', {scope: 'col'}, h('span', {class: 'hidden'}, 'value')))),
      h('tbody', null, rows)),
    few ? null : h('button', {type: 'button', class: 'quiet', onclick: toggled}, showAll ? 'Show only products that are not zero'
      : `Show all ${K} products (${rest} ${rest === 1 ? 'is' : 'are'} zero)`));
}

/** Readable text of a vector for an address: elements that are not zero, by position. */
export function toText(vector) {
  const list = x => { const parts = x.map((hex, i) => isZeroPattern(hex) ? null : `${i}:${hex}`).filter(Boolean); return parts.join(',') || '-'; };
  const result = {a: list(vector.a), b: list(vector.b)};
  if (vector.sa) { result.sa = vector.sa.join(','); result.sb = vector.sb.join(','); }
  if (vector.c !== undefined) result.c = vector.c;
  return result;
}

/** A vector of such text, of this shape; null if it is none. */
export function fromText(text, shape) {
  const digits = name => digitsOf(layout(name) || {width: 32});
  const list = (value, name, count) => {
    const out = Array(count).fill('0'.repeat(digits(name)));
    if (value !== '-') for (const part of value.split(',')) {
      const m = /^(\d+):([0-9a-f]+)$/i.exec(part);
      if (!m || Number(m[1]) >= count || m[2].length !== digits(name)) return null;
      out[Number(m[1])] = m[2];
    }
    return out;
  };
  if (!text.a || !text.b) return null;
  const vector = {a: list(text.a, shape.a, shape.K), b: list(text.b, shape.b, shape.K)};
  if (!vector.a || !vector.b) return null;
  if (shape.scale) {
    if (!text.sa || !text.sb) return null;
    vector.sa = text.sa.split(',');
    vector.sb = text.sb.split(',');
  }
  if (shape.c) vector.c = /^[0-9a-f]+$/i.test(text.c || '') ? text.c : '0'.repeat(digits(shape.c));
  return vector;
}

/** The options of `explain` and `eval` for a vector. */
export function options(vector) {
  const out = [];
  for (const key of ['a', 'b', 'sa', 'sb', 'c'])
    if (vector[key] !== undefined && vector[key] !== null && vector[key].length > 0) out.push(`--${key}=${Array.isArray(vector[key]) ? vector[key].join(',') : vector[key]}`);
  return out;
}

/** A vector as a file that the program reads. */
export function toFile(shape, vector, d) {
  const header = {discern: 1, a: shape.a, b: shape.b};
  if (shape.c) header.c = shape.c;
  Object.assign(header, {d: shape.d, K: vector.a.length});
  if (shape.scale) Object.assign(header, {scale: shape.scale, kblock: shape.scaleBlock});
  const line = {a: vector.a, b: vector.b};
  if (vector.sa) Object.assign(line, {sa: vector.sa, sb: vector.sb});
  if (shape.c) line.c = vector.c;
  if (d !== undefined) line.d = d;
  return `${JSON.stringify(header)}\n${JSON.stringify(line)}\n`;
}
