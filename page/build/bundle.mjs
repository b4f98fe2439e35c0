// Puts the page together: one script for the page, one for its worker, the module compressed, and for folders that no
// server serves a script that holds both. All links are relative, so that the folder can lie anywhere.
//
// Usage: node bundle.mjs DATA MODULE PAGE      data.mjs made DATA; MODULE has discern.js and discern.wasm
//
// DISCERN_SOURCES is the address of the sources, to which about.html then has a link.
import {execFileSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const source = join(dirname(fileURLToPath(import.meta.url)), '..');
const [data, module, page] = process.argv.slice(2).map(path => resolve(path));
rmSync(page, {recursive: true, force: true});
mkdirSync(page, {recursive: true});

function esbuild(entry, out, ...options) {
  execFileSync('esbuild', [join(source, entry), '--bundle', '--minify', '--target=es2020', '--log-level=warning', `--outfile=${join(page, out)}`, ...options], {stdio: 'inherit'});
}
const known = ['catalogue', 'glossary', 'parameters', 'tables', 'answers', 'kernels'].map(name => `--alias:${name}=${join(data, `${name}.json`)}`);
esbuild('js/main.js', 'page.js', '--format=iife', '--loader:.css=text', ...known);
esbuild('js/worker.js', 'worker.js', '--format=iife', '--external:fs', '--external:path', '--external:crypto', `--alias:discern-module=${join(module, 'discern.js')}`);
esbuild('page.css', 'page.css');
copyFileSync(join(source, 'icon.svg'), join(page, 'icon.svg'));

// What the page says of itself: version, sources, licence, and those documents that readers of it need.
const version = JSON.parse(readFileSync(join(data, 'version.json'), 'utf8')), sources = process.env.DISCERN_SOURCES;
const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
if (sources && !/^https?:\/\/[^\s"<>]+$/.test(sources)) throw new Error(`DISCERN_SOURCES is no address: ${sources}`);
const parts = ['cadical', 'nlohmann-json', 'fmt', 'cli11', 'boost', 'emscripten', 'musl', 'libcxx'].map(name => join(source, `../LICENSES/${name}.txt`)).filter(existsSync);
if (parts.length) writeFileSync(join(page, 'NOTICES.txt'), parts.map(file => readFileSync(file, 'utf8')).join(`\n${'-'.repeat(78)}\n\n`));
const filled = {
  NOTICES: parts.length ? ': <a href="NOTICES.txt">their notices</a>' : '',
  VERSION: version.replace(/^discern /, ''),
  SOURCES: sources ? `<a href="${escaped(sources)}">${escaped(sources)}</a>` : `the archive ${version.replace(' ', '-')}-source.tar.gz of the same release`,
};
for (const file of ['index.html', 'about.html'])
  writeFileSync(join(page, file), readFileSync(join(source, file), 'utf8').replace(/\b(VERSION|SOURCES|NOTICES)\b/g, word => filled[word]));
copyFileSync(join(source, '../LICENSE'), join(page, 'LICENSE.txt'));
for (const file of ['notation', 'glossary', 'kernel-files', 'page', 'sources']) copyFileSync(join(source, `../docs/${file}.md`), join(page, `${file}.txt`));
// The evidence is one text here, which docs/ has in pages.
const docs = join(source, '../docs'), pages = ['evidence.md', ...readdirSync(docs).filter(file => /^evidence-.*\.md$/.test(file)).sort()];
writeFileSync(join(page, 'evidence.txt'), pages.map(file => readFileSync(join(docs, file), 'utf8')).join('\n'));

// Compressed here, so that what is sent is small whatever the server does; the page undoes it.
// zopfli makes a twentieth less of it.
let packed;
try {
  packed = execFileSync('zopfli', ['-c', '--i5', join(module, 'discern.wasm')], {maxBuffer: 1 << 28});
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
  packed = gzipSync(readFileSync(join(module, 'discern.wasm')), {level: 9});
}
writeFileSync(join(page, 'discern.wasm.gz'), packed);
const offline = {module: packed.toString('base64'), worker: readFileSync(join(page, 'worker.js'), 'utf8')};
writeFileSync(join(page, 'offline.js'), `globalThis.discernOffline = ${JSON.stringify(offline)};\n`);

let sum = 0, sumCompressed = 0;
for (const file of ['index.html', 'icon.svg', 'page.css', 'page.js', 'worker.js', 'discern.wasm.gz', 'offline.js']) {
  const bytes = statSync(join(page, file)).size, small = gzipSync(readFileSync(join(page, file)), {level: 9}).length;
  if (file !== 'offline.js') { sum += bytes; sumCompressed += Math.min(bytes, small); }
  console.log(`${file.padEnd(16)} ${String(bytes).padStart(8)} bytes, ${String(small).padStart(8)} compressed`);
}
console.log(`a visit by a server loads ${sum} bytes, or ${sumCompressed} if the server compresses; offline.js takes the place of the last two in a folder`);
