// The program, in a thread of its own: a command line goes in, what it printed comes back. A module answers one
// question after the other; to stop it, the thread is ended.
import Discern from 'discern-module';

let module = null;
let output = [], errors = [];
const input = {bytes: new Uint8Array(), at: 0};
const decoder = new TextDecoder();

// Bytes in pieces: an answer may have millions.
function collect(pieces, byte) {
  if (byte === null) return;
  let last = pieces[pieces.length - 1];
  if (!last || last.used === last.bytes.length) pieces.push(last = {bytes: new Uint8Array(1 << 16), used: 0});
  last.bytes[last.used++] = byte & 255;
}

function text(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.used, 0));
  let at = 0;
  for (const piece of pieces) { whole.set(piece.bytes.subarray(0, piece.used), at); at += piece.used; }
  return decoder.decode(whole);
}

async function start(compiled) {
  module = await Discern({
    noExitRuntime: false,
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(instance => done(instance, compiled));
      return {};
    },
    stdin: () => input.at < input.bytes.length ? input.bytes[input.at++] : null,
    stdout: byte => collect(output, byte),
    stderr: byte => collect(errors, byte),
  });
  module.FS.mkdir('/files');
  module.FS.chdir('/files');
  postMessage({ready: true});
}

function answer({id, args, files}) {
  output = []; errors = [];
  const names = Object.keys(files || {});
  for (const name of names) module.FS.writeFile(name, files[name]);
  const began = performance.now();
  let status;
  try {
    status = module.callMain(args);
  } catch (error) {
    status = error && error.name === 'ExitStatus' ? error.status : null;
    if (status === null) { // out of memory, or a defect: this module is not to be asked again
      postMessage({id, broken: String(error && error.message || error)});
      return;
    }
  }
  for (const name of names) { try { module.FS.unlink(name); } catch { /* the program may have removed it */ } }
  postMessage({id, status, ms: performance.now() - began, out: text(output), err: text(errors)});
}

onmessage = event => event.data.compiled ? start(event.data.compiled) : answer(event.data);
