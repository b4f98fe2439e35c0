"""Gives 500 changed certificates to both checkers: the verified one accepts nothing that discern-check refuses.

Usage: mutations.py BUILD, after script/formal has built formal/discern-check-verified

The certificates are made by the program, and changed in what they say (keys that are there twice or not at all, versions,
escapes, limits, units, names of files), in their files (cut, of another kind, not there), and in the proofs, the formulas and
the vectors. After a change the digests are made to match, so that it is not these alone that refuse it. Where both checkers
accept, the verified one has to print the claim, its limits and its units as discern-check does.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COUNT = 500
# What the verified checker need not refuse, and why.
EXCEPTIONS = {
    "the circuit in AIGER": "no theorem rests on it: it is for other programs, and only discern-check makes it anew",
}

SMALL = "e2m1*e2m1+e3m2ieee->e3m2ieee"
CERTIFICATES = {
    "any": ([f"{SMALL} K=2 nan=any : round[e3m2ieee rz](fuse[F=4 rz](p*, c))",
             f"{SMALL} K=2 nan=1d : round[e3m2ieee rz](fuse[F=4 rz](c, p1, p0))"], []),
    "finite": (["e3m2ieee*e3m2ieee+e3m2ieee->e3m2ieee K=1 nan=1f : round[e3m2ieee rne](fuse[exact](p*, c))",
                "e3m2ieee*e3m2ieee+e3m2ieee->e3m2ieee K=1 nan=1f : round[e3m2ieee rne](fuse[exact](p*[infnan], c))"],
               ["--finite"]),
    "subnormals": (["e3m2ieee*e3m2ieee->e3m2ieee K=1 nan=1f : round[e3m2ieee rz](p*)",
                    "e3m2ieee*e3m2ieee->e3m2ieee K=1 nan=1f : round[e3m2ieee rz](p*[ftz])"], ["--no-subnormals"]),
    "chain": ([f"{SMALL} K=4 L=2 nan=1d : round[e3m2ieee rz](fuse[F=4 rz](p*, c))",
               f"{SMALL} K=4 L=2 nan=1d : round[e3m2ieee rz](fuse[F=4 rz carry=3](p*, c))"], []),
    "open": ([f"{SMALL} K=1 nan=1d : round[e3m2ieee rne](fuse[F=4 rz step=2](p0, c))",
              f"{SMALL} K=1 nan=1d : round[e3m2ieee rne](fuse[F=4 rz step=2](c, p0))"], []),
    "scales": (["e2m1*e2m1+e3m2ieee->e3m2ieee K=2 scale=ue4m3/2 nan=1d : round[e3m2ieee rz](fuse[F=4 rz](p*, c))",
                "e2m1*e2m1+e3m2ieee->e3m2ieee K=2 scale=ue4m3/2 nan=1d : round[e3m2ieee rz](fuse[F=4 rz](c, p*))"], []),
}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def sealed(folder, text):
    """Writes claim.json, and its digest."""
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "claim.json").write_bytes(data)
    (folder / "claim.sha256").write_text(f"{digest(data)}  claim.json\n")


def said(folder, change):
    """A change of the text of claim.json."""
    sealed(folder, change((folder / "claim.json").read_text()))


def claimed(folder, change):
    """A change of what claim.json says."""
    claim = json.loads((folder / "claim.json").read_text())
    change(claim)
    sealed(folder, json.dumps(claim, indent=1))


def filed(folder, name, change):
    """A change of a file's bytes, with the digests that it needs."""
    data = change((folder / name).read_bytes())
    (folder / name).write_bytes(data)
    claimed(folder, lambda claim: claim["files"].__setitem__(name, digest(data)))


def units_of(claim):
    yield claim["units"]
    for obligation in claim["obligations"]:
        yield obligation["units"]


def first_file(folder, suffix):
    return next(path.name for path in sorted(folder.iterdir()) if path.suffix == suffix)


# ---------------------------------------------------------------------------------------------- what is changed

OTHER = {"discern-certificate": 2, "claim": "different", "units": [], "limits": {}, "nan": "any", "combination": "chain",
         "shared": True, "obligations": [], "vectors": "CHECK.md", "assumed": ["all of it"], "files": {}, "designs": ["x"]}


