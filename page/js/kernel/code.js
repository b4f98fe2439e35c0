// What the text of a kernel says of how it is started: its entries and their parameters, the block that it asks for,
// which parameters it reads and writes through, and in which formats. Only a launch is guessed from it: what a kernel
// computes the program reads.

const bytesOf = {u8: 1, s8: 1, b8: 1, u16: 2, s16: 2, b16: 2, f16: 2, u32: 4, s32: 4, b32: 4, f32: 4, u64: 8, s64: 8, b64: 8, f64: 8};

/**
 * What is known of a text.
 * @returns {language: 'ptx' | 'llir' | null, target, entries: [{name, block, isPlane, parameters, a, b, d}]}; `block` may
 *          be null, `isPlane` is whether threads have a y, a and b and d are formats of operands and results or null, and a
 *          parameter is {name, type, bytes, pointer, reads, writes, atomic, format}, of which `reads` and `writes` say
 *          whether it is read and written through, and `format` what the accesses show, or null
 */
export function describe(code) {
  if (/^\s*define\b/m.test(code) && !/\.entry\b/.test(code)) return describeLlir(code);
  return /\.entry\b/.test(code) ? describePtx(code) : {language: null, target: '', entries: []};
}

function describePtx(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/[^\n]*/g, '');
  const heads = [...code.matchAll(/\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?([^{;]*)/g)];
  return {language: 'ptx', target: /\.target\s+([\w]+)/.exec(code)?.[1] || '', entries: heads.map((head, i) => {
    const body = code.slice(head.index + head[0].length, heads[i + 1]?.index ?? code.length);
    const parameters = (head[2] || '').split(',').filter(p => p.trim()).map(parameterOfPtx);
    accessesOfPtx(body, parameters);
    const size = /\.(?:reqntid|maxntid)\s+([\d\s,]+)/.exec(head[3]);
    return {name: head[1], block: size ? size[1].split(',').map(Number).filter(n => n > 0) : null, isPlane: /%tid\.y\b/.test(body), parameters, ...formatsOf(body)};
  })};
}

function parameterOfPtx(text) {
  const words = text.trim().split(/\s+/), last = words[words.length - 1];
  const type = words.map(w => w.slice(1)).find(w => w in bytesOf) || 'b64';
  const [, name, count] = /^([\w$.]+)(?:\[(\d+)\])?$/.exec(last) || [null, last, undefined];
  const bytes = bytesOf[type] * Number(count || 1);
  return {name, type: count ? 'bytes' : type, bytes, pointer: words.includes('.ptr'), reads: false, writes: false, atomic: false, format: null};
}

// Follows the addresses from the parameters to where memory is read and written, register by register. Registers of
// PTX are mostly written once; one that is written twice is taken to hold either.
function accessesOfPtx(body, parameters) {
  const index = new Map(parameters.map((p, i) => [p.name, i]));
  const marked = parameters.some(p => p.pointer);
  const follows = parameters.map(p => p.bytes === 8 && p.type !== 'bytes' && (p.pointer || !marked));
  const from = new Map();
  const of = text => (text.match(/%[A-Za-z_]\w*/g) || []).flatMap(r => [...(from.get(r) || [])]);
  const statements = body.split(';').map(s => /^[\s{}]*(?:[\w$]+:\s*)*(?:@!?%\w+\s+)?([a-z][\w.:]*)\s+([\s\S]+)$/.exec(s)).filter(Boolean);
  for (let pass = 0; pass < 2; ++pass) {
    for (const [, opcode, operands] of statements) {
      const [first, rest] = split(operands);
      const addresses = [...operands.matchAll(/\[([^\]]*)\]/g)].map(m => m[1]);
      const isLoad = /^(ld(\.global|\.relaxed|\.acquire|\.volatile|\.nc|$)|ldu)/.test(opcode) && !/^ld\.(param|shared|local|const)/.test(opcode);
      if (/^ld\.param/.test(opcode)) {
        const at = index.get((addresses[0] || '').split('+')[0].trim());
        if (at !== undefined && follows[at]) add(first, [at]);
      } else if (isLoad) touch(of(addresses[0] || ''), 'reads', opcode);
      else if (/^cp\.async.*\.shared\S*\.global/.test(opcode)) touch(of(addresses[1] || ''), 'reads', opcode);
      else if (/^cp\.async.*\.global\.shared/.test(opcode)) touch(of(addresses[0] || ''), 'writes', opcode);
      else if (/^(st|red|atom)\b/.test(opcode) && !/\.(shared|local|param)/.test(opcode)) {
        touch(of(addresses[0] || ''), 'writes', opcode);
        if (!/^st/.test(opcode)) for (const i of of(addresses[0] || '')) parameters[i].atomic = true;
      } else if (!/^(ld|setp|mma|wgmma|tcgen05)/.test(opcode)) add(first, of(rest));
    }
  }
  function add(target, sources) {
    for (const register of target.match(/%[A-Za-z_]\w*/g) || []) from.set(register, new Set([...(from.get(register) || []), ...sources]));
  }
  function touch(which, key, opcode) {
    const type = opcode.split('.').pop();
    for (const i of which) {
      parameters[i].pointer = parameters[i][key] = true;
      if (type === 'f32' || type === 'f64') parameters[i].format = type;
    }
  }
}

