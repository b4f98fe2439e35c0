#!/usr/bin/env python3
"""Draws which folder of the sources includes which, and fails if folders include each other in a circle.

A reader who opens one folder of a circle has to open all of them. Usage: circles.py ROOT
"""
import pathlib
import re
import sys

ROOMS = ["models", "certificate", "encodings", "hwrunner", "programs", "solver", "designs", "analysis", "identification",
         "cli", "python"]
# What a line of #include may be relative to, beside the folder of its file.
ROOTS = [".", "cli", "models", "python"]


def includes(root):
    """{(folder, folder): "file includes file"} of all C++ sources but tests and documents."""
    arrows = {}
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]pp")):
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf8"), re.M):
                found = next((base / name for base in [path.parent, *(root / r for r in ROOTS)] if (base / name).is_file()), None)
                if found is None:
                    continue
                one, other = (p.resolve().parent.relative_to(root.resolve()).as_posix() for p in (path, found))
                if one != other:
                    arrows.setdefault((one, other), f"{path.relative_to(root)} includes {name}")
    return arrows


def circle(arrows):
    """Folders that include each other in a circle, or an empty list."""
    following = {}
    for one, other in arrows:
        following.setdefault(one, []).append(other)
    done = set()

    def walk(folder, way):
        if folder in way:
            return way[way.index(folder):] + [folder]
        if folder in done:
            return []
        for other in following.get(folder, []):
            if found := walk(other, way + [folder]):
                return found
        done.add(folder)
        return []

    for folder in list(following):
        if found := walk(folder, []):
            return found
    return []


def main():
    # A test that finds nothing may be unable to find anything.
    assert circle({("a", "b"): "", ("b", "c"): "", ("c", "a"): ""}) and not circle({("a", "b"): "", ("a", "c"): "", ("b", "c"): ""})
    arrows = includes(pathlib.Path(sys.argv[1]))
    assert len(arrows) > 100, f"only {len(arrows)} arrows: are these the sources?"
    found = circle(arrows)
    for one, other in zip(found, found[1:]):
        print(f"{one} includes {other}: {arrows[one, other]}")
    print(f"{len(arrows)} arrows between folders, " + ("a circle" if found else "no circle"))
    sys.exit(bool(found))


main()
