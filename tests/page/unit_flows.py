"""What readers type into the boxes of units, and what they see of it; flows.py runs these tests with its own."""

import re
import urllib.request
from pathlib import Path

from native import options

TROUBLE = "const e = document.querySelector('.verdict .trouble, .properties .trouble'); return e && !document.body.classList.contains('busy') ? e.textContent : null"
NEAR = "return [...document.querySelectorAll('.near button')].map(b => b.textContent)"


def fields(t):
    return t.browser.run("return [...document.querySelectorAll('.combobox input')].map(e => e.value)")


def click(t, text):
    t.browser.run("document.querySelector('.answer').setAttribute('aria-busy', 'true'); [...document.querySelectorAll('button.link')].find(b => b.textContent === arguments[0]).click()", text)


def same_as_native(t, p, q):
    found = t.native.json("synth", p, q)["vectors"][0]
    t.browser.wait("return [...document.querySelectorAll('.result .pattern code')].map(e => e.textContent).join() === arguments[0]", ",".join(found["d"]), what=f"the results of {p} and {q}, {found['d']}")


def test_examples(t):
    """Each example of the page's own is answered, and both sides have its format."""
    t.open()
    t.verdict()
    for text in t.browser.run("return [...document.querySelectorAll('.hint button')].map(b => b.textContent)"):
        click(t, text)
        said = t.verdict()
        assert "differ" in said or "the same" in said, (text, said)
        assert fields(t)[1] == text, fields(t)
    t.open()
    t.verdict()
    click(t, "H100/e4m3")
    assert t.verdict().startswith("L4 and H100/e4m3 differ") and fields(t) == ["L4", "H100/e4m3"], fields(t)
    same_as_native(t, "L4/e4m3", "H100/e4m3")
    assert "a (e4m3)" in t.browser.run("return document.querySelector('.numbers').textContent")


def test_formats_follow(t):
    """The format that was typed last is that of both, where both have it; else they are compared as the program compares them."""
    t.open("#two?A=A100&B=H100&format=f16")
    t.verdict()
    t.type_unit(0, "A100/bf16")
    t.verdict()
    assert fields(t) == ["A100/bf16", "H100"] and t.state()["format"] == "bf16"
    same_as_native(t, "A100/bf16", "H100/bf16")
    t.type_unit(1, "H100/tf32")
    t.verdict()
    assert fields(t) == ["A100/tf32", "H100/tf32"], fields(t)
    same_as_native(t, "A100/tf32", "H100/tf32")
    # A100 has no e4m3: its unit of f16 takes the numbers, which the page says, and shows in their own format.
    t.open("#two?A=A100&B=H100/e4m3&format=f16")
    t.verdict()
    native = t.native.json("synth", "A100/f16", "H100/e4m3")
    same_as_native(t, "A100/f16", "H100/e4m3")
    for assumed in native["assumed"]:
        assert assumed in t.browser.run("return document.querySelector('.verdict').textContent")
    assert "a (e4m3)" in t.browser.run("return document.querySelector('.numbers').textContent")
    t.browser.run("[...document.querySelectorAll('.vector button')].find(b => b.textContent.startsWith('Show all')).click()")
    t.set_field("a3", "1.5")
    t.browser.wait("return location.hash.includes('a=3:3c')", what="1.5 as e4m3")
    t.set_field("b3", "1.5")
    t.browser.wait("return location.hash.includes('a=3:3c') && location.hash.includes('b=3:3c')", what="1.5 as e4m3")
    zeros = ["00"] * 32
    vector = {"a": [*zeros[:3], "3c", *zeros[4:]], "b": [*zeros[:3], "3c", *zeros[4:]], "c": native["vectors"][0]["c"]}
    assert t.results() == [u["d"] for u in t.native.json("explain", "A100/f16", "H100/e4m3", *options(vector))["units"]]


def test_names_of_drivers(t):
    """Names as drivers print them are products, with the menu of formats."""
    for text, product in (("NVIDIA H100 80GB HBM3", "H100"), ("GeForce RTX 4090 Laptop GPU", "RTX 4090"), ("h100 sxm5", "H100"), ("AMD Instinct MI300X", "MI300X"), ("sm_75", "T4")):
        t.open("#two?A=V100&B=V100&format=f16")
        t.verdict()
        t.browser.run("document.querySelector('.answer').setAttribute('aria-busy', 'true')")
        t.type_unit(1, text)
        said = t.verdict()
        assert said.startswith(f"V100 and {product} differ"), (text, said)
        assert t.browser.run("return !document.querySelector('.format').hidden && document.querySelector('.format select').value") == "f16"
    t.open("#properties?unit=Tesla+T4&format=f16")
    t.browser.wait("return document.querySelectorAll('.property').length > 0", what="properties of a name as drivers print it")


