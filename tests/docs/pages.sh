#!/usr/bin/env bash
# Point 11 of a good first hour: on a phone and on a desktop, nothing is cut off in the HTML pages: the site, and what
# `discern suite --html` writes.
#
# Usage: pages.sh BUILD, in the root of the repository. Exits with 77 where there is no Chromium, or no mkdocs.
set -euo pipefail
build=$1 browser=
for name in chromium-headless-shell chromium google-chrome; do
    if command -v "$name" >/dev/null; then
        browser=$name
        break
    fi
done
[ -n "$browser" ] || { echo "no Chromium is installed (Debian: chromium-headless-shell)"; exit 77; }
command -v mkdocs >/dev/null || { echo "mkdocs is not installed"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
script/site "$place/site"
rm -rf "$place/site/page" # which tests/page looks at
mkdir "$place/suite" "$place/wrong"
unit=volta/mma.m8n8k4.f32.f16.f16.f32
units=()
for F in 12 13 14 15 16 17 18 19 20 21 22 24 25; do units+=("$unit{F=$F}"); done
"$build/discern" suite "$unit" "${units[@]}" 'turing/mma.m16n8k8.f32.f16.f16.f32{K=4}' --html "$place/suite/suite.html" >/dev/null
python3 tests/docs/pages.py "$browser" "$place/site" "$place/suite"

# The check can fail: a page that is too wide, one with something cut off, an empty one.
head='<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width"></head><body>'
words=$(printf 'word %.0s' {1..50})
echo "$head<p>$words</p><div style='width: 500px'>wide</div></body></html>" >"$place/wrong/wide.html"
echo "$head<p>$words</p><div style='overflow: hidden; white-space: nowrap'>$words$words$words$words</div></body></html>" >"$place/wrong/cut.html"
echo "$head</body></html>" >"$place/wrong/empty.html"
said=$(python3 tests/docs/pages.py "$browser" "$place/wrong") && { echo "nothing wrong is found in wrong pages"; exit 1; }
for complaint in "wide.html at 390: is 5" "cut.html at 390: is cut off" "cut.html at 1280: is cut off" "empty.html at 1280: has 0 letters"; do
    grep -qF "$complaint" <<<"$said" || { echo "not found: $complaint; but: $said"; exit 1; }
done
if grep -q "wide.html at 1280" <<<"$said"; then
    echo "what fits is said to be too wide: $said"
    exit 1
fi
