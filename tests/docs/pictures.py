"""Opens pictures and pages that the program makes in a browser without a screen: nothing may stick out, no screenshot may
be empty.

Usage: pictures.py BROWSER FILE…     *.svg and *.html

A picture is looked at twice. A script asks every shape and text of an SVG where it is drawn: all of them have to lie within
the picture. And a screenshot is read, pixel by pixel: some share has to be other than the background, and nothing may be
drawn in its outermost rows and columns, where what sticks out is cut off. Exits with 1 and a line a file that is wrong.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

LEAST_INK = 0.002  # share of pixels that are not background
SIZE = (1280, 1400)  # of the window for pages

OUTSIDE = """<!DOCTYPE html><html><head><meta charset="utf-8"></head><body style="margin: 0">SVG<pre id="said"></pre><script>
const svg = document.querySelector('svg'), of = svg.getBoundingClientRect(), out = [];
for (const e of svg.querySelectorAll('*')) {
  const box = e.getBoundingClientRect();
  if (box.left < of.left - 1 || box.right > of.right + 1 || box.top < of.top - 1 || box.bottom > of.bottom + 1)
    out.push(e.tagName + ': ' + e.textContent.trim().slice(0, 40));
}
document.getElementById('said').textContent = JSON.stringify({width: of.width, height: of.height, out});
</script></body></html>
"""


def browse(browser, place, url, *options):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--force-device-scale-factor=1", f"--user-data-dir={place}/profile", *options, url]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=1200, check=True).stdout


def pixels(png):
    """Rows of a PNG as bytes, and how many bytes a pixel has. RGB and RGBA of 8 bits, as browsers write them."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and colour in (2, 6), (depth, colour)
        elif kind == b"IDAT":
            data += chunk
        at += length + 12
    size = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(data), width * size
    rows, before = [], bytearray(stride)
    for y in range(height):
        filtered = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - size] if x >= size else 0
            up, corner = before[x], before[x - size] if x >= size else 0
            if filtered == 1:
                row[x] = (row[x] + left) & 255
            elif filtered == 2:
                row[x] = (row[x] + up) & 255
            elif filtered == 3:
                row[x] = (row[x] + (left + up) // 2) & 255
            elif filtered == 4:
                p = left + up - corner
                near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                row[x] = (row[x] + near) & 255
        rows.append(bytes(row))
        before = row
    return rows, size


def ink(png):
    """The share of pixels that are not background, and whether the frame of the picture has some."""
    rows, size = pixels(png)
    background = rows[0][:size]
    plain = background * (len(rows[0]) // size)
    used = sum(1 for row in rows if row != plain for x in range(0, len(row), size) if row[x : x + size] != background)
    frame = any(row[:size] != background or row[-size:] != background for row in rows)
    frame = frame or rows[0] != plain or rows[-1] != plain
    return used / (len(rows) * len(rows[0]) // size), frame


def complaints(browser, file):
    with tempfile.TemporaryDirectory() as place:
        place, is_svg = pathlib.Path(place), file.suffix == ".svg"
        width, height = SIZE
        if is_svg:
            page = place / "page.html"
            page.write_text(OUTSIDE.replace("SVG", file.read_text(encoding="utf-8")), encoding="utf-8")
            dom = browse(browser, place, f"file://{page}", "--window-size=3000,3000", "--dump-dom").decode()
            said = json.loads(re.search(r'<pre id="said">(.*?)</pre>', dom, re.DOTALL).group(1))
            for one in said["out"][:3]:
                yield f"sticks out: {one}"
            width, height = round(said["width"]), round(said["height"])
        shot = place / "shot.png"
        browse(browser, place, f"file://{file.resolve()}", f"--window-size={width},{height}", f"--screenshot={shot}")
        share, frame = ink(shot.read_bytes())
        if share < LEAST_INK:
            yield f"is empty: {100 * share:.2f} % of it is drawn"
        if is_svg and frame:
            yield "is drawn up to its edge"


def main():
    browser, *files = sys.argv[1:]
    wrong = [f"{file}: {one}" for file in files for one in complaints(browser, pathlib.Path(file))]
    print("\n".join(wrong + [f"{len(files)} looked at"]))
    sys.exit(1 if wrong else 0)


main()
