// The page: six questions, one at a time; the address says which, and with what.
import {fill} from './dom.js';
import {address, read} from './address.js';
import {onChange, stop, warm} from './program.js';
import {explainTerms} from './terms.js';
import {twoView} from './views/two.js';
import {mineView} from './views/mine.js';
import {dataView} from './views/data.js';
import {kernelView} from './views/kernel.js';
import {propertiesView} from './views/properties.js';
import {tableView} from './views/table.js';

const views = {two: twoView, mine: mineView, data: dataView, kernel: kernelView, properties: propertiesView, table: tableView};
const main = document.querySelector('main'), place = document.getElementById('view');
const stopButton = document.getElementById('stop'), working = document.getElementById('working');
let shown = '';

function open() {
  const {view: wanted, state} = read(location.hash);
  const view = views[wanted] ? wanted : 'two';
  stop('replaced');
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${view}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  for (const heading of document.querySelectorAll('[data-view]')) heading.hidden = heading.dataset.view !== view;
  const made = views[view]({state, replace: next => {
    shown = address(view, next);
    history.replaceState(null, '', shown);
  }});
  fill(place, made.element);
  if (main.dataset.shown && main.dataset.shown !== view) scrollTo(0, 0);
  main.dataset.shown = view;
  shown = location.hash;
  made.start().catch(error => console.error(error));
}

addEventListener('hashchange', () => { if (location.hash !== shown) open(); });
stopButton.addEventListener('click', () => stop());
onChange(({busy, command}) => {
  document.body.classList.toggle('busy', busy);
  stopButton.disabled = !busy;
  working.textContent = busy ? command.slice(0, 200) : '';
});
explainTerms(document);
open();
// The module is there before the first number is changed, and does not keep the first picture waiting.
const idle = globalThis.requestIdleCallback || (run => setTimeout(run, 200));
idle(() => warm().catch(() => {}));