def test_wrong_names(t):
    """A name that is none gets the nearest ones, as buttons; a text that begins with - is a name, too."""
    for text, first in (("H1000", "H100"), ("MI300", "MI300A"), ("hopper/wgma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.f16.f16"), ("A100/e4m3", "A100/f16"), ("B20O", "B200")):
        t.open("#two?A=A100&B=H100&format=f16")
        t.verdict()
        t.type_unit(1, text)
        said = t.browser.wait(TROUBLE, what=f"that {text} is no unit")
        assert "discern units" not in said and text in said or "A100 has no unit of 'e4m3'" in said, said
        near = t.browser.run(NEAR)
        assert near and near[0] == first, (text, near)
        click(t, near[0])
        t.verdict()
        assert fields(t)[1] == first
    for text in ("--help", "-", "--json", "qqqqqqqq"):
        for view in (f"#two?A={text}&B=H100", f"#mine?unit={text}", f"#properties?unit={text}"):
            t.open(view)
            assert t.browser.wait(TROUBLE, what=f"{view} as a sentence") == f"there is no unit '{text}'", view
            assert "The list of the field has all names" in t.browser.run("return document.querySelector('.near').textContent")


def test_decimal_comma(t):
    """1,5 is 1.5, and the page says so; two commas are wrong."""
    t.open()
    t.verdict()
    t.set_field("a7", "1,5")
    t.browser.wait("return /1,5 is read as 1.5/.test(document.querySelector('.vector-note').textContent)", what="that 1,5 is 1.5")
    assert t.browser.run("return document.querySelector('[data-field=a7x]').value") == "3e00"
    t.set_field("a7", "1,5,2")
    t.browser.wait("return document.querySelector('.vector-note .trouble')", what="that 1,5,2 is no number")


def test_where_they_part(t):
    """"Here they part" stands where bits are lost, not at the first block of a unit of another shape."""
    t.open("#two?A=A100&B=H100&format=f16")
    t.verdict()
    drawn = t.browser.run("""return [...document.querySelectorAll('.picture')].map(svg => { const part = svg.querySelector('.part'), box = svg.querySelector('.part-box').getBBox();
        const lost = [...svg.querySelectorAll('.lost-bit')].map(e => e.getBBox()).filter(b => b.y > box.y && b.y < box.y + box.height).length;
        return [part.parentElement.textContent, lost, svg.querySelectorAll('.lost-bit').length]; })""")
    assert drawn[0][0].startswith("sum: E = 26") and drawn[0][1:] == [1, 1], drawn  # in block 1, which loses 2
    assert drawn[1][0].startswith("d: rounded to f32"), drawn


def test_phone(t):
    """The histogram has both its sides on a phone."""
    if t.browser.name != "chromium":
        return
    t.browser.phone(True)
    try:
        t.open("#properties?unit=H100&format=f16")
        box = t.browser.wait("const s = [...document.querySelectorAll('svg.picture')].find(e => e.querySelector('.bar-of-errors')); return s && [s.getBoundingClientRect().right, innerWidth, s.parentElement.scrollWidth - s.parentElement.clientWidth]", seconds=60)
        assert box[0] <= box[1] and box[2] <= 1, box
    finally:
        t.browser.phone(False)


def test_footer(t):
    """Version, sources, licence and documents can be reached, all by relative links to files that are there."""
    t.open()
    version = t.native("--version").stdout.splitlines()[0]
    assert version in t.browser.run("return document.querySelector('footer').textContent")
    base = t.address.rsplit("/", 1)[0] + "/"
    seen, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        seen.add(name)
        with urllib.request.urlopen(base + name) as answer:
            text = answer.read().decode()
        assert text, name
        if not name.endswith(".html"):
            continue
        assert not re.search(r"\b(VERSION|SOURCES|NOTICES)\b(?!\.txt)", text), name
        for link in re.findall(r'(?:href|src)="([^"#]+)', text):
            assert not re.match(r"[a-z]+:|/", link), f"{name} links to {link}, which is not relative"
            if link not in seen:
                waiting.append(link)
    assert {"about.html", "LICENSE.txt", "notation.txt", "kernel-files.txt"} <= seen, seen
    assert (Path(t.root) / "LICENSE").read_text().strip() in urllib.request.urlopen(base + "LICENSE.txt").read().decode()
    evidence = urllib.request.urlopen(base + "evidence.txt").read().decode()
    assert all(f"\n## {name}\n" in evidence for name in ("volta", "hopper", "blackwell", "cdna3", "arm")), evidence[:200]
    if Path(t.root, "LICENSES").is_dir():
        assert "NOTICES.txt" in seen and "cadical" in urllib.request.urlopen(base + "NOTICES.txt").read().decode(), seen
    t.browser.run("document.querySelector('footer a').click()")
    # Until its style sheet is there Firefox draws nothing, and nothing is visible.
    t.browser.wait("const h = document.querySelector('h1'); return h && h.textContent === 'About this page' && document.readyState === 'complete'")
    wrong = t.browser.run(Path(t.root, "tests/page/rules.js").read_text())
    assert not wrong, wrong
