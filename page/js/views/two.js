// "Two units": two boxes, one answer.
import {h} from '../dom.js';
import {combobox} from '../combobox.js';
import {Comparison} from '../comparison.js';
import {completions, formats, formatsOf, learn, productAndFormat, productOf, products, shortName} from '../units.js';
import {Stopped} from '../program.js';

/** The menu of formats for products that are named alone. */
export function formatMenu(value, changed, label = 'Format, where only a product is named') {
  const select = h('select', {'aria-label': label, onchange: () => changed(select.value)},
    Object.entries(formats).map(([name, what]) => h('option', {value: name}, what)));
  select.value = value in formats ? value : 'f16';
  return select;
}

export function twoView({state, replace}) {
  const current = {A: state.A || 'A100', B: state.B || 'H100', format: state.format || 'f16'};
  const comparison = new Comparison({group: 'two', changed: keep, choose: (i, name) => typed('AB'[i], name)});
  const first = combobox({label: 'One unit', mark: 'a', value: current.A, suggest: completions, changed: value => typed('A', value)});
  const second = combobox({label: 'Another', mark: 'b', value: current.B, suggest: completions, changed: value => typed('B', value)});
  const menu = formatMenu(current.format, value => { current.format = value; go(); });
  const menuBox = h('div', {class: 'format'}, h('label', null, h('span', {class: 'label-text'}, 'Format'), menu));
  const element = h('div', null,
    h('form', {class: 'boxes', onsubmit: event => event.preventDefault()}, first.element,
      h('button', {type: 'button', class: 'swap quiet', title: 'Exchange the two', 'aria-label': 'Exchange the two units', onclick: () => {
        [current.A, current.B] = [current.B, current.A];
        first.value = current.A; second.value = current.B;
        go();
      }}, '⇄'), second.element, menuBox),
    h('p', {class: 'hint'}, 'A product such as ', example('MI300X'), ' or ', example('RX 9070'), ', a product and a format such as ', example('H100/e4m3'),
      ', a name of the catalogue, or a line of the notation; with overrides in braces, as in ', example('H100{F=24}'), '.'),
    comparison.element);

  function example(text) {
    return h('button', {type: 'button', class: 'link', onclick: () => typed('B', text, true)}, text);
  }
  // A unit with a format was typed on one side: the other side follows, where its product has that format. An example
  // takes another product where it has not.
  function typed(side, text, isExample = false) {
    const other = side === 'A' ? 'B' : 'A', own = productAndFormat(text), boxes = {A: first, B: second};
    current[side] = boxes[side].value = text;
    if (own) {
      const theirs = productAndFormat(current[other]) || productOf(current[other]);
      if (theirs && formatsOf(theirs.product).includes(own.format)) {
        if (own.format in formats) current.format = menu.value = own.format;
        if (theirs.format && theirs.format !== own.format) current[other] = boxes[other].value = `${theirs.product}/${own.format}${theirs.overrides}`;
      } else if (isExample) {
        current[other] = boxes[other].value = products.find(p => p.arch !== own.arch && (formatsOf(p.product) || []).includes(own.format)).product;
        current.format = menu.value = own.format;
      }
    }
    return go();
  }
  function labels() {
    const names = [shortName(current.A), shortName(current.B)];
    return names[0] === names[1] ? names.map((n, i) => `${n} (${'AB'[i]})`) : names;
  }
  function keep() { replace({A: current.A, B: current.B, ...(productOf(current.A) || productOf(current.B) ? {format: current.format} : {}), ...comparison.state()}); }
  function offer() { // formats that both products have come first, the others cannot be chosen
    const both = [formatsOf(current.A), formatsOf(current.B)].filter(Boolean);
    menuBox.hidden = both.length === 0;
    for (const option of menu.options) {
      const has = both.every(list => list.includes(option.value));
      option.disabled = !has && option.value !== current.format;
      option.textContent = formats[option.value] + (has ? '' : ' — not on both');
    }
  }
  let run = 0;
  async function go(given = null) {
    const now = ++run;
    if (!given) replace({A: current.A, B: current.B, format: current.format});
    try {
      await learn([current.A, current.B], 'two');
    } catch (error) { // the comparison below will say what is wrong
      if (error instanceof Stopped) return;
    }
    if (now !== run) return;
    offer();
    return comparison.compare([current.A, current.B], labels(), current.format, given);
  }
  return {element, start: () => go(state.a ? state : null), comparison};
}
