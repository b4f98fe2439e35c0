// "Two units": two boxes, one answer.
import {h} from '../dom.js';
import {combobox} from '../combobox.js';
import {Comparison} from '../comparison.js';
import {completions, formats, formatsOf, productOf, shortName} from '../units.js';

/** The menu of formats for products that are named alone. */
export function formatMenu(value, changed, label = 'Format, where only a product is named') {
  const select = h('select', {'aria-label': label, onchange: () => changed(select.value)},
    Object.entries(formats).map(([name, what]) => h('option', {value: name}, what)));
  select.value = value in formats ? value : 'f16';
  return select;
}

export function twoView({state, replace}) {
  const current = {A: state.A || 'A100', B: state.B || 'H100', format: state.format || 'f16'};
  const comparison = new Comparison({group: 'two', changed: keep});
  const first = combobox({label: 'One unit', mark: 'a', value: current.A, suggest: completions, changed: value => { current.A = value; go(); }});
  const second = combobox({label: 'Another', mark: 'b', value: current.B, suggest: completions, changed: value => { current.B = value; go(); }});
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
    return h('button', {type: 'button', class: 'link', onclick: () => { current.B = second.value = text; go(); }}, text);
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
  function go(given = null) {
    offer();
    if (!given) replace({A: current.A, B: current.B, format: current.format});
    return comparison.compare([current.A, current.B], labels(), current.format, given);
  }
  return {element, start: () => go(state.a ? state : null), comparison};
}
