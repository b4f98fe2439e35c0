// The picture of `explain --json`: the sums of a unit, bit under bit by weight, with the bar behind which bits are lost.
//
// The pictures of two units have the same columns, so that a bit of one stands where it stands in the other.
import {s} from './dom.js';
import {exact, isZero, leading, places, readable} from './exact.js';
import style from './picture.css';

const cell = 12, line = 18, labels = 148, gapWidth = 22, headGap = 6, letter = 6.7;

// Where a unit parts from the other: the block and step that the program names, or, where the two have other shapes and
// no one step is named, the first step that loses bits.
function partOf(unit, parting) {
  if (!parting) return {block: -1, step: null};
  const losing = parting.step || parting.what === 'last' ? null : unit.blocks.flatMap((block, at) => block.steps.filter(step => loses(step, block)).map(step => ({block: at, step: step.name})))[0];
  return losing || {block: parting.block, step: parting.step || null};
}
function loses(step, block) {
  if (step.terms) return step.terms.some(t => t.dropped || isLost(t.cut));
  const before = block.steps[block.steps.indexOf(step) - 1];
  return before && before.sum !== undefined && before.sum !== step.value;
}
const isLost = cut => { const x = exact(cut); return x !== null && !isZero(x); };

// What is drawn of a unit: blocks whose products are all zero, and which change nothing, are left out.
function rowsOf(unit, parting) {
  const blocks = unit.blocks.map((block, index) => ({...block, index})).filter(block => {
    const leads = block.elements.some(i => anyTerm(block, `p${i}`)) || block.steps.some(step => step.terms && step.terms.some(t => /^g/.test(t.name) && !zero(t)));
    return leads || unit.blocks.length === 1 || partOf(unit, parting).block === block.index || block.index === 0 && anyTerm(block, 'c');
  });
  return {shown: blocks.length ? blocks : [{...unit.blocks[0], index: 0}], left: unit.blocks.length - Math.max(blocks.length, 1)};
}
const zero = term => { const x = exact(term.value); return x !== null && isZero(x); };
const anyTerm = (block, name) => block.steps.some(step => step.terms && step.terms.some(t => t.name === name && !zero(t)));

function numbersOf(step) {
  if (!step.terms) return [step.value];
  return [...step.terms.filter(t => !zero(t)).map(t => t.value), step.sum];
}

/** The columns that both pictures share: exponents from the largest down, null where some are left out. */
export function columnsOf(units, parting) {
  const used = new Set();
  for (const unit of units)
    for (const block of rowsOf(unit, parting).shown)
      for (const step of block.steps) {
        for (const number of numbersOf(step)) {
          const x = exact(number);
          if (x && !isZero(x)) for (const place of places(x).keys()) used.add(place);
        }
        for (const term of step.terms || [])
          if (!zero(term) && term.last_place !== undefined) used.add(term.last_place).add(term.last_place - 1);
      }
  const sorted = [...used].sort((a, b) => b - a), columns = [];
  for (const place of sorted) {
    const before = columns[columns.length - 1];
    if (before !== undefined && before - place > 1) {
      if (before - place <= 4) for (let p = before - 1; p > place; --p) columns.push(p);
      else columns.push(null);
    }
    columns.push(place);
  }
  return columns;
}

function positions(columns) {
  const at = new Map();
  let x = labels + 14;
  for (const place of columns) {
    if (place === null) x += gapWidth;
    else { at.set(place, x); x += cell; }
  }
  return {at, right: x};
}

/**
 * The picture of one unit.
 * @param unit     an object of `explain --json`
 * @param side     'a' or 'b'
 * @param columns  of columnsOf
 * @param parting  `parts_at`, or null
 * @returns {group: an element <g>, width, height}
 */
