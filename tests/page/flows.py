#!/usr/bin/env python3
"""The page in a browser: each of its questions, with the answer compared to the native program's.

Usage: flows.py ROOT PAGE PROGRAM BROWSER [TEST…]      BROWSER is chromium or firefox; exits with 77 if it is not installed;
TEST may be of_each_browser: those of what browsers do in ways of their own

The page is served by `discern page`. With PICTURES=FOLDER in the environment, pictures of all views go there.
"""

import base64
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import browser as browsers  # noqa: E402
import access_flows  # noqa: E402
import data_flows  # noqa: E402
import kernel_flows  # noqa: E402
import pictures  # noqa: E402
import unit_flows  # noqa: E402
from native import Native, options  # noqa: E402
from pairs import pairs_of  # noqa: E402

ENTER, DOWN, BACKSPACE = "\ue007", "\ue015", "\ue003"
VERDICT = "const v = document.querySelector('.verdict h2, .verdict .trouble'); const a = document.querySelector('.answer'); return v && !a.hasAttribute('aria-busy') && !document.body.classList.contains('busy') ? v.textContent : null"
RESULTS = "return [...document.querySelectorAll('.result .pattern code')].map(e => e.textContent)"
# What may be another thing in each browser: typing, dropping, copying, stopping, drawing, links, folders. The other flows
# are about answers, and one browser is asked them but in a slow test.
OF_EACH_BROWSER = ("first_answer", "typed_units", "edited_numbers", "take_away", "link", "nothing_from_elsewhere", "from_a_folder", "bad_data", "npy", "stop",
                   "accessible", "keyboard", "kernel_example", "kernel_dropped", "kernel_form", "kernel_names", "kernel_stop", "kernel_link", "kernel_accessible",
                   "kernel_from_folder", "kernel_keyboard", "decimal_comma", "where_they_part", "footer")
HEX = """const r = {}; for (const e of document.querySelectorAll('input.hex')) r[e.dataset.field.slice(0, -1)] = e.value; return r"""


class Page:
    def __init__(self, browser, root, folder, address, native):
        self.browser, self.root, self.folder, self.address, self.native = browser, root, folder, address, native

    def open(self, fragment=""):
        self.browser.open("about:blank")
        self.browser.open(self.address + fragment)

    def verdict(self, seconds=60):
        return self.browser.wait(VERDICT, seconds=seconds, what="a verdict")

    def open_view(self, view, ready):
        """@param ready: a script that gives something when the view is there; None: its verdict is"""
        self.open(view)
        if ready:
            self.browser.wait(ready)
        else:
            self.verdict()

    def results(self):
        return self.browser.run(RESULTS)

    def state(self):
        """The fragment's keys and values."""
        fragment = self.browser.run("return location.hash")
        return dict(part.split("=", 1) for part in fragment.split("?", 1)[1].split("&"))

    def type_unit(self, which, text):
        """Types into the box of one unit, as a reader would."""
        self.browser.run("const i = document.querySelectorAll('.combobox input')[arguments[0]]; i.focus(); i.select();", which)
        self.browser.keys(text + ENTER)

    def set_field(self, field, value):
        self.browser.run("""const e = document.querySelector(`[data-field="${arguments[0]}"]`); e.focus(); e.value = arguments[1];
            e.dispatchEvent(new Event('input', {bubbles: true}));""", field, value)

    def drop(self, name, content, size=None, head=b""):
        """Drops a file. With a size, it is so many bytes of the content again and again, behind the head."""
        self.browser.run("""const [name, content, size, head] = arguments; const data = new DataTransfer();
            const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0));
            const all = size ? new Uint8Array(size).map((_, i) => bytes[i % bytes.length]) : bytes;
            data.items.add(new File([atob(head), all], name));
            document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));""",
                         name, base64.b64encode(content).decode(), size, base64.b64encode(head).decode())

    def answer_of_data(self, seconds=60):
        return self.browser.wait("const a = document.querySelector('.answer'); return a.hasAttribute('aria-busy') ? null : (a.querySelector('h2, .trouble') || {}).textContent",
                                 seconds=seconds, what="an answer about the data")


