// A text field with a list of what can be typed, after the pattern "combobox" of the ARIA practices: arrows choose,
// Enter takes, Escape closes; any other text may stand in the field.
import {h, fill, newId} from './dom.js';

/**
 * @param label        of the field
 * @param value        at first
 * @param suggest      from the text to [{value, note}]
 * @param changed      called with the text when the reader has chosen or finished typing
 * @returns {element, get value, set value}
 */
export function combobox({label, value, suggest, changed, mark = null}) {
  const listId = newId('list'), inputId = newId('unit');
  let options = [], at = -1, before = value;
  const list = h('ul', {id: listId, role: 'listbox', 'aria-label': `${label}: what can be typed`, hidden: true});
  const input = h('input', {
    id: inputId, type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', value,
    'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': listId,
    oninput: () => open(input.value),
    onfocus: () => input.select(),
    onclick: () => open(''),
    onblur: () => { close(); finish(); },
    onkeydown: key,
  });
  const element = h('div', {class: 'combobox'},
    h('label', {for: inputId}, mark ? h('span', {class: `mark mark-${mark}`, 'aria-hidden': 'true'}, mark.toUpperCase()) : null, label),
    h('div', {class: 'combobox-field'}, input, list));

  function open(text) {
    options = suggest(text);
    at = -1;
    fill(list, options.map((option, i) => h('li', {
      id: `${listId}-${i}`, role: 'option', 'aria-selected': 'false',
      onpointerdown: event => { event.preventDefault(); take(i); },
    }, h('span', null, option.value), h('span', {class: 'note'}, option.note))));
    show(options.length > 0);
  }
  function show(isOpen) {
    list.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) input.removeAttribute('aria-activedescendant');
  }
  function close() { show(false); at = -1; }
  function mark_at(next) {
    if (at >= 0) list.children[at].setAttribute('aria-selected', 'false');
    at = next;
    if (at < 0) return;
    const option = list.children[at];
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({block: 'nearest'});
  }
  function take(i) {
    input.value = options[i].value;
    close();
    finish();
  }
  function finish() {
    if (input.value === before) return;
    before = input.value;
    changed(input.value);
  }
  function key(event) {
    const isOpen = !list.hidden, last = options.length - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) open(input.value);
      if (last < 0 && options.length === 0) return;
      mark_at(event.key === 'ArrowDown' ? (at >= options.length - 1 ? 0 : at + 1) : (at <= 0 ? options.length - 1 : at - 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen && at >= 0) take(at);
      else { close(); finish(); }
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      close();
    }
  }
  return {
    element, input,
    get value() { return input.value; },
    set value(text) { input.value = before = text; },
  };
}
