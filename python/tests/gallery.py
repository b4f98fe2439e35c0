"""Makes the pictures of docs/gallery.md, from the calls that stand there: script/gallery."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "gallery.md"
KEPT = ROOT / "docs" / "gallery"


def calls() -> list[str]:
    """The blocks of the page that make pictures, as they stand there."""
    blocks = re.findall(r"(?m)(?:^    .*\n)+", PAGE.read_text())
    return [re.sub(r"(?m)^    ", "", block) for block in blocks if "discern.plot." in block]


def make(folder: Path) -> list[str]:
    """Makes all of them there. @return their names"""
    import discern.plot

    with contextlib.chdir(folder):
        for call in calls():
            exec(call, {"discern": discern})
    return [re.search(r'path="([^"]+)"', call)[1] for call in calls()]


def structure(path: Path) -> tuple[list[str], dict[str, int]]:
    """Of an SVG, what no version of matplotlib changes: the title, names of axes and of what is drawn, and how many
    groups of each kind there are."""
    root = ElementTree.parse(path).getroot()
    texts = [text for one in root.iter() if one.tag.endswith("}text") and (text := "".join(one.itertext()).strip())]
    words = [text for text in texts if re.search(r"[a-z]{2}", text)]
    groups: dict[str, int] = {}
    for one in root.iter():
        kind = re.sub(r"_\d+$", "", one.get("id", ""))
        if kind in ("axes", "line2d", "patch", "legend"):
            groups[kind] = groups.get(kind, 0) + 1
    groups.pop("line2d", None)  # ticks are such lines too, and how many there are is a matter of taste
    return words, groups


if __name__ == "__main__":
    sys.stdout.write("".join(f"docs/gallery/{name}\n" for name in make(KEPT)))
