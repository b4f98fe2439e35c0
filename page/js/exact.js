// Numbers of `explain --json`, exactly: those that no double is come as text, such as -0x1.0004p-12.

/** {negative, digits: BigInt, last: exponent of the lowest bit}, with an odd or zero `digits`; null: infinite or NaN. */
export function exact(number) {
  const text = typeof number === 'number' ? null : String(number).trim();
  if (text === null || /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return ofDouble(text === null ? number : Number(text));
  const m = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i.exec(text);
  if (m) return odd(m[1] === '-', BigInt('0x' + (m[2] + m[3] || '0')), Number(m[4]) - 4 * m[3].length);
  const power = /^([+-]?)(?:(\d+)\s*\*\s*)?2\^(-?\d+)$/.exec(text);
  return power ? odd(power[1] === '-', BigInt(power[2] || 1), Number(power[3])) : null;
}

function ofDouble(value) {
  if (!Number.isFinite(value)) return null;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0), e = Number((bits >> 52n) & 0x7ffn), f = bits & ((1n << 52n) - 1n);
  return odd((bits >> 63n) === 1n, e === 0 ? f : f | (1n << 52n), (e === 0 ? 1 : e) - 1075);
}

function odd(negative, digits, last) {
  if (digits === 0n) return {negative, digits, last: 0};
  while ((digits & 1n) === 0n) { digits >>= 1n; ++last; }
  return {negative, digits, last};
}

export const isZero = x => x !== null && x.digits === 0n;
/** The exponent of the leading bit. */
export const leading = x => x.last + x.digits.toString(2).length - 1;

/** The bits of a number: a map from the exponent of each of its places to '0' or '1', from the leading bit down. */
export function places(x) {
  const map = new Map(), text = x.digits.toString(2);
  for (let i = 0; i < text.length; ++i) map.set(x.last + text.length - 1 - i, text[i]);
  return map;
}

/** As people read it: a short decimal, else with a power of two. */
export function readable(number) {
  if (typeof number === 'string') return number;
  const text = Object.is(number, -0) ? '-0' : String(number);
  return text.length <= 14 ? text : Number(number.toPrecision(10)) === number ? String(number) : `≈ ${number.toPrecision(8)}`;
}
