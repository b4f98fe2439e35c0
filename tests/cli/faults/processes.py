#!/usr/bin/env python3
"""What signals, limits of the system and the text of others do to a running command: files that were there stay, nothing is
left behind, every end is a sentence, and no control character reaches a terminal.

Usage: processes.py DISCERN
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

VOLTA = "volta/mma.m8n8k4.f32.f16.f16.f32"
# Half a minute of two processors.
LONG_SPACE = "hopper/wgmma.m64n8k16.f32.f16.f16{F={14..45},align={rz|rd|rne|ru},floor={-150..-100},L={2|4|8|16},c={early|late}}"

discern = os.path.abspath(sys.argv[1])
wrong = []


def expect(good, *said):
    if not good:
        wrong.append(" ".join(str(one) for one in said))


def run(words, folder, **more):
    return subprocess.run([discern] + words, cwd=folder, capture_output=True, timeout=300, **more)


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def interrupted(words, folder, number, after, **more):
    process = subprocess.Popen([discern] + words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    time.sleep(after)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def signals_leave_the_file(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        out = write(folder, "suite.jsonl", "as it was\n")
        # While the space is read, which a busy machine lets last, the signal ends the command without a word.
        for after in (1, 2, 4, 8, 16, 32):
            status, _, err = interrupted(["suite", "--space", LONG_SPACE, "-o", out, "--html", out + ".html"], folder, number, after)
            if status != -number:
                break
        expect(status == 3, "suite at", number, "ends with", status, err)
        expect(open(out).read() == "as it was\n" and not os.path.exists(out + ".html"), "suite -o at", number)


def hang_up_leaves_no_folder(folder):
    if not os.path.exists(os.path.join(os.path.dirname(discern), "discern-check")):
        return
    temporary = os.path.join(folder, "temporary")
    os.mkdir(temporary)
    for after in (0.2, 0.6, 1.2):
        interrupted(["prove", "ampere/mma.m16n8k16.f32.f16.f16.f32{c=late}", "ampere/mma.m16n8k16.f32.f16.f16.f32{c=late,carry=wide}", "--checked"],
                    folder, signal.SIGHUP, after, env={**os.environ, "TMPDIR": temporary})
        expect(os.listdir(temporary) == [], "prove --checked leaves", os.listdir(temporary))


def files_that_may_not_grow(folder):
    """Whole lines of what was observed, and a sentence; no signal (SIGXFSZ)."""
    vectors = os.path.join(folder, "vectors.jsonl")
    run(["generate", VOLTA, "-n", "2000", "-o", vectors], folder)
    out = os.path.join(folder, "observed.jsonl")
    for most in (0, 1000, 100_000, 200_000):
        if os.path.exists(out):
            os.remove(out)

        def limited(most=most):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        ended = run(["run", "model:" + VOLTA, vectors, "-o", out], folder, preexec_fn=limited)
        expect(ended.returncode == 2 and ended.stderr.startswith(b"discern: "), "run with", most, "bytes:", ended.returncode, ended.stderr)
        text = open(out, "rb").read() if os.path.exists(out) else b"\n"
        expect(text.endswith(b"\n"), "run with", most, "bytes leaves a part of a line:", text[-60:])
        if len(text) > 1:
            expect(run(["eval", VOLTA, out, "--check"], folder).returncode == 0, "eval --check of", len(text), "bytes")


def text_of_others(folder):
    escape = "\x1b]0;title\x07"
    vectors = write(folder, "header.jsonl", '{"discern":1,"unit":"' + "no\\u001b[31m\\u0007\\nunit" + '"}\n')
    target = write(folder, "target.sh", "#!/bin/sh\nread h\nwhile read l; do printf '%s\\n' '{\"error\":\"\\u001b[2Jgone\\nhere\"}'; done\n", 0o755)
    few = os.path.join(folder, "few.jsonl")
    run(["generate", VOLTA, "-n", "3", "-o", few], folder)
    good = ["--formats", "f16,f16,f32,f32", "--K", "4"]
    for words in (["eval", VOLTA, vectors], ["show", "volta" + escape], ["eval", "x" + escape, few], ["run", "exec:" + target, few],
                  ["run", "exec:" + target, few, "-o", os.path.join(folder, "errors.jsonl")], ["check", "exec:" + target, VOLTA, "-n", "20"] + good,
                  ["eval", VOLTA, os.path.join(folder, "errors.jsonl"), "--check"], ["diff", os.path.join(folder, "errors.jsonl"), os.path.join(folder, "errors.jsonl")],
                  ["prove", VOLTA, VOLTA, "--solver", "no" + escape], ["suite", "--space", "@" + "none" + escape]):
        ended = run(words, folder)
        said = ended.stdout + ended.stderr
        expect(not any(byte < 32 and byte not in b"\n" for byte in said), words, "prints", said[:300])
    expect(b"skipped: the target could not answer: \\x1b[2Jgone\\x0ahere\n" in run(["run", "exec:" + target, few], folder).stderr, "run: reasons on one line")


def programs_that_hang(folder):
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    write(programs, "iverilog", "#!/bin/sh\nexec sleep 100\n", 0o755)
    design = write(folder, "design.sv", "module design(input [15:0] a, b, output [31:0] d); assign d = {a, b}; endmodule\n")
    ended = run(["prove", VOLTA, "rtl:" + design, "--timeout", "1"], folder, env={**os.environ, "PATH": programs + ":" + os.environ["PATH"]})
    if shutil.which("yosys"):
        expect(ended.returncode == 3 and b"in time" in ended.stderr, "a hung iverilog:", ended.returncode, ended.stderr)


def main():
    for trial in (signals_leave_the_file, hang_up_leaves_no_folder, files_that_may_not_grow, text_of_others, programs_that_hang):
        with tempfile.TemporaryDirectory() as folder:
            trial(folder)
    print(f"{len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
