"""Looks at HTML pages in a browser without a screen, at the widths of a phone and of a desktop: nothing may be wider
than the window unless it scrolls by itself, nothing may be cut off, no page may be empty, no picture missing.

Usage: pages.py BROWSER FOLDER…     all *.html below the folders

The pages are copied with a script that measures each after it is laid out; one page with a frame a width shows one after
the other and collects what they say, so that the browser starts once. What only shows when it is asked for (details, what
a link points to) is shown. Exits with 1 and a line a page that is wrong.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = (390, 1280)
LEAST_TEXT = 150  # letters, of a page that is not empty

MEASURE = """
<style>.witness { display: block !important; }</style>
<script>
addEventListener('load', () => {
  for (const d of document.querySelectorAll('details')) d.open = true;
  const wide = [], width = document.documentElement.clientWidth;
  const scrolls = e => { for (; e && e !== document.body; e = e.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(e).overflowX)) return true; return false; };
  for (const e of document.body.querySelectorAll('*')) {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (box.width === 0 || scrolls(e.parentElement)) continue;
    const cut = ['hidden', 'clip'].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
    if (box.right > width + 1 || box.left < -1 || cut)
      wide.push(e.tagName + (e.className ? '.' + e.className : '') + ': ' + e.textContent.trim().slice(0, 40));
  }
  const broken = [...document.images].filter(i => i.naturalWidth === 0).map(i => i.getAttribute('src'));
  parent.postMessage({page: PAGE, width: innerWidth, scroll: document.documentElement.scrollWidth,
      letters: document.body.innerText.trim().length, wide: wide.slice(0, 3), broken,
      phone: !!document.querySelector('meta[name=viewport][content*="width=device-width"]')}, '*');
});
</script>
"""

COLLECT = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="said"></pre><script>
const pages = PAGES, said = [];
const next = () => {
  document.querySelectorAll('iframe').forEach(f => f.remove());
  if (pages.length === 0) {
    document.getElementById('said').textContent = JSON.stringify(said);
    return;
  }
  const [page, width] = pages.shift(), frame = document.createElement('iframe');
  frame.width = width; frame.height = 844; frame.style.border = 0; frame.src = page;
  document.body.append(frame);
};
addEventListener('message', message => { said.push(message.data); next(); });
next();
</script>
"""


def look(browser, folders):
    """What the pages say of themselves, a dictionary a page and width."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        pages = []
        for number, folder in enumerate(folders):
            copy = place / f"pages{number}"
            shutil.copytree(folder, copy)
            for page in sorted(copy.rglob("*.html")):
                name = str(page.relative_to(place))
                text = page.read_text(encoding="utf-8")
                with_script = MEASURE.replace("PAGE", json.dumps(name))
                page.write_text(re.sub("</head>", lambda _: with_script + "</head>", text, count=1), encoding="utf-8")
                pages += [[name, width] for width in WIDTHS]
        (place / "collect.html").write_text(COLLECT.replace("PAGES", json.dumps(pages)), encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={place}/profile", "--window-size=1400,900",
                   "--virtual-time-budget=600000", "--dump-dom", f"file://{place}/collect.html"]
        dom = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=240, check=True).stdout
        found = re.search(r'<pre id="said">(.*?)</pre>', dom.decode(), re.DOTALL)
        text = found.group(1) if found else ""
        for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
            text = text.replace(entity, letter)
        if not text:
            raise SystemExit("the browser did not get through all pages")
        said = json.loads(text)
        assert len(said) == len(pages), (len(said), len(pages))
        return said


def complaints(said):
    """What is wrong with a page, in words."""
    wrong = []
    if said["width"] not in WIDTHS:
        wrong.append(f"was shown {said['width']} wide")
    if said["scroll"] > said["width"]:
        wrong.append(f"is {said['scroll']} wide")
    if said["wide"]:
        wrong.append("is cut off at " + "; ".join(said["wide"]))
    if said["letters"] < LEAST_TEXT:
        wrong.append(f"has {said['letters']} letters")
    if said["broken"]:
        wrong.append("lacks the picture " + ", ".join(said["broken"]))
    if not said["phone"]:
        wrong.append("does not ask phones for their own width (meta viewport)")
    return wrong


def main():
    browser, folders = sys.argv[1], sys.argv[2:]
    if not folders:
        raise SystemExit(__doc__)
    said = look(browser, folders)
    status = 0
    for page in said:
        for complaint in complaints(page):
            print(f"{page['page']} at {page['width']}: {complaint}")
            status = 1
    print(f"{len(said) // len(WIDTHS)} pages at {' and '.join(map(str, WIDTHS))}")
    sys.exit(status)


main()