def of_keys():
    """Each key of the claim there twice, not at all, and of another type."""
    for key, other in OTHER.items():
        before = f'{{"{key}": {json.dumps(other)},'
        yield f"{key} twice, first another", lambda f, b=before: said(f, lambda t: b + t[1:])
        if key == "designs":
            continue
        again = f', "{key}": {json.dumps(other)}}}'
        yield f"{key} twice, last another", lambda f, a=again: said(f, lambda t: t.rstrip()[:-1] + a)
        yield f"no {key}", lambda f, k=key: claimed(f, lambda c: c.pop(k))
        for value in (None, 0, "", [], {}, [[]], other):
            yield f"{key} is {json.dumps(value)}", lambda f, k=key, v=value: claimed(f, lambda c: c.__setitem__(k, v))
    for part in ("finite", "no_subnormals", "ranges", "numbers"):
        yield f"no {part}", lambda f, p=part: claimed(f, lambda c: c["limits"].pop(p))
        for value in (None, 1, "true", {}, True, False, [{"operand": "a", "low": 0, "high": 1}]):
            yield f"{part} is {json.dumps(value)}", lambda f, p=part, v=value: claimed(f, lambda c: c["limits"].__setitem__(p, v))
    yield "limits twice, the last without", lambda f: said(
        f, lambda t: t.replace('"nan":', '"limits": {"finite": false, "no_subnormals": false, "ranges": [], "numbers": []}, "nan":'))
    yield "finite twice", lambda f: said(f, lambda t: t.replace('"finite":', '"finite": true, "finite":'))
    for part in ("name", "units", "formula", "circuit", "proof"):
        yield f"an obligation without {part}", lambda f, p=part: claimed(f, lambda c: c["obligations"][0].pop(p))
        for value in (None, 7, "none", "claim.json"):
            yield (f"{part} of an obligation is {json.dumps(value)}",
                   lambda f, p=part, v=value: claimed(f, lambda c: c["obligations"][0].__setitem__(p, v)))
    yield "an obligation twice", lambda f: claimed(f, lambda c: c["obligations"].append(c["obligations"][0]))
    yield "one obligation less", lambda f: claimed(f, lambda c: c["obligations"].pop())
    yield "obligations the other way round", lambda f: claimed(f, lambda c: c["obligations"].reverse())
    for value in (1.0, "1", True, -1, 10, 0):
        yield f"version {json.dumps(value)}", lambda f, v=value: claimed(f, lambda c: c.__setitem__("discern-certificate", v))
    for value in ("1e0", "01", "+1", "1.", "0x1", "1 1"):
        yield f"version {value}", lambda f, v=value: said(f, lambda t: t.replace('"discern-certificate": 1', '"discern-certificate": ' + v))


def of_json():
    """What is no JSON, and JSON that is written otherwise."""
    yield "a byte order mark", lambda f: said(f, lambda t: "\ufeff" + t)
    yield "two byte order marks", lambda f: said(f, lambda t: "\ufeff\ufeff" + t)
    yield "half a byte order mark", lambda f: said(f, lambda t: b"\xef\xbb" + t.encode())
    yield "UTF-16", lambda f: said(f, lambda t: t.encode("utf-16"))
    for what, end in (("a zero byte", "\0"), ("a brace", "}"), ("a comment", "// all"), ("blanks", " \t\r\n"), ("a form feed", "\f")):
        yield f"{what} behind the claim", lambda f, e=end: said(f, lambda t: t + e)
    for what, old, new in (
            ("a comma before the end", '"files": {', '"more": [1,], "files": {'), ("single quotes", '"claim"', "'claim'"),
            ("NaN", '"files": {', '"more": NaN, "files": {'), ("an infinite number", '"files": {', '"more": 1e999, "files": {'),
            ("a large number", '"files": {', '"more": 123456789012345678901234567890, "files": {'),
            ("True", "false", "False"), ("a number with a zero before", '"files": {', '"more": 007, "files": {'),
            ("no comma", '"nan"', ' "more": 1 "nan"'), ("no colon", '"claim":', '"claim"'), ("two colons", '"claim":', '"claim"::'),
            ("a word", '"files": {', '"more": nil, "files": {'), ("an unknown key", '"files": {', '"more": [null, -0.5e+3], "files": {')):
        yield what, lambda f, o=old, n=new: said(f, lambda t: t.replace(o, n, 1))
    for levels in (6, 7, 8, 9, 5000):
        nested = "[" * levels + "]" * levels
        yield f"{levels} levels", lambda f, n=nested: said(f, lambda t: t.replace('"files": {', f'"more": {n}, "files": {{'))
    letters = ("\\f", "\\b", "\\r", "\\n", "\\t", "\\/", "\\u0065", "\\u0045", "\\U0065", "\\u65", "\\x65", "\\e", "\\ud800", "\\udc00",
               "\\ud800\\u0065", "\\u0000", "\\", "\t", "\n", "\x7f", "\xe9")
    for letter in letters:
        yield (f"{letter!r} for the first letter of the units",
               lambda f, x=letter: said(f, lambda t: t.replace('"e2m1*', f'"{x}2m1*').replace('"e3m2ieee*', f'"{x}3m2ieee*')))
        yield f"{letter!r} in the claim's name", lambda f, x=letter: said(f, lambda t: t.replace('"equivalent"', f'"{x}quivalent"'))
    for what, data in (("a byte that is no UTF-8", b"\xff"), ("a longer form", b"\xc1\xa5"), ("a surrogate", b"\xed\xa0\x80")):
        yield what, lambda f, d=data: said(f, lambda t: t.encode().replace(b'"assumed": []', b'"more": "' + d + b'", "assumed": []'))
    yield "an escaped key", lambda f: said(f, lambda t: t.replace('"claim"', '"cl\\u0061im"'))
    yield "an escaped name of a file", lambda f: said(f, lambda t: t.replace(".cnf", "\\u002ecnf"))


