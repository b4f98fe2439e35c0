// Texts in a link: compressed, in the letters that an address has.

/** As many bytes of text as a link takes along. */
export const most = 60000;
const mostUnpacked = 1 << 20; // of a link that the page is given

async function through(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  let sum = 0;
  for (let part; !(part = await reader.read()).done;) {
    sum += part.value.length;
    if (sum > limit) throw new Error('more text than a link has');
    parts.push(part.value);
  }
  const whole = new Uint8Array(sum);
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

/** A value as JSON, compressed, as text of letters, digits, - and _. */
export async function pack(value) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream('deflate'), Infinity);
  let text = '';
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** The value of pack(). @throws if the text is none of it, or has been cut off */
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate'), mostUnpacked)));
}
