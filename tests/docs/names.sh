#!/usr/bin/env bash
# Comments and documents name files that are there (names.py), and the test can fail.
#
# Usage: names.sh, in the root of the repository. Exits with 77 where this is no checkout of git.
set -euo pipefail
python3 tests/docs/names.py
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
git -C "$place" init -q
mkdir -p "$place/room/inner" "$place/other" "$place/docs"
echo '// See there.hpp, room/inner/there.hpp, other/gone.hpp, FILE.cpp and "f.sv:3"; not alone.cpp, gone.cpp.' >"$place/room/here.cpp"
touch "$place/room/inner/there.hpp" "$place/other/alone.cpp"
printf 'there.hpp of room/, ../other/alone.cpp, there.hpp; lost.py\n\n    $ cat mine.txt\n' >"$place/docs/page.md"
said=$(python3 tests/docs/names.py "$place") && { echo "nothing wrong is found: $said"; exit 1; }
found=$(sed -n 's/.*there is no \([^:]*\):.*/\1/p' <<<"$said" | sort | tr '\n' ' ')
[ "$found" = "alone.cpp gone.cpp lost.py other/gone.hpp " ] || { echo "found are: $found"; exit 1; }