def vector_of(state, K, digits_a=4, digits_c=8):
    """The vector of an address."""
    out = {}
    for key in ("a", "b"):
        out[key] = ["0" * digits_a] * K
        for part in [] if state[key] == "-" else state[key].split(","):
            at, pattern = part.split(":")
            out[key][int(at)] = pattern
    if "c" in state:
        out["c"] = state["c"]
    return out


def test_first_answer(t):
    """From opening the page to the sentence: no word of it is wrong. How long it took is printed."""
    began = time.monotonic()
    t.open()
    text = t.verdict()
    took = time.monotonic() - began
    painted = t.browser.run("const p = performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint'); return p ? p.startTime : null")
    print(f"    first answer {took:.2f} s after the address was given, first paint {painted} ms")
    assert text.startswith("A100 and H100 differ on this vector, because A100 adds 8 products at once"), text
    found = t.native.json("synth", "A100", "H100/f16")["vectors"][0]
    assert t.results() == found["d"], (t.results(), found)
    assert vector_of(t.state(), 16) == {k: v for k, v in found.items() if k != "d"}, t.state()


def test_module_gives_the_same_as_the_answers_kept(t):
    """What the page knows when it opens is what its module says."""
    t.open("#two?A=A100&B=H100&format=f16")
    first, results = t.verdict(), t.results()
    t.open("#two?A=a100&B=h100/f16&format=f16")
    assert t.verdict().lower().replace("/f16", "") == first.lower() and t.results() == results


def test_typed_units(t):
    """Products by keyboard, with the list of what can be typed; formats that only one has."""
    t.open()
    t.verdict()
    t.browser.run("const i = document.querySelectorAll('.combobox input')[1]; i.focus(); i.select();")
    t.browser.keys("mi300")
    options_shown = t.browser.run("return [...document.querySelectorAll('[role=option]')].filter(e => e.checkVisibility()).map(e => e.firstChild.textContent)")
    assert options_shown[:2] == ["MI300A", "MI300X"], options_shown
    t.browser.keys(DOWN + DOWN + ENTER)
    text = t.browser.wait("const v = document.querySelector('.verdict h2'); return v && v.textContent.includes('MI300X') && !document.body.classList.contains('busy') ? v.textContent : null")
    found = t.native.json("synth", "A100/f16", "MI300X/f16")["vectors"][0]
    assert t.results() == found["d"], (text, t.results(), found)
    why = t.native.json("explain", "A100/f16", "MI300X/f16", *options(found))["parts_at"]["sentence"]
    assert text.endswith(re.sub(r"\bB\b", "MI300X", re.sub(r"\bA\b", "A100", why)) + "."), (text, why)


def test_different_lengths(t):
    """A V100 multiplies four numbers at once, an H100 sixteen: the V100 takes several instructions, and the page says so."""
    t.open("#two?A=V100&B=H100&format=f16")
    text = t.verdict()
    found = t.native.json("synth", "V100/f16{K=16}", "H100/f16")["vectors"][0]
    assert t.results() == found["d"], (text, t.results())
    assert "V100 multiplies fewer numbers at once" in t.browser.run("return document.querySelector('.verdict').textContent")


def test_the_same(t):
    """Two that are the same: on what ground, and numbers to try."""
    t.open("#two?A=A100&B=L4&format=f16")
    assert t.verdict() == "A100 and L4 are the same for all inputs"
    assert t.native.json("synth", "A100/f16", "L4/f16")["verdict"] == "equivalent"
    assert "both are one line of the notation" in t.browser.run("return document.querySelector('.verdict').textContent")
    assert len(set(t.results())) == 1


def test_scales(t):
    """fp4 with scales, from names of the catalogue with an override."""
    p, q = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", "rtxblackwell/mma.m16n8k64.block16.f32.e2m1.e2m1.ue4m3{F=20}"
    t.open(f"#two?A={p}&B={q}")
    t.verdict()
    found = t.native.json("synth", p, q)["vectors"][0]
    assert t.results() == found["d"], (t.results(), found)