export function drawUnit(unit, side, title, columns, parting) {
  const {at, right} = positions(columns);
  const group = s('g', {class: side});
  let y = 16, width = right + 8;
  const boxes = [];
  const put = (element, ...children) => group.append(s(element, ...children));
  const text = (className, x, content) => put('text', {class: className, x, y}, content);

  text('title', 0, title);
  y += line;
  drawAxis();
  const {shown, left} = rowsOf(unit, parting);
  for (const block of shown) drawBlock(block);
  if (left > 0) text('note', 0, `${left} more block${left > 1 ? 's' : ''} whose products are all zero`), y += line;
  for (const box of boxes) box.setAttribute('width', width + 6);
  return {group, width, height: y};

  function drawAxis() {
    let last = null;
    for (const place of columns) {
      if (place === null) { last = null; continue; }
      if (last !== null && place !== 0 && last - place < 4 || last !== null && last - place < 3) continue;
      text('axis', at.get(place) + cell / 2, `2${superscript(place)}`);
      last = place;
    }
    y += line;
  }

  function drawBlock(block) {
    const elements = block.elements, many = unit.blocks.length > 1;
    if (many) {
      text('note', 0, `block ${block.index}: p${elements[0]}${elements.length > 1 ? ` to p${elements[elements.length - 1]}` : ''}, and ${block.accumulator}`);
      y += line;
    }
    const empty = step => step.terms && step.terms.every(zero);
    const left = block.steps.filter(empty), steps = left.length === block.steps.filter(x => x.terms).length ? block.steps : block.steps.filter(x => !empty(x));
    if (steps.length < block.steps.length) {
      text('note', 14, `${left.map(x => x.name).join(', ')}: all terms are zero`);
      y += line;
    }
    // Units of different shapes part before the first step, and those that add c at the end after the last one.
    const part = partOf(unit, parting);
    const partsAt = part.block !== block.index ? null : part.step || (parting.what === 'last' ? steps[steps.length - 1].name : steps[0].name);
    for (const [index, step] of steps.entries()) {
      const parts = partsAt === step.name && index === steps.findIndex(x => x.name === partsAt);
      const top = y;
      const box = parts ? s('rect', {class: 'part-box', x: -6, y: top - 14, rx: 4}) : null;
      if (box) group.append(box);
      if (step.terms) drawSum(step, parts); else drawRounding(step, parts);
      if (box) { box.setAttribute('height', y - top - 1); boxes.push(box); }
      y += headGap;
    }
    y += 4;
  }

  function drawSum(step, parts) {
    const terms = step.terms.filter(t => !zero(t));
    const lasts = [...new Set(terms.filter(t => t.last_place !== undefined).map(t => t.last_place))];
    const kept = lasts.length === 0 ? '' : `, kept down to ${lasts.map(p => `2${superscript(p)}`).join(' or ')}`;
    head(parts, step.E === null ? `${step.name}: added` : `${step.name}: E = ${step.E}${step.E_from ? `, from ${step.E_from}` : ''}${step.E_raised ? ', raised' : ''}${kept}`);
    y += line;
    const top = y - 13;
    for (const term of terms) drawNumber(term.name, term.value, term.last_place, lossNote(term));
    if (terms.length === 0) { text('note', 14, 'all terms are zero'); y += line; }
    if (lasts.length === 1 && at.has(lasts[0])) {
      const x = at.get(lasts[0]) + cell + 0.5;
      put('line', {class: 'bar', x1: x, x2: x, y1: top, y2: y - 14});
    }
    put('line', {class: 'rule', x1: 0, x2: right, y1: y - 13.5, y2: y - 13.5});
    drawNumber(step.name, step.wrapped ?? step.sum, undefined,
               step.wrapped !== undefined ? 'the register wrapped' : '', true);
  }

  function head(parts, words) {
    put('text', {class: 'head', x: 0, y}, words, parts ? s('tspan', {class: 'part', dx: 10}, '◆ here they part') : '');
    width = Math.max(width, words.length * letter + (parts ? 130 : 0));
  }

  function lossNote(term) {
    if (term.dropped) return 'dropped: it counts as zero';
    const cut = exact(term.cut);
    if (!cut || isZero(cut)) return '';
    const keeps = exact(term.kept);
    return keeps && isZero(keeps) ? 'all of it is lost' : `loses ${readable(term.cut)}`;
  }

  function drawRounding(step, parts) {
    head(parts, `${step.name}: rounded to ${step.round} (${step.mode})`);
    y += line;
    drawNumber(step.name, step.value, undefined, '', true);
  }

  function drawNumber(name, number, lastPlace, note, total = false) {
    text(total ? 'label total' : 'label', 14, name);
    const x = exact(number);
    text('value', labels, readable(number).replace('-', '−'));
    if (x && !isZero(x)) {
      text('bit', labels + 8, x.negative ? '−' : '+');
      for (const [place, bit] of places(x)) {
        if (!at.has(place)) continue;
        const isLost = lastPlace !== undefined && place < lastPlace;
        if (bit === '1') put('rect', {class: isLost ? 'lost' : 'one', x: at.get(place) + 0.5, y: y - 13, width: cell - 1, height: line - 2, rx: 2});
        text(isLost ? 'lost-bit' : 'bit', at.get(place) + cell / 2, bit);
      }
      const top = leading(x);
      for (let i = 0; i < columns.length; ++i)
        if (columns[i] === null && columns[i - 1] <= top && columns[i + 1] >= x.last) text('gap', (at.get(columns[i - 1]) + cell + at.get(columns[i + 1])) / 2, '…');
    } else if (x === null) text('bit', labels + 30, String(number));
    if (note) {
      // Behind the last bit, or behind the bar where that lies further right.
      const ends = [x && at.get(x.last), at.get(lastPlace)].filter(e => e !== undefined && e !== null);
      const from = ends.length ? Math.max(...ends) + cell + 8 : right + 8;
      text('note', from, note);
      width = Math.max(width, from + 4 + note.length * letter);
    }
    y += line;
  }
}

