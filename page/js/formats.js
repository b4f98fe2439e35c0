// Formats of numbers, as far as a page needs them: which bits of a pattern are what, and the number that it is. The
// program decides everything else; tests/page compares this table with it on all patterns of the small formats.

// name: [bits of the exponent, of the fraction, unused bits below it, has a sign, what its special patterns are].
const named = {
  f64: [11, 52, 0, true, 'ieee'], f32: [8, 23, 0, true, 'ieee'], tf32: [8, 10, 13, true, 'ieee'],
  bf16: [8, 7, 0, true, 'ieee'], f16: [5, 10, 0, true, 'ieee'], e5m2: [5, 2, 0, true, 'ieee'],
  e4m3: [4, 3, 0, true, 'fn'], e5m2fnuz: [5, 2, 0, true, 'fnuz'], e4m3fnuz: [4, 3, 0, true, 'fnuz'],
  e3m2: [3, 2, 0, true, 'f'], e2m3: [2, 3, 0, true, 'f'], e2m1: [2, 1, 0, true, 'f'],
  e8m0: [8, 0, 0, false, 'fn'], ue4m3: [4, 3, 0, false, 'fn'], ue5m3: [5, 3, 0, false, 'fn'], e8m13: [8, 13, 10, true, 'ieee'],
};

/** What a format of that name is, or null: no format. Fixed point is a sign and a fraction. */
export function layout(name) {
  const fixed = /^fix(\d+)\.(\d+)$/.exec(name);
  if (fixed) return {name, exponent: 0, fraction: fixed[1] - 1, padding: 0, signed: true, specials: 'fixed', bias: 0, top: 0, hasZero: true, width: Number(fixed[1]), point: Number(fixed[2])};
  const fields = named[name] || byFields(name);
  if (!fields) return null;
  const [exponent, fraction, padding, signed, specials] = fields;
  const top = name === 'ue4m3' ? 1 : 0; // a bit above the exponent that counts for nothing
  const bias = specials === 'fnuz' || specials === 'inuz' ? 2 ** (exponent - 1) : 2 ** (exponent - 1) - 1;
  return {name, exponent, fraction, padding, signed, specials, bias, top, hasZero: name !== 'e8m0',
          width: (signed ? 1 : 0) + top + exponent + fraction + padding};
}

function byFields(name) {
  const m = /^e(\d+)m(\d+)(ieee|fnuz|inuz|fn|f)?$/.exec(name);
  return m ? [+m[1], +m[2], 0, true, m[3] || 'ieee'] : null;
}

export const digitsOf = format => Math.ceil(format.width / 4);

/** The bits of a pattern, from the top: [{bit: '0', part: 'sign' | 'exponent' | 'fraction' | 'unused'}]. */
export function bitsOf(format, hex) {
  const bits = BigInt('0x' + hex).toString(2).padStart(format.width, '0').slice(-format.width);
  const parts = [[format.signed ? 1 : 0, 'sign'], [format.top, 'unused'], [format.exponent, 'exponent'],
                 [format.fraction, 'fraction'], [format.padding, 'unused']];
  let at = 0;
  return parts.flatMap(([count, part]) => [...bits.slice(at, at += count)].map(bit => ({bit, part})));
}

/** The number of a pattern: a JavaScript number, which every number of these formats is exactly. */
export function numberOf(format, hex) {
  const pattern = BigInt('0x' + hex);
  const field = (low, count) => Number((pattern >> BigInt(low)) & ((1n << BigInt(count)) - 1n));
  const f = field(format.padding, format.fraction), e = field(format.padding + format.fraction, format.exponent);
  const negative = format.signed && field(format.width - 1, 1) === 1;
  if (format.specials === 'fixed') return Number(BigInt.asIntN(format.width, pattern)) / 2 ** format.point;
  const most = 2 ** format.exponent - 1, ones = 2 ** format.fraction - 1;
  if (format.specials === 'ieee' && e === most) return f === 0 ? (negative ? -Infinity : Infinity) : NaN;
  if (format.specials === 'fn' && e === most && f === ones) return NaN;
  if ((format.specials === 'fnuz' || format.specials === 'inuz') && negative && e === 0 && f === 0) return NaN;
  if (format.specials === 'inuz' && e === most && f === ones) return negative ? -Infinity : Infinity;
  const isNormal = e > 0 || !format.hasZero;
  const significand = (isNormal ? 2 ** format.fraction : 0) + f;
  const exponent = (isNormal ? e : 1) - format.bias - format.fraction;
  // In two steps, so that no power is out of a double's reach.
  const value = significand * 2 ** Math.trunc(exponent / 2) * 2 ** (exponent - Math.trunc(exponent / 2));
  return negative ? -value : value;
}

/** A number as text that JavaScript and the program read back as the same. */
export function textOf(value) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return Object.is(value, -0) ? '-0' : String(value);
}
