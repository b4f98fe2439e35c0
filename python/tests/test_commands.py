"""The commands: questions about units, and callables as targets."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import discern
from conftest import HOPPER

V, W = "volta/mma.m8n8k4.f32.f16.f16.f32", "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}"
F32 = "f32,f32,f32,f32"


def fma(a, b, c):
    """Products of one: exact in float64 but for the rounding, which is double; good enough for K = 1 on small numbers."""
    return (a[:, 0].astype(np.float64) * b[:, 0] + c).astype(np.float32)


def model(unit):
    """A unit of ours as a callable that nothing is known about."""
    u = discern.unit(unit)
    return lambda a, b, c: u(a, b, c)


def test_python_has_the_commands_that_say_so():
    _, said, *_ = discern._core.command(["--describe-commands"])
    records = [json.loads(line) for line in said.splitlines()]
    functions = {record["name"].replace("-", "_") for record in records if record["in_python"]}
    assert functions == {*discern.analysis.__all__, *discern.commands.__all__}
    assert all(callable(getattr(discern, name)) and name in discern.__all__ for name in functions)


def test_synth_finds_vectors():
    answer = discern.synth(V, discern.unit(W), n=2, seed=1)
    assert answer.verdict == "different" and answer.vectors.d.shape[1] == 2
    for unit, d in zip((V, W), answer.vectors.d.T):
        assert np.array_equal(discern.unit(unit)(**answer.vectors.inputs), d)
    assert answer.to_dict()["verdict"] == "different" and "different" in repr(answer)
    assert "<th>verdict</th>" in answer._repr_html_()


def test_synth_within_limits():
    answer = discern.synth(V, W, values={"a": (0, 2), "b": (0, 2)}, finite=True)
    assert answer.verdict == "different"
    assert (answer.vectors.numbers("a") >= 0).all() and (answer.vectors.numbers("b") <= 2).all()


def test_ends_of_ranges_are_floats():
    smallest = 2.0**-24  # whose repr, 5.960464477539063e-08, is another number
    assert discern.prove(V, V, values={"a": (smallest, smallest)}).verdict == "equivalent"
    with pytest.raises(discern.Error, match="no input is left"):
        discern.prove(V, V, values={"a": (smallest, smallest)}, no_subnormals=True)
    with pytest.raises(discern.Error, match="no input is left"):
        discern.prove(V, V, values={"a": (1, 2)}, range={"a": (3, 2**31 - 1)})


def test_prove():
    same = discern.prove(HOPPER, "hopper/mma.m16n8k16.f32.f16.f16.f32")
    assert same.verdict == "equivalent" and same.same_tree and len(same.vectors) == 0
    assert discern.prove(V + "{carry=3}", V, timeout=60).verdict == "equivalent"


def halves(a, b):
    """Products of two halves, each added up in order in f64; the sum as f32."""
    products = a.astype(np.float64) * b.astype(np.float64)
    sums = [np.zeros(len(a)), np.zeros(len(a))]
    for k in range(a.shape[1]):
        sums[2 * k // a.shape[1]] += products[:, k]
    return (sums[0] + sums[1]).astype(np.float32)


def test_identify_kernel():
    with np.errstate(all="ignore"):
        found = discern.identify(halves, formats="f32,f32,-,f32", K=32, kernel=True, timeout=20, validate=2000)
    assert isinstance(found, discern.KernelIdentification)
    assert found.schedule == "split=2 reduce=order:f64:rne d=f32:rne", found
    assert found.validated >= 2000 and found.tried == {}  # a callable is asked for its own K alone
    wide = found.to_dict()["tree"]
    assert discern.same_bits(found.kernel, f"{wide}@[K=32 {found.schedule}]").verdict == "same"


def test_answers_say_what_they_rest_on():
    assert discern.prove(V, V).ground == "structure"
    assert discern.prove(V, V + "{carry=3}").ground == "terms"
    assert discern.prove(V, W).ground is None
    checked = discern.prove(V, V + "{carry=3}", checked=True)
    assert (checked.verdict, checked.ground, checked.missing) == ("equivalent", "certificate", "")
    kept = "f16*bf16+f32->f32 K=1 : round[f32 ru](fuse[F=40 ru](p*, c))"  # a certificate takes minutes
    late = discern.prove(kept, kept.replace("F=40 ru", "exact"), checked=True, timeout=1)
    assert (late.verdict, late.ground) == ("unknown", None) and "1 s" in late.missing
    assert discern.suite([V, V + "{carry=3}", W]).grounds == ["terms", None]
    assert discern.same_bits(fma := "x86/fma.f32@[split=2]", fma, K=4).ground == "structure"
    found = discern.property(V, "error-of-terms")["error-of-terms"]
    assert (found.ground, found.bound) == ("argument", "losses-of-steps")
    assert discern.compare("one-word", "mma(word(a), word(b), c)", on=V, n=100).grounds == ["terms", "terms"]


def test_same_bits_by_structure():
    ampere = "ampere/mma.m16n8k16.f32.f16.f16.f32"
    a, b = discern.unit(f"{ampere}@[K=4096 split=4]"), discern.unit("ampere/mma.m16n8k8.f32.f16.f16.f32@[K=4096 split=4:order]")
    answer = discern.same_bits(a, b)
    assert (answer.verdict, answer.ground, answer.vector) == ("same", "structure", None)
    assert discern.same_bits(a.text, f"{ampere}@[K=4096 split=4 reduce=pairwise]", n=20).verdict == "different"
    told = discern.same_bits("x86/fma.f32@[kc=384]", "x86/fma.f32@[]", K=256, finite=True)  # by the command
    assert discern.same_bits(f"{ampere}@[]", f"{ampere}@[kc=2048]", K=100).verdict == "same"  # filled up to 112
    assert told.ground == "structure" and told.to_dict().keys() == answer.to_dict().keys()


def test_same_bits():
    fma = "x86/fma.f32"
    assert discern.same_bits(fma + "@[split=2]", fma + "@[slice=2 run=2]", K=4).verdict == "same"
    short = discern.same_bits(fma + "@[split=2]", fma + "@[]", K=4)
    assert short.verdict == "different" and len(short.vector["d"]) == 2
    a, b = np.random.default_rng(1).standard_normal((2, 8, 64)).astype(np.float32)
    files = discern.same_bits(fma + "@[split=2]", fma + "@[]", a, b.T, np.zeros((8, 8), np.float32))
    assert files.compared == 64 and 0 < files.different <= 64 and "row" in files.vector
    again = discern.same_bits(fma + "@[kc=32 from=zero]", fma + "@[promote=32:f32:rne]", a, b.T)
    assert again.verdict == "unknown" and again.different == 0 and "<th>verdict</th>" in again._repr_html_()
    with pytest.raises(discern.InputError, match="has no accumulator"):
        discern.same_bits("x86/dpps@[]", "x86/dpps@[]", a[:, :4], b.T[:4], np.zeros((8, 8), np.float32))
    with pytest.raises(discern.InputError, match="split=3 does not divide 4"):
        discern.same_bits(fma + "@[split=3]", fma + "@[]", K=4)


def test_suite():
    answer = discern.suite([V, discern.unit(W), V + "{F=22}", V + "{carry=3}"], timeout=60)
    assert sorted(map(len, answer.classes)) == [1, 1, 2] and answer.open == []
    assert answer.vectors.d.shape[1] == 3
    assert json.dumps(answer.to_dict())


def test_check():
    right = discern.check(model(HOPPER), HOPPER, n=5000)
    assert (right.checked, right.mismatches) == (5000, 0)
    wrong = discern.check(model(HOPPER + "{F=20}"), HOPPER, n=5000, show=3)
    assert wrong.mismatches > 0 and len(wrong.first) == len(wrong.expected) == 3
    given = discern.unit(HOPPER)(**wrong.first.inputs)
    assert [f"{d:08x}" for d in given] == wrong.expected
    assert discern.check("model:" + HOPPER, HOPPER, n=100).mismatches == 0


def test_which():
    found = discern.which(model(HOPPER), formats="f16,f16,f32,f32", K=16)
    assert HOPPER in found.consistent[0] and len(found.consistent) == 1
    a, b = np.ones((2, 3, 16), np.float16)
    none = discern.which(a, b, np.zeros(3, np.float32), np.float32([1, 2, 3]), formats="f16,f16,f32,f32")
    assert none.consistent == [] and none.near[0]["mismatches"] == 3


def test_probe():
    table = discern.probe(model(HOPPER), formats="f16,f16,f32,f32", K=16)
    assert table["block_width"] == "16" and table["subnormal_a"] == "kept"
    assert "block width" in table.features["block_width"].title and len(table.vectors) > 50
    assert table.to_dict()["features"]
    scaled = "blackwell/tcgen05.mma.m64n8k64.block16.f32.e2m1.e2m1.ue4m3"
    for unit in (scaled, "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"):
        assert discern.probe("model:" + unit).vectors.shape == discern.unit(unit).shape


def test_targets_say_whether_they_can_be_run():
    kinds = discern.targets()
    assert {"exec:COMMAND LINE", "x86/fma.f32"} <= {kind.target for kind in kinds}
    assert all(kind.available == (kind.reason is None) for kind in kinds)
    assert all(kind.summary in str(kind) or "unavailable" in str(kind) for kind in kinds)


def test_identify_a_callable():
    found = discern.identify(model("x86/fma.f32"), formats=F32, K=1, timeout=20, validate=2000)
    assert "x86/fma.f32" in found.names and found.verdict in ("unique", "class")
    assert found.settled and discern.unit(found.tree).K == 1


def test_callables_may_take_patterns():
    u, kinds = discern.unit(HOPPER), set()

    def f(a, b, c):
        kinds.update((a.dtype.name, c.dtype.name))
        return u(a, b, c)[:, None]

    assert discern.check(f, HOPPER, n=100, arrays="patterns").mismatches == 0
    assert kinds == {"uint16", "uint32"}


def test_explain_says_where_two_units_part():
    one = dict(a=[-8192.0, 0, 0, 2], b=[1024.0, 0, 0, -0.25], c=8388608.0)
    alone = discern.explain(V, **one)
    assert alone.parts_at is None and alone.units[0]["blocks"][0]["E"] == 23
    both = discern.explain(V, W, **one)
    assert [unit["value"] for unit in both.units] == [0, -0.5]
    assert both.parts_at["term"] == "p3" and "2^-1" in both.parts_at["sentence"]
    assert both.svg.startswith("<svg ") and both.svg in both._repr_html_() and "sentence" not in repr(both)
    with pytest.raises(discern.InputError, match="differ in K"):
        discern.explain(V, HOPPER, **one)
    with pytest.raises(discern.InputError, match="needs a unit"):
        discern.explain(**one)


def test_callables_run_in_the_thread_that_called():
    threads = set()
    u = discern.unit(HOPPER)

    def f(a, b, c):
        threads.add(threading.get_ident())
        return u(a, b, c)

    discern.check(f, HOPPER, n=10)
    assert threads == {threading.get_ident()}


def bad(a, b, c):
    raise ZeroDivisionError("no such\n  number")


@pytest.mark.parametrize(
    "f, error, said",
    [
        (bad, discern.CallableError, "the callable raised ZeroDivisionError: no such number"),
        (lambda a, b, c: c[:-1], discern.CallableError, "returned the shape"),
        (lambda a, b, c: np.zeros(len(c)), discern.CallableError, "float64"),
        (lambda a, b, c: None, discern.CallableError, "what the callable returned is NoneType"),
        (lambda a, b: a[:, 0], discern.CallableError, "TypeError"),
        (17, discern.ArrayError, "int is no target"),
        ("no such target", discern.InputError, "there is no target"),
    ],
)
@pytest.mark.parametrize("command", [discern.identify, discern.probe, discern.check])
def test_bad_callables_are_one_sentence(command, f, error, said):
    given = {} if isinstance(f, str) else {"formats": F32, "K": 1}
    arguments = (f, "x86/fma.f32") if command is discern.check else (f,)
    with pytest.raises(error) as raised:
        command(*arguments, **given)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    assert isinstance(raised.value, (ValueError, TypeError)) and isinstance(raised.value, discern.Error)
    if f is bad:
        assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: discern.identify(fma), "formats and K of a callable must be given"),
        (lambda: discern.identify(fma, formats=F32), "formats and K"),
        (lambda: discern.identify(fma, formats="f32,f32", K=1), "2 formats"),
        (lambda: discern.identify(fma, formats=F32, K=0), "K"),
        (lambda: discern.identify(fma, formats=F32, K=1.5), "K=1.5"),
        (lambda: discern.identify(fma, formats=F32, K=1, arrays="tensorflow"), "tensorflow"),
        (lambda: discern.identify(fma, formats=F32, K=1, timeout="soon"), "soon"),
        (lambda: discern.identify(fma, formats=F32, K=1, timeout=None, nonsense=3), "nonsense"),
        (lambda: discern.synth(V, HOPPER), "K"),
        (lambda: discern.synth(V, None), "no unit"),
        (lambda: discern.synth(V, W, values={"a": 3}), "range"),
        (lambda: discern.synth(V, W, solver="nobody"), "nobody"),
        (lambda: discern.suite(V), "no list of units"),
        (lambda: discern.suite([V]), "one unit only"),
        (lambda: discern.which(1, 2), "which takes"),
        (lambda: discern.which(discern.generate(V, n=1)), "one d"),
    ],
)
def test_wrong_calls_are_one_sentence(call, said):
    with pytest.raises(discern.Error) as error:
        call()
    assert said in str(error.value) and "\n" not in str(error.value)
    assert isinstance(error.value, (ValueError, TypeError))


def test_ctrl_c_gives_what_is_known():
    """In a process of its own: the signal arrives while check, which would take minutes, asks a callable."""
    program = f"""
import discern, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run behind a shell's &
asked = 0
u = discern.unit("{HOPPER}")
def f(a, b, c):
    global asked
    asked += 1
    if asked == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return u(a, b, c)
try:
    discern.check(f, u, n=10**9)
except discern.Interrupted as stopped:
    print("known", 0 < stopped.result.checked < 10**9, isinstance(stopped, KeyboardInterrupt), asked)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert ended.stdout.strip() == "known True True 3", ended.stderr


def test_other_threads_go_on():
    """The interpreter is free while a long call computes."""
    turns, done = 0, False

    def count():
        nonlocal turns
        while not done:
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    u = discern.unit(HOPPER)
    x = np.ones((200_000, 16), np.float16)
    before = turns
    u.exact(x[:20_000], x[:20_000])
    done = True
    thread.join()
    assert turns - before > 3


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN])
def test_signals_are_the_programs_again(before):
    found = signal.signal(signal.SIGINT, before)
    try:
        discern.synth(V, W)
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(KeyboardInterrupt) if callable(before) else contextlib.nullcontext():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
    finally:
        signal.signal(signal.SIGINT, found)
