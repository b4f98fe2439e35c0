// The module as a program, under node: node run.js MODULE-FOLDER ARGUMENT…
//
// Files that the arguments name are copied into the module's own; what it prints comes out as from the native program.
// Also for scripts: load(MODULE-FOLDER) is a promise of a function that answers command lines.
'use strict';
const fs = require('fs');
const path = require('path');

/** A function (args, files = {name: content}, stdin = Buffer) → {status, out, err}, of one module that is kept. */
async function load(folder) {
  const Discern = require(path.resolve(folder, 'discern.js'));
  let out = [], err = [], input = Buffer.alloc(0), at = 0;
  const module = await Discern({
    wasmBinary: fs.readFileSync(path.join(folder, 'discern.wasm')), // node's own fetch reads no files
    noExitRuntime: false,
    stdin: () => at < input.length ? input[at++] : null,
    stdout: byte => { if (byte !== null) out.push(byte & 255); },
    stderr: byte => { if (byte !== null) err.push(byte & 255); },
  });
  module.FS.mkdir('/files');
  module.FS.chdir('/files');
  return (args, files = {}, stdin = Buffer.alloc(0)) => {
    out = []; err = []; input = stdin; at = 0;
    for (const [name, content] of Object.entries(files)) {
      if (path.dirname(name) !== '.') module.FS.mkdirTree(path.dirname(name));
      module.FS.writeFile(name, content);
    }
    let status;
    try {
      status = module.callMain(args);
    } catch (error) {
      if (!error || error.name !== 'ExitStatus') throw error;
      status = error.status;
    }
    return {status, out: Buffer.from(out).toString(), err: Buffer.from(err).toString()};
  };
}
module.exports = {load};

if (require.main === module) {
  const [folder, ...args] = process.argv.slice(2);
  const files = {};
  for (const name of args)
    if (!name.startsWith('-') && fs.existsSync(name) && fs.statSync(name).isFile()) files[name] = fs.readFileSync(name);
  load(folder).then(program => {
    const {status, out, err} = program(args, files, args.includes('-') ? fs.readFileSync(0) : undefined);
    fs.writeSync(1, out);
    fs.writeSync(2, err);
    process.exitCode = status;
  });
}
