// A schedule of the notation (docs/notation.md) in words: its unit and its keys, a row each.

import {modes} from '../modes.js';

const orders = {order: 'one after the other', reverse: 'one after the other, from the last', pairwise: 'neighbours first, in rounds', halving: 'each with the one half of them away, in rounds',
  'last-halves': 'halves first, and then from the last'};
const rounded = text => { const [format, mode] = text.split(':'); return `rounded to ${format}, ${modes[mode] || mode}`; };
const ordered = text => text ? `, added ${orders[text] || text}` : '';

const words = {
  kc: v => `k comes in blocks of ${v}; the result of each is the c of the next`,
  split: v => { const [n, order] = v.split(':'); return `k is divided into ${n.includes('+') ? `parts of ${n}` : `${n} contiguous parts`}, each with an accumulator of its own${ordered(order)}`; },
  slice: v => { const [n, order] = v.split(':'); return `k is dealt to ${n} slices in turn, each with an accumulator of its own${ordered(order)}`; },
  run: v => `${v} products go to a slice at a time`,
  unroll: v => { const [n, order] = v.split(':'); return `${n} accumulators take the instructions in turn${ordered(order)}`; },
  lanes: v => { const [n, order] = v.split(':'); return `${n} lanes take the instructions in turn${ordered(order)}`; },
  promote: v => `each ${v.split(':')[0]} products are a chain from +0, whose result is added to an outer accumulator and ${rounded(v.split(':').slice(1).join(':'))}`,
  reduce: v => { const [order, ...format] = v.split(':'); return `partial sums are added ${orders[order] || order}${format.length ? `, each sum ${rounded(format.join(':'))}` : ''}`; },
  from: v => v === 'zero' ? 'all chains begin from +0, and c is added at the end' : 'the first chain begins from c',
  d: v => `the result is ${rounded(v)}`,
};

/** {unit, keys: [[key, value]]} of a schedule's text, or null. */
export function parts(text) {
  const m = /^([\s\S]*)@\[([^\]]*)\]$/.exec(text);
  return m ? {unit: m[1], keys: m[2].split(/[\s,]+/).filter(k => k).map(k => [k.slice(0, k.indexOf('=')), k.slice(k.indexOf('=') + 1)])} : null;
}

/** What a key means, in words. @param instruction  the unit's own K, or 0 */
export function meaning(key, value, instruction) {
  if (key === 'K') {
    const count = Number(value) / instruction;
    return `${value} products for each element${Number.isInteger(count) ? `, in ${count} ${count === 1 ? 'instruction' : 'instructions'} of ${instruction}` : ''}`;
  }
  return words[key] ? words[key](value) : '';
}

/** Whether the instructions are one chain in the order of k. */
export const isChain = keys => keys.every(([key]) => ['K', 'd', 'from'].includes(key));
