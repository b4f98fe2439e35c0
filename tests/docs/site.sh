#!/usr/bin/env bash
# Point 11 of a good first hour: the pages make a site, and no link in it is dead.
#
# Usage: site.sh, in the root of the repository. Exits with 77 where mkdocs is not installed.
set -euo pipefail
command -v mkdocs >/dev/null || { echo "mkdocs is not installed"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
script/site "$place/site"
python3 tests/docs/links.py "$place/site"
# Every page of docs/ can be reached from the list beside all of them.
for page in docs/*.md; do
    grep -q "\"docs/$(basename "$page" .md).html\"" "$place/site/index.html" || { echo "$page is not in mkdocs.yml"; exit 1; }
done
# Each page has a box to search, and what it searches has the pages' words.
for page in "$place"/site/*.html "$place"/site/docs/*.html; do
    grep -q 'id="mkdocs-search-query"' "$page" || { echo "$page has no box to search"; exit 1; }
done
python3 - "$place/site/search/search_index.json" <<'END'
import json, sys
pages = {entry["location"].split("#")[0] for entry in json.load(open(sys.argv[1]))["docs"] if "CUTLASS" in entry["text"]}
sys.exit(0 if "docs/kernels.html" in pages else f"a search for CUTLASS does not find the page of kernels: {sorted(pages)}")
END
# The check can fail.
echo '<a href="nowhere.html">' >>"$place/site/index.html"
if python3 tests/docs/links.py "$place/site" >/dev/null; then
    echo "a dead link is not found"
    exit 1
fi
