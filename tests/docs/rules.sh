#!/usr/bin/env bash
# No include goes up (includes.py), and words that were given up are not used again (words.py); both can fail.
#
# Usage: rules.sh, in the root of the repository. Exits with 77 where this is no checkout of git.
set -euo pipefail
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no checkout of git"; exit 77; }
python3 tests/docs/includes.py
python3 tests/docs/words.py
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