// The first operand, which may be a list in braces, and all others.
function split(operands) {
  const close = operands.startsWith('{') ? operands.indexOf('}') + 1 : 0, comma = operands.indexOf(',', close);
  return comma < 0 ? [operands, ''] : [operands.slice(0, comma), operands.slice(comma + 1)];
}

const smallFloats = 'e4m3|e5m2|e2m1|e3m2|e2m3';

/** The formats of operands and results that the instructions show, each null if none does. */
function formatsOf(body) {
  const one = pattern => pattern.exec(body)?.slice(1) || null;
  const converted = one(new RegExp(`cvt\\.rn\\.(?:b?f16x2)\\.(${smallFloats})x2`));
  const product = one(/(?:mma\.sync|wgmma)\S*?\.(f32|f16|s32|f64)\.(\w+)\.(\w+)/);
  const kind = one(/tcgen05\.mma\S*kind::(\w+)/)?.[0];
  const ofKind = {f16: 'f16', tf32: 'f32', f8f6f4: 'e4m3', i8: 's8', mxf8f6f4: 'e4m3', mxf4: 'e2m1', mxf4nvf4: 'e2m1'}[kind];
  const written = one(/cvt\.r\w+\.(b?f16)(?:x2)?\.f32/)?.[0];
  const memory = name => name === 'tf32' ? 'f32' : name;
  if (converted) return {a: converted[0], b: converted[0], d: 'f32'};
  if (product) return {a: memory(product[1]), b: memory(product[2]), d: product[0] === 'f32' && written ? written : product[0]};
  if (ofKind) return {a: ofKind, b: ofKind, d: written || (kind === 'i8' ? 's32' : 'f32')};
  const widened = one(/cvt\.f32\.(b?f16)/)?.[0];
  return {a: widened || null, b: widened || null, d: written || null};
}

const llirTypes = {i8: ['u8', 1], i16: ['u16', 2], half: ['f16', 2], bfloat: ['u16', 2], i32: ['u32', 4], float: ['f32', 4], i64: ['u64', 8], double: ['f64', 8]};

function describeLlir(text) {
  const target = /"target-cpu"="(\w+)"/.exec(text)?.[1] || /amdgpu(\d+)\.(\w+)-/.exec(text)?.slice(1).join('').replace(/^/, 'gfx') || '';
  const heads = [...text.matchAll(/^define\b[^\n@]*\bamdgpu_kernel\b[^\n@]*@("[^"]+"|[\w$.]+)\(/gm)];
  return {language: 'llir', target, entries: heads.map((head, i) => {
    const [inner, end] = inParentheses(text, head.index + head[0].length);
    const rest = text.slice(end, heads[i + 1]?.index ?? text.length);
    const group = /^[^{]*#(\d+)/.exec(rest)?.[1];
    const attributes = group === undefined ? '' : new RegExp(`^attributes #${group} = \\{([^\\n]*)\\}`, 'm').exec(text)?.[1] || '';
    const most = /"amdgpu-flat-work-group-size"="\d+,(\d+)"/.exec(attributes)?.[1];
    return {name: head[1].replace(/"/g, ''), block: most ? [Number(most)] : null, isPlane: /workitem\.id\.y\b/.test(rest), parameters: inner.map(parameterOfLlir), ...formatsOfLlir(rest)};
  })};
}

// The parts between here and the closing parenthesis, and where it is.
function inParentheses(text, at) {
  const parts = [''];
  let depth = 1;
  for (; at < text.length && depth > 0; ++at) {
    const c = text[at];
    if ('([{<'.includes(c)) ++depth;
    if (')]}>'.includes(c)) --depth;
    if (depth === 1 && c === ',') parts.push('');
    else if (depth > 0) parts[parts.length - 1] += c;
  }
  return [parts.map(p => p.trim()).filter(p => p), at];
}

function parameterOfLlir(text, i) {
  const name = /%([\w$.]+)$/.exec(text)?.[1] || String(i), word = text.split(/\s/)[0];
  const pointer = word === 'ptr' && !/\bbyref\b/.test(text), [type, bytes] = llirTypes[word] || ['bytes', 8];
  const none = /\breadnone\b/.test(text);
  return {name, type: pointer ? 'u64' : type, bytes: pointer ? 8 : bytes, pointer, format: null, atomic: false,
          reads: pointer && !none && !/\bwriteonly\b/.test(text), writes: pointer && !none && !/\breadonly\b/.test(text)};
}

function formatsOfLlir(body) {
  const product = /llvm\.amdgcn\.(?:mfma|wmma)\.(f32|f64|i32|f16)\.\d+x\d+x\d+\.?([\w]+?)(?:\.v\d|[\s(_.]|$)/.exec(body);
  const names = {f16: 'f16', bf16: 'bf16', fp8: 'e4m3', bf8: 'e5m2', xf32: 'f32', f32: 'f32', f64: 'f64', i8: 's8', iu8: 's8'};
  const kind = product && names[Object.keys(names).find(n => product[2].startsWith(n))];
  const narrowed = /fptrunc .*to .*\b(half|bfloat)\b/.exec(body)?.[1];
  const written = {half: 'f16', bfloat: 'bf16'}[narrowed] || (product ? {i32: 's32'}[product[1]] || product[1] : 'f32');
  return {a: kind || null, b: kind || null, d: written};
}
