#!/usr/bin/env bash
# What `explain` and `measure` draw, in a real browser: nothing sticks out of a picture, no page is empty.
#
# Usage: pictures.sh BUILD, in the root of the repository. Exits with 77 where there is no Chromium.
set -euo pipefail
build=$1 browser=
for name in chromium-headless-shell chromium google-chrome; do
    if command -v "$name" >/dev/null; then
        browser=$name
        break
    fi
done
[ -n "$browser" ] || { echo "no Chromium is installed (Debian: chromium-headless-shell)"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
volta=volta/mma.m8n8k4.f32.f16.f16.f32 turing='turing/mma.m16n8k8.f32.f16.f16.f32{K=4}'
cdna3=cdna3/v_mfma_f32_16x16x32_fp8_fp8
"$build/discern" explain "$volta" "$turing" --numbers --a=-8192,0,0,2 --b=1024,0,0,-0.25 --c 8388608 \
    --svg "$place/two.svg" --html "$place/two.html" -o /dev/null
"$build/discern" generate "$cdna3" -n 8 --seed 3 | "$build/discern" explain "$cdna3" - --at 7 --svg "$place/long.svg" \
    --html "$place/long.html" -o /dev/null
"$build/discern" measure "$volta" "$turing" -n 20000 --family normal --family cancelling --svg "$place/errors.svg" -o /dev/null
python3 tests/docs/pictures.py "$browser" "$place"/*.svg "$place"/*.html docs/explain.svg docs/measure.svg

# The check can fail: an empty picture, one with a word that sticks out, one that is drawn up to its edge, an empty page.
svg='<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100"><rect width="200" height="100" fill="#fff"/>'
echo "$svg</svg>" >"$place/empty.svg"
echo "$svg<text x='150' y='50'>a word that is too long</text></svg>" >"$place/out.svg"
echo "$svg<rect x='0' y='20' width='30' height='30'/></svg>" >"$place/edge.svg"
echo '<!DOCTYPE html><html><body></body></html>' >"$place/empty.html"
said=$(python3 tests/docs/pictures.py "$browser" "$place"/{empty,out,edge}.svg "$place/empty.html") &&
    { echo "nothing wrong is found in wrong pictures"; exit 1; }
for complaint in "empty.svg: is empty" "out.svg: sticks out: text" "edge.svg: is drawn up to its edge" "empty.html: is empty"; do
    grep -qF "$complaint" <<<"$said" || { echo "not found: $complaint; but: $said"; exit 1; }
done
