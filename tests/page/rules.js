// Rules of accessibility that a machine can check, for a page without axe-core: a list of what is wrong.
// Run as a function's body in the page.
const wrong = [];
const visible = e => e.checkVisibility ? e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) : e.offsetParent !== null;
const where = e => `<${e.tagName.toLowerCase()}${e.id ? ` id=${e.id}` : ''}${typeof e.className === 'string' && e.className ? ` class="${e.className}"` : ''}> "${(e.textContent || '').trim().slice(0, 40)}"`;

if (!document.documentElement.lang) wrong.push('the page has no language');
if (!document.title) wrong.push('the page has no title');
if (document.querySelectorAll('main').length !== 1) wrong.push('there is not one main');
if ([...document.querySelectorAll('h1')].filter(visible).length !== 1) wrong.push('there is not one visible h1');

// Headings go down one level at a time.
let level = 0;
for (const heading of [...document.querySelectorAll('h1, h2, h3, h4')].filter(visible)) {
  const now = Number(heading.tagName[1]);
  if (level && now > level + 1) wrong.push(`a heading jumps from h${level} to h${now}: ${where(heading)}`);
  level = now;
}

// Names: of fields, buttons, links, pictures, and regions that scroll.
function nameOf(e) {
  if (e.getAttribute('aria-label')) return e.getAttribute('aria-label');
  const by = e.getAttribute('aria-labelledby');
  if (by) return by.split(' ').map(id => document.getElementById(id)?.textContent || '').join(' ').trim();
  if (e.labels && e.labels.length) return [...e.labels].map(l => l.textContent).join(' ').trim();
  if (e.closest('label')) return e.closest('label').textContent.trim();
  if (e.tagName === 'INPUT') return e.title || '';
  return (e.textContent || '').trim() || e.title || e.alt || '';
}
for (const e of document.querySelectorAll('input, select, textarea, button, a[href], [role=img], img, summary, [role=combobox], [role=listbox]'))
  if (visible(e) && !nameOf(e)) wrong.push(`has no name: ${where(e)}`);
for (const e of document.querySelectorAll('[tabindex]'))
  if (Number(e.getAttribute('tabindex')) > 0) wrong.push(`changes the order of the keyboard: ${where(e)}`);
for (const e of document.querySelectorAll('[onclick]')) wrong.push(`a listener in the markup: ${where(e)}`);

// A name is heard only of what has a role.
for (const e of document.querySelectorAll('div[aria-label], span[aria-label], p[aria-label], pre[aria-label], code[aria-label]'))
  if (!e.getAttribute('role')) wrong.push(`has a name but no role: ${where(e)}`);

// Ids are unique, and what is referred to exists.
const ids = new Set();
for (const e of document.querySelectorAll('[id]')) {
  if (ids.has(e.id)) wrong.push(`the id ${e.id} stands twice`);
  ids.add(e.id);
}
for (const key of ['aria-controls', 'aria-describedby', 'aria-labelledby', 'aria-activedescendant', 'for'])
  for (const e of document.querySelectorAll(`[${key}]`))
    for (const id of e.getAttribute(key).split(' ')) if (!document.getElementById(id)) wrong.push(`${key} names ${id}, which is not there: ${where(e)}`);

// What scrolls can be reached by the keyboard.
for (const e of document.querySelectorAll('body *')) {
  const style = getComputedStyle(e);
  if (visible(e) && /auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 && !e.querySelector('a, button, input, select, textarea, [tabindex="0"]'))
    wrong.push(`scrolls, but not by the keyboard: ${where(e)}`);
}
if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`the page is wider than the window: ${document.documentElement.scrollWidth} of ${innerWidth}`);

// Contrast of text: 4.5, or 3 where it is large (WCAG 2, AA).
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const colours = new Map();
function colour(text) {
  if (!colours.has(text)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    colours.set(text, [r, g, b, a / 255]);
  }
  return colours.get(text);
}
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
function ground(e) {
  const layers = [];
  for (let at = e; at; at = at.parentElement) layers.push(colour(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
}
const luminance = rgb => rgb.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const bad = new Set();
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !visible(e) || e.closest('svg, option, script, :disabled, .hidden')) continue;
  const style = getComputedStyle(e), behind = ground(e);
  let opacity = 1;
  for (let at = e; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  const [r, g, b, a] = colour(style.color), text = over([r, g, b, a * opacity], behind);
  const [x, y] = [luminance(text), luminance(behind)].sort((p, q) => q - p);
  const ratio = (x + 0.05) / (y + 0.05), size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
  if (ratio < (large ? 3 : 4.5)) bad.add(`contrast ${ratio.toFixed(2)}: ${where(e)}`);
}
wrong.push(...bad);
return wrong;
