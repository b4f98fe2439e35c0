"""No include goes up: a folder includes only itself and those before it in the list of CMakeLists.txt, which has each
library's folder; a folder within that is none belongs to the one around it.

Usage: includes.py [ROOT]. Prints what goes up, and how large the folders are; the exit status is 1 if anything does.
"""
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
listed = re.search(r"set\(DISCERN_FOLDERS\s+([^)]*)\)", (root / "CMakeLists.txt").read_text()).group(1).split()
listed += ["embed", "python"]
order = list(dict.fromkeys(path.split("/")[0] for path in listed))


def library_of(name):
    """The place in the list of the library that has the file: of the longest path."""
    own = [path for path in listed if name.startswith(path + "/")]
    return listed.index(max(own, key=len)) if own else None


files = subprocess.run(["git", "-C", root, "ls-files", "*.cpp", "*.hpp", "*.h", "python/discern/*.py"], capture_output=True, text=True, check=True).stdout.split()
known = set(files)
wrong, lines = [], dict.fromkeys(order, 0)
for name in files:
    folder = name.split("/")[0]
    if folder not in order:
        continue
    for number, line in enumerate((root / name).read_text().splitlines(), 1):
        lines[folder] += 1
        if not (include := re.match(r'\s*#include "([^"]+)"', line)):
            continue
        beside = os.path.normpath(os.path.join(os.path.dirname(name), include.group(1)))
        target = beside if beside in known else include.group(1)
        if target not in known:
            wrong.append(f"{name}:{number}: {include.group(1)} is no file beside it or from the root")
        elif library_of(target) is None or library_of(target) > library_of(name):
            wrong.append(f"{name}:{number}: {listed[library_of(name)]}/ may not include {target}")
for sentence in wrong:
    print(sentence)
total = sum(lines.values())
for folder in order:
    print(f"{folder}: {lines[folder]} lines, {100 * lines[folder] / total:.0f} %")
print(f"{len(wrong)} includes go up")
sys.exit(1 if wrong else 0)