def of_units():
    """Other units, and the same in other words; in the claim and its obligations, or in one of them alone."""
    everywhere = lambda change: lambda f: claimed(f, lambda c: [lines.__setitem__(slice(None), change(list(lines))) for lines in units_of(c)])
    alone = lambda change: lambda f: claimed(f, lambda c: c.__setitem__("units", change(list(c["units"]))))
    lists = (("the other way round", lambda l: l[::-1]), ("the first twice", lambda l: [l[0], l[0]]), ("one alone", lambda l: l[:1]),
             ("three", lambda l: l + l[:1]), ("none", lambda l: []), ("an empty line", lambda l: l + [""]))
    for what, change in lists:
        yield f"units: {what}", everywhere(change)
        yield f"units of the claim: {what}", alone(change)
    words = ((" K=", "  K="), (" : ", ":"), (" : ", "\t: "), ("K=", "K=0"), ("e3m2ieee", "e03m2ieee"), ("e3m2ieee", "e3m2"),
             ("fuse[F=4 rz", "fuse[rz F=4"), ("fuse[F=4 rz", "fuse[F=4"), ("fuse[F=4 rz", "fuse[F=4 rz phase=0"), ("fuse[F=4 rz", "fuse[F=5 rz"),
             ("fuse[F=4 rz", "fuse[F=4 rz F=4"), ("fuse[F=4 rz", "fuse[F=65 rz"), ("fuse[F=4 rz", "fuse[F=4 rz less=64"),
             ("(p*", "(p(0::1)"), ("(p*", "(p*[raw]"), ("(p*", "(p*[]"), ("round[e3m2ieee rz", "round[e3m2ieee rz overflow=ieee"),
             ("round[e3m2ieee rz", "round[e3m2ieee rz usign=keep"), ("round[e3m2ieee rz", "round[e3m2ieee rne"), ("nan=1", "nan=0001"),
             ("nan=1d", "nan=1D"), ("nan=1d", "nan=1e"), ("nan=1d", "nan=ff"), ("nan=1", "nan=any nan=1"), ("nan=1", "c=last nan=1"),
             ("->e3m2ieee", "->e3m2ieee interleave=0"), ("e2m1*", "fp4*"), ("*e2m1", " * e2m1"), ("e2m1", "e2m1f"), ("K=", "K=4 K="), ("c", "c[ftz]"),
             ("K=2", "K=3"), ("L=2", "L=0"), ("L=2", "L=3"), ("K=4", "K=5"), ("p*, c", "p*, c, c"), ("p*, c", "p*, p0, c"), ("p*, c", "p*"),
             ("))", "))\x0b"), ("))", ")){nan=1f}"), ("))", ")) "), ("/2", "/0"))
    for old, new in words:
        yield f"units: {new!r} for {old!r}", everywhere(lambda l, o=old, n=new: [x.replace(o, n) for x in l])
        yield f"units of the claim: {new!r} for {old!r}", alone(lambda l, o=old, n=new: [x.replace(o, n) for x in l])