def test_edited_numbers(t):
    """Every number can be changed, as a number and as a pattern; the picture and the results follow."""
    t.open()
    t.verdict()
    before = t.browser.run("return document.querySelector('.pictures').textContent")
    t.set_field("a7", "0.1")
    t.browser.wait("return /rounded/.test(document.querySelector('.vector-note').textContent)", what="that 0.1 was rounded")
    hexes = t.browser.run(HEX)
    assert hexes["a7"] == "2e66", hexes
    vector = vector_of(t.state(), 16)
    assert vector["a"][7] == "2e66"
    explained = t.native.json("explain", "A100/f16", "H100/f16", *options(vector))
    assert t.results() == [u["d"] for u in explained["units"]]
    assert t.browser.run("return document.querySelector('.pictures').textContent") != before
    assert t.browser.run("return document.activeElement.dataset.field") == "a7"
    t.set_field("cx", "4b000000")
    t.browser.wait("return document.querySelector('[data-field=c]').value === '8388608'", what="c as a number")
    explained = t.native.json("explain", "A100/f16", "H100/f16", *options(vector_of(t.state(), 16)))
    assert t.results() == [u["d"] for u in explained["units"]]
    t.set_field("a7", "1e9")
    said = t.browser.wait("const e = document.querySelector('.vector-note .trouble'); return e && e.textContent", what="what is wrong with 1e9")
    assert said == "--a: number 8: '1e9' is beyond the largest number of f16", said


def test_words_and_picture(t):
    """The steps in words are the native program's; the picture shows the bits that are lost."""
    t.open()
    t.verdict()
    t.browser.run("document.querySelector('.in-words').open = true")
    words = t.browser.wait("return document.querySelector('.words').textContent")
    found = t.native.json("synth", "A100", "H100/f16")["vectors"][0]
    assert words == t.native("explain", "A100/f16", "H100/f16", *options(found)).stdout
    assert t.browser.run("return document.querySelectorAll('.picture .lost-bit').length") == 1
    assert t.browser.run("return [...document.querySelectorAll('.picture .part')].length") == 2


CAPTURE = """window.kept = []; const make = URL.createObjectURL; URL.createObjectURL = blob => { window.kept.push(blob); return make.call(URL, blob); };
HTMLAnchorElement.prototype.click = function () { window.keptName = this.download; };"""


def taken(t, label):
    """The file that a button of "Take it with you" gives: its name and text."""
    t.browser.run("window.kept = []; window.keptName = null; [...document.querySelectorAll('.take button')].find(b => b.textContent === arguments[0]).click()", label)
    t.browser.wait("return window.keptName || document.querySelector('.said').textContent", what=label)
    t.browser.run("window.keptText = null; window.kept[window.kept.length - 1].text().then(text => { window.keptText = text; })")
    return t.browser.run("return window.keptName"), t.browser.wait("return window.keptText")


