// The state of the page as text after the # of its address: readable, and all that is needed to see the same again.

const plain = text => encodeURIComponent(text).replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/').replace(/%20/g, '+').replace(/%7B/g, '{').replace(/%7D/g, '}').replace(/%3D/g, '=');

/** "#two?A=A100&B=H100". Blanks are written as +. */
export function address(view, state) {
  const parts = Object.entries(state).filter(([, v]) => v !== '' && v !== undefined && v !== null).map(([k, v]) => `${k}=${plain(String(v))}`);
  return `#${view}${parts.length ? `?${parts.join('&')}` : ''}`;
}

/** {view, state} of such text; what is no state is left out. */
export function read(text) {
  const [view, rest] = text.replace(/^#/, '').split(/\?(.*)/s);
  const state = {};
  for (const part of (rest || '').split('&')) {
    const i = part.indexOf('=');
    if (i <= 0) continue;
    try { state[part.slice(0, i)] = decodeURIComponent(part.slice(i + 1).replace(/\+/g, ' ')); } catch { /* a broken escape */ }
  }
  return {view, state};
}