def of_files():
    """Files of another kind, cut, under other names, and not there."""
    def in_place_of(name, make):
        def change(folder):
            path = folder / (name if "." in name[1:] else first_file(folder, name))
            content = path.read_bytes()
            path.unlink()
            make(path, content)
        return change
    kinds = (("a FIFO", lambda p, _: os.mkfifo(p)), ("a folder", lambda p, _: p.mkdir()), ("no file", lambda p, _: None),
             ("a link to /dev/zero", lambda p, _: p.symlink_to("/dev/zero")), ("a link to nothing", lambda p, _: p.symlink_to("nothing")),
             ("a link to itself", lambda p, _: p.symlink_to(p.name)), ("an empty file", lambda p, _: p.write_bytes(b"")),
             ("a file that is cut", lambda p, d: p.write_bytes(d[:len(d) // 2])), ("a file with one byte more", lambda p, d: p.write_bytes(d + b"\n")))
    for name in ("claim.json", "claim.sha256", ".cnf", ".proof", ".aig", "vectors.jsonl", "CHECK.md"):
        for what, make in kinds:
            yield f"{what} for {name}", in_place_of(name, make)
    for name in ("../claim.json", "./CHECK.md", "/etc/hostname", "a/b", "", ".", "..", "none", "a\\b", "a\nb", "claim.sha256"):
        yield (f"a file {name!r} with a digest",
               lambda f, n=name: claimed(f, lambda c: c["files"].__setitem__(n, digest((f / "claim.sha256").read_bytes()))))
    for key in (".cnf", ".proof", ".aig", "vectors.jsonl"):
        yield (f"no digest of {key}",
               lambda f, k=key: claimed(f, lambda c: c["files"].pop(k if "." in k[1:] else first_file(f, k))))
    yield "a digest in capitals", lambda f: claimed(f, lambda c: c["files"].update({k: v.upper() for k, v in c["files"].items()}))
    yield "another digest", lambda f: claimed(f, lambda c: c["files"].__setitem__("CHECK.md", "0" * 64))
    yield "no digest, but a number", lambda f: claimed(f, lambda c: c["files"].__setitem__("CHECK.md", 0))
    for what, change in (("no end of the line", lambda t: t[:-1]), ("another end of the line", lambda t: t[:-1] + "\r\n"),
                         ("one blank", lambda t: t.replace("  ", " ")), ("capitals", str.upper), ("a second line", lambda t: t + t)):
        yield f"claim.sha256: {what}", lambda f, c=change: (f / "claim.sha256").write_text(c((f / "claim.sha256").read_text()), newline="")
    yield "the circuit in AIGER", lambda f: filed(f, first_file(f, ".aig"), lambda d: d[:-3] + b"?\n")


def of_vectors():
    """Changed vectors; the digests match."""
    def line(change):
        return lambda f: filed(f, "vectors.jsonl", lambda d: b"\n".join(
            change(x) if i == 3 else x for i, x in enumerate(d.split(b"\n"))))
    def vector(change):
        def changed(text):
            x = json.loads(text)
            change(x)
            return json.dumps(x).encode()
        return line(changed)
    yield "vectors: none", lambda f: filed(f, "vectors.jsonl", lambda d: d.split(b"\n")[0] + b"\n")
    yield "vectors: without a header", lambda f: filed(f, "vectors.jsonl", lambda d: d.split(b"\n", 1)[1])
    yield "vectors: another version", lambda f: filed(f, "vectors.jsonl", lambda d: d.replace(b'"discern":1', b'"discern":2', 1))
    yield "vectors: an empty file", lambda f: filed(f, "vectors.jsonl", lambda d: b"")
    yield "vectors: no last end of a line", lambda f: filed(f, "vectors.jsonl", lambda d: d[:-1])
    yield "vectors: an empty line", lambda f: filed(f, "vectors.jsonl", lambda d: d + b"\n")
    yield "vectors: other blanks", lambda f: filed(f, "vectors.jsonl", lambda d: d.replace(b",", b" , "))
    yield "vectors: a line is cut", line(lambda x: x[:-1])
    yield "vectors: a key twice", line(lambda x: x[:-1] + b',"d":["00","00"]}')
    yield "vectors: another result", vector(lambda x: x.__setitem__("d", [f"{int(d, 16) ^ 1:02x}" for d in x["d"]]))
    yield "vectors: one result less", vector(lambda x: x["d"].pop())
    yield "vectors: no results", vector(lambda x: x.pop("d"))
    yield "vectors: one pattern more", vector(lambda x: x["a"].append(x["a"][0]))
    yield "vectors: patterns in one text", vector(lambda x: x.__setitem__("a", "".join(x["a"])))
    yield "vectors: capitals", vector(lambda x: x.update({"a": [a.upper() for a in x["a"]], "b": [b.upper() for b in x["b"]]}))
    yield "vectors: too many digits", vector(lambda x: x.__setitem__("a", ["0" + a for a in x["a"]]))
    yield "vectors: no hexadecimal digits", vector(lambda x: x.__setitem__("a", ["_" * len(a) for a in x["a"]]))
    yield "vectors: too many bits", vector(lambda x: x.__setitem__("b", ["f" * len(b) for b in x["b"]]))


def of_proofs(draw):
    """Endless: a word, a line or a few bytes of a proof or a formula are changed; the digests match."""
    while True:
        suffix, at, how, amount = draw.choice((".proof", ".proof", ".cnf")), draw.random(), draw.randrange(8), draw.randrange(1, 9)

        def change(data, at=at, how=how, amount=amount):
            lines = data.decode().split("\n")
            i = int(at * (len(lines) - 1))
            words = lines[i].split(" ")
            k = int(at * 7919) % len(words)
            if how == 0:
                words[k] = str(amount)
            elif how == 1:
                words[k] = words[k][1:] if words[k].startswith("-") else "-" + words[k]
            elif how == 2:
                del words[k]
            elif how == 3:
                words.insert(k, words[k])
            elif how == 4:
                words[k] = words[k] + "0" * amount
            elif how == 5:
                del lines[i + 1:i + 1 + amount]
            elif how == 6:
                lines.insert(i, lines[min(i + amount, len(lines) - 1)])
            else:
                return data[:int(at * len(data))]
            lines[i] = " ".join(words) if how < 5 else lines[i]
            return "\n".join(lines).encode()

        yield f"{suffix}, place {at:.4f}, kind {how}, {amount}", lambda f, s=suffix, c=change: filed(f, first_file(f, s), c)


# ---------------------------------------------------------------------------------------------- both checkers

def asked(program, folder):
    try:
        done = subprocess.run([program, folder], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", []
    return done.returncode, done.stdout.decode(errors="replace").splitlines()


def state(folder):
    """All that is in a folder, to see whether a change changes it."""
    return {p.name: p.read_bytes() if p.is_file() and not p.is_symlink() else os.lstat(p).st_mode for p in folder.iterdir()}


def main():
    build = Path(sys.argv[1])
    discern, plain, verified = build / "discern", build / "discern-check", Path("formal/discern-check-verified")
    wrong, both, refused, alone = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as room:
        room = Path(room)
        for name, (units, options) in CERTIFICATES.items():
            subprocess.run([discern, "prove", *units, *options, "--certificate", room / name], check=True, capture_output=True)
            if asked(plain, room / name)[0] != 0 or asked(verified, room / name)[0] not in (0, 3):
                wrong.append(f"{name}: the certificate as it was made is not accepted")
        draw = random.Random(1)
        certificates = list(CERTIFICATES)
        changes = [*of_keys(), *of_json(), *of_units(), *of_files(), *of_vectors()]
        endless = of_proofs(draw)
        changes += [next(endless) for _ in range(COUNT - len(changes))]
        for i, (what, change) in enumerate(changes):
            folder = room / "changed"
            for k in range(len(certificates)):  # one in which there is something to change
                name = certificates[(i + k) % len(certificates)]
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(room / name, folder)
                before = state(folder)
                change(folder)
                if state(folder) != before:
                    break
            else:
                wrong.append(f"{what}: nothing is changed")
            (theirs, lines), (ours, proved) = asked(plain, folder), asked(verified, folder)
            accepted = ours in (0, 3)
            if ours not in (0, 1, 3, 4):
                wrong.append(f"{name}, {what}: the verified checker ends with {ours}")
            if accepted and theirs != 0 and what not in EXCEPTIONS:
                wrong.append(f"{name}, {what}: only the verified checker accepts; the other one: {' '.join(lines)[:200]}")
            if accepted and theirs == 0 and proved[:len(lines)] != lines:
                wrong.append(f"{name}, {what}: the verified checker prints another claim: {proved} and not {lines}")
            both += accepted and theirs == 0
            refused += theirs == 1 and not accepted
            alone += theirs == 0 and not accepted
    print("\n".join(wrong))
    print(f"{len(changes)} changed certificates: both accept {both}, both refuse {refused}, discern-check alone accepts {alone}; "
          f"wrong {len(wrong)}")
    sys.exit(1 if wrong or len(changes) != COUNT or both < 30 or refused < 300 else 0)


main()
