// The page's own reading of kernels, without a browser: the text of a launch is written as it was read, every kernel of
// tests/data/kernels and a plain one of CUDA gets a launch that the module reads, texts that are no kernels end nothing,
// and a link gives back what it was made of. Each key of schedules has words.
//
// Usage: node launches.mjs ROOT MODULE-FOLDER
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [root, modules] = process.argv.slice(2).map(path => resolve(path));
if (!existsSync(join(modules, 'discern.wasm'))) {
  console.log(`there is no module in ${modules}; script/page makes one`);
  process.exit(77);
}
const from = name => import(pathToFileURL(join(root, 'page/js/kernel', name)));
const {describe} = await from('code.js'), {firstGuess, isLong, parse, search, write} = await from('launch.js'), {pack, unpack} = await from('packed.js'), {meaning, parts} = await from('schedule.js');
const {load} = createRequire(import.meta.url)(join(root, 'page/wasm/run.js'));
const program = await load(modules);

const wrong = [];
const check = (isRight, what) => { if (!isRight) wrong.push(what); };
const folder = join(root, 'tests/data/kernels');
const text = name => readFileSync(join(folder, name), 'utf8');
const kernels = readdirSync(folder).filter(name => /\.(ptx|llir)$/.test(name));

// A plain kernel of CUDA: no .ptr, no block, two entries; C is read and written.
const plain = readFileSync(join(root, 'tests/page/plain.ptx'), 'utf8');
const naive = describe(plain).entries[0].parameters.map(p => `${p.pointer ? `${p.reads ? 'r' : ''}${p.writes ? 'w' : ''}` : p.type} ${p.format || ''}`.trim());
check(naive.join(', ') === 'u32, u32, u32, f32, r f32, r f32, f32, rw f32', `the parameters of the plain kernel are ${naive.join(', ')}`);

for (const name of readdirSync(folder).filter(n => n.endsWith('.launch.json')))
  check(write(parse(text(name))).trim() === text(name).trim(), `${name} is written as ${write(parse(text(name)))}`);
check(isLong('{"i64": 9223372036854775807}') && !isLong('{"hex": "00112233445566778899"}'), 'a long number is not told from digits of a text');

let tried = 0;
for (const [name, code] of [...kernels.map(n => [n, text(n)]), ['plain.ptx', plain]]) {
  const kernel = describe(code);
  check(kernel.language === (name.endsWith('.ptx') ? 'ptx' : 'llir') && kernel.entries.length > 0, `${name} is ${JSON.stringify(kernel.language)} with ${kernel.entries.length} entries`);
  if (/^(attention|cluster)/.test(name)) continue; // not guessed: other letters and a head of 32; how many blocks make a cluster
  const ask = async launch => {
    ++tried;
    const {status, out, err} = program(['show', `${kernel.language}:${name}`, '--json'], {[name]: code, [name.replace(/\.\w+$/, '.launch.json')]: write(launch)});
    return status === 0 ? {out} : {refused: err};
  };
  for (const entry of kernel.entries) {
    const found = await search(kernel, entry, ask, 120000);
    check(found.out, `no launch was found for ${entry.name} of ${name}: ${found.refused}`);
    if (!found.out || !existsSync(join(folder, name.replace(/\.\w+$/, '.launch.json')))) continue;
    // The guess has another size; which parameter is a result, and in which format, is what the launch says.
    const results = launch => launch.arguments.map((a, i) => a.result ? `${i}:${a.format}` : '').filter(r => r).join();
    const given = parse(text(name.replace(/\.\w+$/, '.launch.json')));
    check(results(found.launch) === results(given), `${name}: results are guessed as ${results(found.launch)}, and are ${results(given)}`);
  }
}

// Texts with pieces cut, doubled and exchanged: whatever is described gets a first launch, which is JSON.
let seed = 1;
const random = n => (seed = (seed * 48271) % 2147483647) % n;
for (let i = 0; i < 600; ++i) {
  let code = text(kernels[random(kernels.length)]).slice(0, 9000);
  for (let n = 0; n < 6; ++n) {
    const at = random(code.length), size = random(200), other = random(code.length);
    code = code.slice(0, at) + [code.slice(other, other + size), '', '(', '}', '[', ',', '%', '\0', '.param', '"'][random(10)] + code.slice(at + random(size + 1));
  }
  try {
    const kernel = describe(code);
    for (const entry of kernel.entries) check(parse(write(firstGuess(kernel, entry))), 'a first launch is no JSON');
  } catch (error) { wrong.push(`a changed text: ${error.stack}`); }
}

for (const value of [{a: {code: text(kernels[0]), launch: '{}'}}, 'ä€𝄞', []]) {
  const packed = await pack(value);
  check(/^[\w-]+$/.test(packed) && JSON.stringify(await unpack(packed)) === JSON.stringify(value), 'a link does not give back what it was made of');
  if (packed.length < 100) continue;
  for (const broken of [packed.slice(0, packed.length / 2), packed.slice(1), `${packed.slice(0, 50)}A${packed.slice(51)}`])
    if (broken !== packed) await unpack(broken).then(() => wrong.push('a broken link is read'), () => {});
}
await unpack(await pack('0'.repeat(4 << 20))).then(() => wrong.push('a link may be of any size'), () => {});

// The keys, orders and modes of the notation's grammar.
const grammar = /kernel   = unit[\s\S]*?ORDER    = .*/.exec(readFileSync(join(root, 'docs/notation.md'), 'utf8'))[0];
const keys = [...grammar.matchAll(/"(\w+)="/g)].map(m => m[1]), orders = [...grammar.slice(grammar.indexOf('ORDER    =')).matchAll(/"([\w-]+)"/g)].map(m => m[1]);
check(keys.length === 11 && orders.length === 5, `the grammar has keys ${keys} and orders ${orders}`);
const example = {K: '64', kc: '16', run: '16', from: 'zero', d: 'f16:rne', promote: '32:f32:rz', reduce: 'order:f32:rne'};
for (const key of keys) {
  const words = meaning(key, example[key] || '2', 16);
  check(words && !/undefined|:/.test(words), `${key}: ${words}`);
}
for (const order of orders)
  for (const [key, value] of [['split', `4:${order}`], ['reduce', order]]) check(!/undefined|:/.test(meaning(key, value, 16)) && !meaning(key, value, 16).endsWith(order), `${key}=${value}: ${meaning(key, value, 16)}`);
check(JSON.stringify(parts('a/b{F=3,c=late}@[K=64 d=f16:rne]')) === JSON.stringify({unit: 'a/b{F=3,c=late}', keys: [['K', '64'], ['d', 'f16:rne']]}), 'a schedule has other parts');

console.log(`${tried} launches tried for ${kernels.length + 1} kernels, ${wrong.length} wrong`);
console.log(wrong.join('\n'));
process.exit(wrong.length ? 1 : 0);
