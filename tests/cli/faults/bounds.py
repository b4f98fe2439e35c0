#!/usr/bin/env python3
"""Every command and every reader, on files that stand for more than they are: a hole of two gigabytes, one endless line,
compressed zeros, shapes that lie. Each ends with status 2 and one sentence, and no run takes more memory than it may.

Usage: bounds.py DISCERN [--all]; without it, of commands that read vectors, every sixth one reads a file, and another the next
"""
import io
import os
import resource
import subprocess
import sys
import tempfile
import zipfile

MOST_RESIDENT = 64 << 20
MOST_ADDRESSES = 1 << 30  # what `ulimit -v` allows; threads take addresses, and no memory

UNIT = "volta/mma.m8n8k4.f32.f16.f16.f32"
FORMATS = ["--formats", "f16,f16,f32,f32", "--K", "4"]


def npy(shape, data=b"", kind="<f4"):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    header += " " * ((-len(header) - 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def write_files(folder):
    def path(name):
        return os.path.join(folder, name)

    for name in ("hole", "hole.jsonl", "hole.csv", "hole.txt", "hole.npy", "hole.npz", "hole.bin", "hole.sv", "hole.ptx",
                 "hole.ll", "hole.launch.json", "hole.vcd"):
        with open(path(name), "wb") as file:
            file.truncate(2 << 30)
    os.mkdir(path("certificate"))
    for name in ("claim", "proof", "claim.json"):
        with open(path("certificate/" + name), "wb") as file:
            file.truncate(2 << 30)
    for name, letters in (("line", b"a"), ("line.csv", b"x"), ("line.txt", b"1"), ("line.jsonl", b"{")):
        with open(path(name), "wb") as file:
            for _ in range(40):
                file.write(letters * (1 << 20))
    with open(path("array.npy"), "wb") as file:  # says that it is short, and is long
        file.write(npy("(2, 2)", b"\0" * 16))
        file.truncate(2 << 30)
    open(path("far.npy"), "wb").write(npy("(1000000, 1000000)", b"\0" * 16))
    open(path("negative.npy"), "wb").write(npy("(-2, 4)", b"\0" * 32))
    open(path("words.npy"), "wb").write(npy("(2 4)", b"\0" * 32))
    with zipfile.ZipFile(path("zeros.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("a.npy", "w", force_zip64=True) as file:
            file.write(npy("(288358, 1000)"))
            for _ in range(1100):
                file.write(b"\0" * (1 << 20))
    small = io.BytesIO()
    with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy("(-1, 4)", b"\0" * 16))
    open(path("negative.npz"), "wb").write(small.getvalue())


def vector_readers(file):
    return [
        ["eval", UNIT, file], ["eval", UNIT, file, "--check"], ["diff", file, file], ["which", file],
        ["which", file] + FORMATS, ["explain", UNIT, file], ["audit", file, "--space", UNIT + "{F=22..23}"],
        ["coverage", UNIT, file], ["export", file, "--as", "c"], ["export", file, "--as", "csv"] + FORMATS,
        ["import", "csv", file] + FORMATS, ["run", "model:" + UNIT, file], ["measure", UNIT, file],
        ["bug-report", "--", "eval", UNIT, file],
    ]


def runs(folder, every):
    def path(name):
        return os.path.join(folder, name)

    for at, name in enumerate(("hole", "hole.jsonl", "hole.csv", "hole.txt", "hole.npz", "hole.npy", "line", "line.csv",
                               "line.txt", "line.jsonl", "zeros.npz", "negative.npz")):
        readers = vector_readers(path(name))
        yield from readers[at % every::every]
    for kind in ("npy", "testfloat", "fptest", "golden", "matlab-tensor-core"):
        yield ["import", kind, path("hole")]
        yield ["import", kind, path("hole.npz")]
        yield ["import", kind, path("line")]
    for file in (path("hole"), path("line"), path("hole.jsonl")):
        for target in (["check", "replay:" + file, UNIT], ["identify", "replay:" + file], ["probe", "replay:" + file],
                       ["suite", "--space", "@" + file], ["which", path("hole"), "--space", "@" + file],
                       ["suite", UNIT, UNIT + "{F=22}", "--store", file], ["store", "check", file],
                       ["store", "merge", path("out"), file]):
            yield target
    for a in ("hole.npy", "array.npy", "far.npy", "negative.npy", "words.npy", "hole.csv", "hole.txt", "hole.bin",
              "line.csv", "line.txt"):
        size = ["--size", "8,8,4"] if a.endswith(".bin") else []
        yield ["gemm", UNIT, path(a), path(a)] + size
        yield ["gemm", UNIT, path(a), path(a), "--numbers"] + size
        yield ["which", "--a", path(a), "--b", path(a), "--d", path(a)]
        yield ["diff", path(a), path(a)]
    for design in ("hole.sv",):
        yield ["prove", UNIT, "rtl:" + path(design)]
        yield ["rtl", "wrap", "rtl:" + path(design)]
        yield ["check", "rtl:" + path(design), UNIT]
        yield ["prove", UNIT, "rtl:" + path(design), "-f", path("hole")]
    for kernel in ("ptx:" + path("hole.ptx"), "llir:" + path("hole.ll")):
        yield ["show", kernel]
        yield ["same-bits", kernel, kernel]
        yield ["gemm", kernel, path("hole.npy"), path("hole.npy")]
    yield ["bug-report", "--", "prove", UNIT, "rtl:" + path("hole.sv")]


# A report about a command that fails is a success.
ALSO_RIGHT = {"bug-report": (0,)}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))


def run(program, arguments, folder, more=None):
    """status, standard error, and the most memory that it had at once"""
    with open(os.path.join(folder, "err"), "w+b") as err:
        process = subprocess.Popen([program] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                   cwd=folder, preexec_fn=limited, env={**os.environ, **(more or {})})
        _, status, usage = os.wait4(process.pid, 0)
        err.seek(0)
        return os.waitstatus_to_exitcode(status), err.read().decode(errors="replace"), usage.ru_maxrss << 10


def main():
    program, checker = os.path.abspath(sys.argv[1]), os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "discern-check")
    wrong, most, count = [], 0, 0

    def look(arguments, statuses, outcome):
        nonlocal most, count
        status, err, resident = outcome
        most, count = max(most, resident), count + 1
        complaints = []
        if status not in statuses:
            complaints.append("status %d" % status)
        if status == 2 and (err.count("\n") != 1 or "internal error" in err):
            complaints.append("no sentence")
        if resident > MOST_RESIDENT:
            complaints.append("%d MiB" % (resident >> 20))
        if complaints:
            wrong.append(" ".join(arguments) + ": " + ", ".join(complaints) + ": " + err[:300])

    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        for arguments in runs(folder, 1 if "--all" in sys.argv else 6):
            look(arguments, ALSO_RIGHT.get(arguments[0], (2,)), run(program, arguments, folder))
        if os.path.exists(checker):
            look([checker], (1, 2), run(checker, [os.path.join(folder, "certificate")], folder))
        ten = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))"
        endless = ["prove", ten, ten.replace("10", "12"), "--solver", "yes"]
        look(endless, (2,), run(program, endless, folder, {"DISCERN_BOUNDS": "output=1M"}))
        outcome = run(program, ["which", os.path.join(folder, "zeros.npz")], folder)
        if "1 GiB" not in outcome[1] or "DISCERN_BOUNDS=arrays=2048M" not in outcome[1]:
            wrong.append("zeros.npz: no sentence that names the bound: " + outcome[1])
        bad = run(program, ["which", os.path.join(folder, "line")], folder, {"DISCERN_BOUNDS": "lines=1"})
        if bad[0] != 2 or "is no bound" not in bad[1]:
            wrong.append("DISCERN_BOUNDS=lines=1: " + bad[1])
    print("%d runs, at most %d MiB" % (count, most >> 20))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
