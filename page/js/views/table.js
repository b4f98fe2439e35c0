// "A table of GPUs": each two products for one format, as `suite` answered when the page was built.
import {h, fill} from '../dom.js';
import tables from 'tables';
import {address} from '../address.js';
import {commandBox} from '../take.js';
import {commandLine} from '../program.js';

export function tableView({state, replace}) {
  const current = {of: tables.some(t => t.id === state.of) ? state.of : tables[0].id};
  const place = h('div');
  const choices = h('div', {class: 'choices', role: 'group', 'aria-label': 'Format'}, tables.map(t => h('button', {type: 'button', 'data-id': t.id, onclick: () => { current.of = t.id; draw(); }}, t.name)));
  const element = h('div', null, choices, place);

  function draw() {
    replace({of: current.of});
    for (const button of choices.children) button.setAttribute('aria-pressed', String(button.dataset.id === current.of));
    const t = tables.find(x => x.id === current.of);
    const cell = (i, j) => {
      if (i === j) return h('td', {class: 'self'}, h('span', {class: 'hidden'}, 'itself'));
      const relation = t.relation[Math.min(i, j)][Math.max(i, j)];
      const words = relation === 'd' ? 'differ' : relation === 's' ? 'same' : 'open';
      const [p, q] = [t.groups[i], t.groups[j]];
      const link = {A: p.ask, B: q.ask, ...(t.format ? {format: t.format} : {})};
      return h('td', {class: words}, h('a', {href: address('two', link), 'aria-label': `${p.name} and ${q.name}: ${words}`}, h('span', {'aria-hidden': 'true'}, words === 'same' ? '= ' : words === 'differ' ? '≠ ' : '? '), words));
    };
    fill(place, h('p', null, t.says),
      h('div', {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `Table for ${t.name}`}, h('table', {class: 'matrix'}, h('caption', {class: 'hidden'}, `Which products differ for ${t.name}`),
        h('thead', null, h('tr', null, h('td'), t.groups.map(g => h('th', {scope: 'col'}, h('span', null, g.name))))),
        h('tbody', null, t.groups.map((g, i) => h('tr', null, h('th', {scope: 'row', title: g.products.join(', ')}, g.name, g.products.length > 1 ? h('span', {class: 'note'}, ` +${g.products.length - 1}`) : null), t.groups.map((_, j) => cell(i, j))))))),
      t.missing.length ? h('p', {class: 'remark'}, `Not in this table, because the catalogue has no unit of theirs with these formats: ${t.missing.join(', ')}.`) : null,
      h('details', null, h('summary', null, 'Which products stand in a row, and the unit that was asked'), h('ul', null, t.groups.map(g => h('li', null, h('b', null, g.products.join(', ')), `: ${g.unit}`)))),
      h('p', null, 'Each cell rests on a vector or on a proof; a cell leads to it. The same on your machine:'), commandBox(commandLine(['suite', ...t.groups.map(g => g.unit)])));
  }
  return {element, start: async () => draw()};
}
