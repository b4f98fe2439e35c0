"""What readers drop into the view of their own data, and how a long answer is stopped; flows.py runs these tests with its own."""

import tempfile
import time
from pathlib import Path


def observed(t, unit, count):
    vectors = t.native("generate", unit, "-n", str(count), "--seed", "7").stdout
    with tempfile.TemporaryDirectory() as place:
        Path(place, "v.jsonl").write_text(vectors)
        return t.native("eval", unit, "v.jsonl", folder=place).stdout


def test_data(t):
    """What computed my data: a file of vectors, a table, one that no unit gives; compared with `which`."""
    t.open("#data")
    for unit in ("MI300X/f16", "A100/f16{F=20}"):
        content = observed(t, unit, 40)
        t.drop("mine.jsonl", content.encode())
        t.browser.run("document.querySelector('.answer').setAttribute('data-old', '')")
        text = t.answer_of_data()
        with tempfile.TemporaryDirectory() as place:
            Path(place, "mine.jsonl").write_text(content)
            which = t.native.json("which", "mine.jsonl", folder=place)
        shown = t.browser.run("return [...document.querySelectorAll('.units-found > li > b')].map(e => e.textContent)")
        assert shown == [units[0] for units in which["consistent"]], (text, shown, which["consistent"])
        near = t.browser.run("return [...document.querySelectorAll('.list tbody tr')].map(r => [r.cells[0].textContent, Number(r.cells[1].textContent)])")
        assert near == [[n["unit"], n["mismatches"]] for n in which["near"]], (near, which["near"])
    t.browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Try an example').click()")
    text = t.browser.wait("const h = document.querySelector('.answer h2'); return h && /^This is what|fit/.test(h.textContent) && document.querySelector('textarea').value ? h.textContent : null")
    assert text.startswith("This is what A100, A30, A40 and"), text
    table = t.browser.run("return document.querySelector('textarea').value")
    with tempfile.TemporaryDirectory() as place:
        Path(place, "data.csv").write_text(table)
        which = t.native.json("which", "data.csv", "--formats", "f16,f16,f32,f32", folder=place)
    assert t.browser.run("return [...document.querySelectorAll('.units-found > li > b')].map(e => e.textContent)") == [u[0] for u in which["consistent"]], text


def test_bad_data(t):
    """No data, a table of another shape, half a file, 50 MB: the program's sentence."""
    t.open("#data")
    t.browser.run("[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('Which unit')).click()")
    assert "no data yet" in t.answer_of_data()
    for name, content, size in (("shape.csv", b"x,y\n1,2\n", None), ("half.jsonl", b'{"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":4}\n{"a":["0000"', None),
                                ("broken.npy", b"\x93NUMPY\x01\x00", None), ("large.csv", b"12345 is no table\n", 50_000_000)):
        t.browser.run("document.querySelector('.answer').replaceChildren()")
        t.drop(name, content, size)
        said = t.answer_of_data(seconds=90)
        with tempfile.TemporaryDirectory() as place:
            Path(place, name).write_bytes((content * (size // len(content) + 1))[:size] if size else content)
            assert said == t.native.sentence("which", name, "--json", folder=place), (name, said)


def test_npy(t):
    """An array of numpy is read, and refused with the program's sentence, since `which` takes matrices by options."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    header += b" " * (118 - len(header)) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\x00" * 16
    t.open("#data")
    t.drop("x.npy", content)
    said = t.answer_of_data()
    with tempfile.TemporaryDirectory() as place:
        Path(place, "x.npy").write_bytes(content)
        assert said == t.native.sentence("which", "x.npy", "--json", folder=place), said


def test_stop(t):
    """A long question is stopped by the button, and the next one is answered."""
    t.open("#data")
    t.browser.wait("return document.querySelector('.drop')")
    head, lines = observed(t, "H100/f16", 1000).split("\n", 1)
    t.drop("long.jsonl", lines.encode(), 60_000_000, (head + "\n").encode())
    t.browser.wait("return document.body.classList.contains('busy') && !document.getElementById('stop').disabled", what="a question that runs")
    time.sleep(0.3)
    t.browser.run("document.getElementById('stop').click()")
    assert t.answer_of_data() == "Stopped."
    began = time.monotonic()
    t.drop("short.jsonl", observed(t, "H100/f16", 10).encode())
    t.browser.wait("return document.querySelector('.units-found')", seconds=60, what="an answer after the stop")
    print(f"    {time.monotonic() - began:.2f} s to an answer after a stop")