/** An exponent as small letters. */
export const superscript = n => String(n).replace(/-/, '⁻').replace(/\d/g, d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);

/** A picture for the page. @param described  the id of an element that says the same in words */
export function figure(drawn, title, described) {
  const svg = s('svg', {class: 'picture fits', role: 'img', 'aria-label': title, 'aria-describedby': described, width: drawn.width + 12,
                        height: drawn.height, viewBox: `-8 0 ${drawn.width + 12} ${drawn.height}`}, drawn.group);
  svg.style.minWidth = `${Math.round(0.82 * drawn.width)}px`; // a little smaller rather than scrolled
  return svg;
}

/** Several pictures below each other as one file, with its style. */
export function file(drawn, title) {
  const width = Math.max(...drawn.map(d => d.width)) + 32, height = drawn.reduce((sum, d) => sum + d.height + 12, 46);
  let y = 34;
  const svg = s('svg', {xmlns: 'http://www.w3.org/2000/svg', class: 'picture', width, height, viewBox: `0 0 ${width} ${height}`},
    s('style', null, style), s('rect', {class: 'ground', width, height}), s('text', {class: 'head', x: 16, y: 22}, title));
  for (const d of drawn) {
    const group = d.group.cloneNode(true);
    group.setAttribute('transform', `translate(16 ${y})`);
    svg.append(group);
    y += d.height + 12;
  }
  return {text: new XMLSerializer().serializeToString(svg), width, height};
}

/** A file of file() as the bytes of a PNG, twice as large. */
export async function png(picture) {
  const url = URL.createObjectURL(new Blob([picture.text], {type: 'image/svg+xml'}));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = picture.width * 2;
    canvas.height = picture.height * 2;
    const context = canvas.getContext('2d');
    context.scale(2, 2);
    context.drawImage(image, 0, 0);
    return await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