def test_take_away(t):
    """The files are those of `export`, and the command line gives the same answer."""
    t.open()
    t.verdict()
    t.browser.run(CAPTURE)
    found = t.native.json("synth", "A100", "H100/f16")["vectors"][0]
    with tempfile.TemporaryDirectory() as place:
        name, text = taken(t, "Vector (JSON Lines)")
        Path(place, "vectors.jsonl").write_text(text)
        assert t.native("eval", "A100/f16", "vectors.jsonl", folder=place).returncode == 0
        assert json.loads(text.splitlines()[1]) == found
        Path(place, "vectors.jsonl").write_text("\n".join([text.splitlines()[0], json.dumps({k: v for k, v in found.items() if k != "d"})]) + "\n")
        for label, arguments in (("C", ["--as", "c", "--inputs", "vectors.jsonl"]),
                                 ("CUDA for H100", ["--as", "cuda", "--inputs", "--unit", t.native.json("show", "H100/f16")["unit"], "vectors.jsonl"]),
                                 ("SystemVerilog of A100", ["--as", "sv", "A100/f16"])):
            _, text = taken(t, label)
            assert text == t.native("export", *arguments, folder=place).stdout, (label, text[:300])
        name, text = taken(t, "Python")
        assert "discern.unit(name)" in text and "0x5002" in text
        compile(text, name, "exec")
        python = Path(t.native.program).parent / "python"
        if list(python.glob("discern/_core*.so")):
            Path(place, name).write_text(text)
            ran = subprocess.run([(python / "interpreter").read_text().strip(), name], cwd=place, capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": str(python.resolve())})
            if "ModuleNotFoundError" not in ran.stderr:
                names = [t.native.json("show", unit)["unit"] for unit in ("A100/f16", "H100/f16")]
                assert ran.stdout.split() == [names[0], "0x" + found["d"][0], names[1], "0x" + found["d"][1]], ran
    _, text = taken(t, "Picture (SVG)")
    assert text.startswith("<svg") and "</svg>" in text and "here they part" in text
    t.browser.run("window.kept = []; window.keptName = null; [...document.querySelectorAll('.take button')].find(b => b.textContent === 'Picture (PNG)').click()")
    t.browser.wait("return window.keptName === 'sums.png' && window.kept[window.kept.length - 1].size > 5000", what="the picture as PNG")
    line = t.browser.run("return document.querySelector('.take .command code').textContent")
    said = subprocess.run(line.replace("discern", t.native.program, 1), shell=True, capture_output=True, text=True).stdout
    assert f"d = {found['d'][0]}" in said and f"d = {found['d'][1]}" in said, said


def test_link(t):
    """A link opened afresh shows the same."""
    t.open("#two?A=MI300X&B=RX 9070&format=f16".replace(" ", "+"))
    t.verdict()
    t.set_field("c", "0.25")
    t.browser.wait("return document.querySelector('[data-field=cx]').value === '3e800000'")
    t.browser.wait("return location.hash.includes('c=3e800000')")
    link, results, text = t.browser.run("return location.hash"), t.results(), t.browser.run("return document.querySelector('.comparison').innerText")
    t.open(link)
    t.verdict()
    assert t.results() == results and t.browser.run("return document.querySelector('.comparison').innerText") == text
    assert t.browser.run("return location.hash") == link, (link, t.browser.run("return location.hash"))
    assert re.fullmatch(r"#two\?A=MI300X&B=RX\+9070&format=f16&a=[-0-9a-f:,]+&b=[-0-9a-f:,]+&c=3e800000", link), link


def test_bad_names(t):
    """A wrong name, a broken line, formats that do not go together: the program's sentence."""
    t.open("#two?A=V100&B=H100&format=f16")
    t.verdict()
    for text, command in (("H1000", ["show", "H1000"]), ("f16*f16+f32->f32 K=16 : round[f32 rz](fuse[F=25 rz](p*, c)", ["show", "f16*f16+f32->f32 K=16 : round[f32 rz](fuse[F=25 rz](p*, c)"]),
                          ("A100/f64", ["synth", "V100/f16", "A100/f64"]), ("H100{F=x}", ["show", "H100/f16{F=x}"])):
        t.type_unit(1, text)
        said = t.browser.wait("const e = document.querySelector('.verdict .trouble'); return e && !document.body.classList.contains('busy') && document.querySelectorAll('.combobox input')[1].value === arguments[0] && e.textContent !== window.saidBefore ? e.textContent : null", text)
        t.browser.run("window.saidBefore = arguments[0]", said)
        expected = t.native.sentence(*command).replace("; `discern units` lists the names", "") # of which the page has a list
        assert said == expected, (said, expected)
    t.type_unit(1, "H100")
    assert t.verdict().startswith("V100 and H100 differ")


def test_table(t):
    """The table is that of `suite`, and a cell leads to the answer."""
    t.open("#table?of=f16")
    rows = t.browser.wait("return [...document.querySelectorAll('.matrix tbody tr')].map(r => [...r.cells].map(c => c.className))")
    units = t.browser.run("return document.querySelector('.command code').textContent")
    names = [name.strip("'") for name in re.findall(r"'[^']*'|\S+", units)[2:]]
    suite = t.native.json("suite", *names)
    places = [suite["units"].index(name) for name in names]
    for pair in suite["pairs"]:
        i, j = (places.index(x) for x in pair["units"])
        expected = {"different": "differ", "same tree": "same", "proved": "same"}[pair["relation"]]
        assert rows[i][j + 1] == rows[j][i + 1] == expected, (names[i], names[j], rows[i][j + 1], pair)
    formats = t.browser.run("return [...document.querySelectorAll('.choices button')].map(b => b.textContent)")
    assert formats[:3] == ["f16", "bf16", "tf32"] and {"fp8 e4m3", "fp8 e5m2", "mxfp4", "nvfp4"} <= set(formats), formats
    open_cells = t.browser.run("let n = 0; for (const b of document.querySelectorAll('.choices button')) { b.click(); n += document.querySelectorAll('.matrix td.open').length; } return n")
    assert open_cells == 0
    t.open("#table?of=f16")
    t.browser.wait("return document.querySelector('.matrix a')")
    t.browser.run("[...document.querySelectorAll('.matrix a')].find(a => a.getAttribute('aria-label') === 'H100 and MI300X: differ').click()")
    t.browser.wait("return document.querySelector('main').dataset.shown === 'two'")
    assert t.verdict().startswith("H100 and MI300X differ on this vector"), t.verdict()


def test_properties(t):
    """Each property has the native program's verdict."""
    t.open("#properties?unit=V100&format=f16")
    t.browser.wait("return /All are answered|^$/.test(document.querySelector('.asking').textContent) && document.querySelectorAll('.property').length > 5", seconds=240, what="all properties")
    shown = t.browser.run("return [...document.querySelectorAll('.property')].map(e => [e.querySelector('h2').textContent, e.className])")
    native = t.native.json("property", "V100/f16")
    words = {"proved": "holds", "refuted": "fails", "unknown": "open"}
    for p in native["properties"]:
        mine = [c for text, c in shown if text.split(" ", 1)[1].startswith(p["name"].replace("-", " ")) or f" {p['name'].replace('-', ' ')}" in text]
        assert mine, (p["name"], shown)
        assert words[p["verdict"]] in mine[0] or "open" in mine[0], (p["name"], mine, p["verdict"])
    measured = t.browser.wait("return document.querySelector('.bar-of-errors') && document.querySelector('[aria-label=\"How far from exact\"] p').textContent")
    unit = t.native.json("measure", "V100/f16", "-n", "50000", "--threads", "1")["families"][0]["units"][0]
    assert f"{100 * unit['correct'] / (unit['dots'] - unit['special']):.1f} %" in measured, (measured, unit["correct"])


def test_my_unit(t):
    """A slider moves, and the line, the verdict and the vector follow."""
    t.open("#mine?unit=H100&format=f16")
    t.verdict()
    t.browser.run("const r = document.querySelector('[data-key=F] input[type=range]'); r.value = 22; r.dispatchEvent(new Event('input', {bubbles: true}));")
    t.browser.wait("return document.querySelector('.notation code').textContent.includes('F=22')")
    text = t.verdict()
    tree = t.native.json("show", "H100/f16{F=22}")["tree"]
    assert t.browser.run("return document.querySelector('.notation code').textContent") == tree
    found = t.native.json("synth", "H100/f16", "H100/f16{F=22}")["vectors"][0]
    t.browser.wait("return [...document.querySelectorAll('.result .pattern code')].map(e => e.textContent).join() === arguments[0]", ",".join(found["d"]), what=f"the results {found['d']}, after {text}")
    t.browser.run("const s = document.querySelector('[data-key=c] select'); s.value = 'late'; s.dispatchEvent(new Event('change', {bubbles: true}));")
    t.browser.wait("return location.hash.includes('set=F=22,c=late')")
    t.verdict()
    assert t.browser.run("return document.querySelector('.notation code').textContent") == t.native.json("show", "H100/f16{F=22,c=late}")["tree"]
    t.browser.run("const b = document.querySelector('[data-key=F] input[type=number]'); b.value = 5000; b.dispatchEvent(new Event('input', {bubbles: true}));")
    said = t.browser.wait("return document.querySelector('.card > .trouble').textContent")
    assert said == t.native.sentence("show", "H100/f16{F=5000,c=late}"), said


def test_pairs(t):
    """Twenty pairs of the catalogue, through the page."""
    for p, q in pairs_of(t.native.json("units"), 20):
        t.browser.run("location.hash = arguments[0]", f"#two?A={p}&B={q}")
        expected = t.native.json("synth", p, q)
        t.browser.wait("const b = document.querySelectorAll('.combobox input'); return b.length === 2 && b[0].value === arguments[0] && b[1].value === arguments[1]", p, q)
        text = t.verdict()
        if expected["verdict"] == "different":
            assert "differ on this vector" in text, (p, q, text)
            results = t.results()
            vector = {k: v for k, v in expected["vectors"][0].items() if k != "d"}
            if expected["by"] == "random":
                assert results == expected["vectors"][0]["d"], (p, q, results, expected)
            else:
                assert len(set(results)) == 2, (p, q, results, vector)
        else:
            assert "are the same for all inputs" in text, (p, q, text)


def test_nothing_from_elsewhere(t):
    """All that is loaded comes from the page's own server, and is less than 2,000,000 bytes compressed."""
    t.open()
    t.verdict()
    t.browser.wait("return performance.getEntriesByType('resource').some(e => e.name.endsWith('discern.wasm.gz') && e.responseEnd > 0)")
    loaded = t.browser.run("return performance.getEntriesByType('resource').map(e => [e.name, e.encodedBodySize])")
    assert all(name.startswith(t.address) for name, _ in loaded), loaded
    names = ("index.html", "page.css", "page.js", "worker.js", "discern.wasm.gz", "icon.svg")
    content = [Path(t.folder, name).read_bytes() for name in names]
    files, compressed = sum(map(len, content)), sum(min(len(c), len(gzip.compress(c))) for c in content)
    print(f"    {files} bytes are loaded, {compressed} if the server compresses")
    assert compressed < 2_000_000, compressed


def test_from_a_folder(t):
    """The page works from a folder, without a server."""
    t.browser.open("about:blank")
    t.browser.open(Path(t.folder, "index.html").resolve().as_uri() + "#two?A=V100&B=T4&format=f16")
    text = t.verdict()
    found = t.native.json("synth", "V100/f16{K=8}", "T4/f16")["vectors"][0]
    assert "V100 and T4 differ" in text and t.results() == found["d"], (text, t.results())


def main():
    root, folder, program, name, *wanted = sys.argv[1:]
    program = str(Path(program).resolve())
    if not Path(folder, "index.html").exists():
        print(f"there is no page in {folder}; script/page makes one")
        return 77
    kind = next((b for b in browsers.available() if b.name == name), None)
    if kind is None:
        print(f"{name} and its driver are not installed (script/setup --all)")
        return 77
    server = subprocess.Popen([program, "page", "--port", "0", "--folder", folder], stdout=subprocess.PIPE, text=True)
    failed = []
    try:
        address = server.stdout.readline().strip()
        browser = kind()
        try:
            t = Page(browser, root, folder, address, Native(program))
            tests = {n.removeprefix("test_"): f for n, f in {**globals(), **vars(data_flows), **vars(access_flows), **vars(kernel_flows), **vars(unit_flows)}.items() if n.startswith("test_")}
            if wanted == ["of_each_browser"]:
                wanted = OF_EACH_BROWSER
            if unknown := set(wanted) - set(tests):
                sys.exit(f"there is no test {', '.join(sorted(unknown))}; there are {', '.join(tests)}")
            for test, run in tests.items():
                if wanted and test not in wanted:
                    continue
                began = time.monotonic()
                try:
                    run(t)
                    print(f"{name} {test}: passed ({time.monotonic() - began:.1f} s)", flush=True)
                except Exception:  # noqa: BLE001: the other tests go on
                    failed.append(test)
                    print(f"{name} {test}: FAILED\n{traceback.format_exc()}", flush=True)
            if os.environ.get("PICTURES"):
                pictures.take(t, os.environ["PICTURES"])
        finally:
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
