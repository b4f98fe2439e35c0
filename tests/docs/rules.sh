#!/usr/bin/env bash
# No include goes up (includes.py), words that were given up are not used again (words.py), and modules of the Python package
# are imported at the top and in no circle (imports.py); each can fail.
#
# Usage: rules.sh, in the root of the repository. Exits with 77 where this is no checkout of git.
set -euo pipefail
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no checkout of git"; exit 77; }
python3 tests/docs/includes.py
python3 tests/docs/words.py
python3 tests/docs/imports.py
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
git -C "$place" init -q
mkdir -p "$place/low/inner" "$place/high"
echo 'set(DISCERN_FOLDERS low low/inner high)' >"$place/CMakeLists.txt"
touch "$place/high/high.hpp" "$place/low/inner/inner.hpp"
echo '#include "inner.hpp"' >"$place/low/inner/inner.cpp"
echo '#include "low/inner/inner.hpp"' >"$place/high/high.cpp"
git -C "$place" add .
python3 tests/docs/includes.py "$place" >/dev/null || { echo "an include that goes down is wrong"; exit 1; }
# fails PROGRAM PLACE: the one that has to be found
fails() {
    local said
    git -C "$place" add .
    said=$(python3 "tests/docs/$1" "$place") && { echo "$1 finds nothing wrong: $said"; exit 1; }
    [[ $said == *"$2"* ]] || { echo "$1 does not find $2: $said"; exit 1; }
}
echo '#include "low/inner/inner.hpp"' >"$place/low/low.cpp"
fails includes.py low/low.cpp:1
echo '#include "high/high.hpp"' >"$place/low/low.cpp"
fails includes.py low/low.cpp:1
printf '# A page\n\nThis is the plain circuit.\n' >"$place/page.md"
fails words.py page.md:3
rm "$place/page.md"
printf 'const char* text = "it is cut"; // what it says\n' >"$place/low/low.cpp"
git -C "$place" add .
python3 tests/docs/words.py "$place" >/dev/null || { echo "text of a program is taken for a comment"; exit 1; }
printf 'int x; // it is cut\n' >"$place/low/low.cpp"
fails words.py low/low.cpp:1
mkdir -p "$place/python/discern"
echo 'from . import high' >"$place/python/discern/low.py"
echo 'import numpy' >"$place/python/discern/high.py"
python3 tests/docs/imports.py "$place" >/dev/null || { echo "an import at the top is wrong"; exit 1; }
printf 'def f():\n    from .low import g\n' >"$place/python/discern/high.py"
fails imports.py python/discern/high.py:2
fails imports.py 'high → low → high'
printf 'def f():\n    import numpy\n' >"$place/python/discern/high.py"
fails imports.py 'numpy is always there'
# PyPI's `discern` is another project.
other=$(git grep -nE "pip3? install ([-][^ ]+ )*.?discern([^_[:alnum:]-]|$)" -- ':!tests/docs/rules.sh' || true)
[ -z "$other" ] || { echo "this installs another project than discern-mma: $other"; exit 1; }
