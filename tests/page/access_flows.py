"""The page for those who see little or have no mouse: rules of accessibility and the keyboard; flows.py runs these tests with its own."""

import json
import time
from pathlib import Path

import kernel_flows

TAB, ESCAPE = "\ue004", "\ue00c"


def accessible(t, view, ready):
    t.open_view(view, ready)
    time.sleep(0.2)
    wrong = t.browser.run(Path(t.root, "tests/page/rules.js").read_text())
    assert not wrong, f"{view}:\n" + "\n".join(wrong)
    axe = axe_source()
    if axe:
        t.browser.run("window.axeResult = null; " + axe + "; axe.run({resultTypes: ['violations']}).then(r => { window.axeResult = r.violations.map(v => `${v.id} (${v.impact}): ${v.help}: ${v.nodes.map(n => n.html.slice(0, 160)).slice(0, 3).join(' | ')}`); })")
        found = json.loads(t.browser.wait("return window.axeResult && JSON.stringify(window.axeResult)", seconds=60, what="axe"))
        assert not found, f"{view}: axe:\n" + "\n".join(found)


def axe_source():
    """axe-core, if a package of Python has it."""
    for name in ("axe_core_python", "axe_playwright_python", "axe_selenium_python"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        for file in Path(module.__file__).parent.rglob("axe.min.js"):
            return file.read_text()
    return None


VIEWS = [("", None), ("#mine", None), ("#data", "return document.querySelector('.drop')"), ("#table", "return document.querySelector('.matrix')"), ("#kernel", kernel_flows.READY),
         ("#properties?unit=V100", "return document.querySelectorAll('.property').length > 3")]


def test_accessible(t):
    """Rules of accessibility in every view, light and dark, wide and narrow."""
    for view, ready in VIEWS:
        accessible(t, view, ready)
    if t.browser.name == "chromium":
        t.browser.dark(True)
        t.browser.phone(True)
        try:
            for view, ready in VIEWS:
                accessible(t, view, ready)
        finally:
            t.browser.dark(False)
            t.browser.phone(False)


def test_keyboard(t):
    """The first view by keyboard alone: the boxes, a term's explanation, the numbers, the pictures can be reached."""
    t.open()
    t.verdict()
    seen = []
    t.browser.run("document.querySelector('.skip').focus()")
    for _ in range(60):
        t.browser.keys(TAB)
        seen.append(t.browser.run("const e = document.activeElement; return e.dataset.field || e.dataset.term || e.className || e.textContent.slice(0, 20) || e.tagName"))
    for wanted in ("vector", "a7", "a7x", "scroll", "The same in words", "Copy", "Picture (PNG)"):
        assert any(wanted in s for s in seen), (wanted, seen)
    t.open() # the focus may have gone on to the browser itself
    t.verdict()
    t.browser.keys(TAB)
    t.browser.run("document.querySelector('.verdict .term, .intro .term').focus()")
    assert t.browser.wait("const b = document.querySelector('[role=tooltip]'); return b && b.textContent")
    t.browser.keys(ESCAPE)
    assert t.browser.run("return document.querySelector('[role=tooltip]')") is None
