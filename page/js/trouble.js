// What is wrong with a question, and names that the reader may have meant.
import {h} from './dom.js';

/** An error of which other names are near: those names, and the number of the field that was wrong. */
export class NoUnit extends Error {
  constructor(message, names) {
    super(message);
    this.names = names;
    this.index = 0;
  }
}

/** The sentence of an error, and its near names as buttons. @param choose  called with (index, name) */
export function trouble(error, choose = null) {
  const near = choose && error.names || [];
  return [h('p', {class: 'trouble', role: 'alert'}, error.message),
    near.length ? h('p', {class: 'near'}, 'Did you mean ', near.map((name, i) => [i === 0 ? '' : i === near.length - 1 ? ' or ' : ', ',
      h('button', {type: 'button', class: 'link', onclick: () => choose(error.index, name)}, name)]), '?')
      : error instanceof NoUnit && /^there is no unit/.test(error.message) ? h('p', {class: 'near'}, 'The list of the field has all names.') : null];
}
