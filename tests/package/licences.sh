#!/usr/bin/env bash
# docs/licences.md is what script/packaging/components.tsv says; each library that this build's program asks for is in the
# table; what script/wheels makes is built without solvers that bring the GPL; and the two scripts refuse what is none of theirs.
#
# Usage: licences.sh BUILD, in the root of the repository
set -euo pipefail
build=$1
fail() {
    echo "$*"
    exit 1
}
command -v python3 >/dev/null || { echo "there is no python3"; exit 0; }
python3 -B script/sbom --check || fail "docs/licences.md"
components=$(grep -v '^#' script/packaging/components.tsv)
if [ -x "$build/discern" ]; then
    # The library's file name, and the component in the table.
    while read -r library component; do
        ! objdump -p "$build/discern" | grep -q "NEEDED *lib$library\." || grep -q "^$component" <<<"$components" ||
            fail "the program asks for lib$library, which the table does not have as $component"
    done <<'END'
sqlite3 SQLite
zip libzip
z3 Z3
cvc5 cvc5
fmt {fmt}
stdc++ libstdc++
gcc_s libstdc++
m glibc
c glibc
END
    known=' sqlite3 zip z3 cvc5 fmt stdc++ gcc_s m c ld-linux-x86-64 '
    for library in $(objdump -p "$build/discern" | sed -n 's/^ *NEEDED *\(lib\)\?\([^. ]*\(++\)\?\)\.so.*/\2/p'); do
        [[ $known == *" $library "* ]] || fail "the program asks for $library, of which the table says nothing"
    done
fi
# No text of LICENSES/ is left over, and nothing that is passed on is under the GPL without an exception.
for text in LICENSES/*.txt; do
    cut -f5 <<<"$components" | grep -qx "$(basename "$text" .txt)" || fail "$text belongs to no component"
done
copyleft=$(awk -F'\t' '$4 ~ /compiled|page/ && $3 ~ /GPL/ && $3 !~ / WITH / {print $1}' <<<"$components")
[ -z "$copyleft" ] || fail "passed on under the GPL: $copyleft"
python3 -B - <<'END'
import json
presets = {one["name"]: one for one in json.load(open("CMakePresets.json"))["configurePresets"]}
assert presets["portable"]["cacheVariables"]["DISCERN_CVC5"] == "OFF", "what is passed on links cvc5"
END
# refused SENTENCE COMMAND…: with status 2 and that sentence
refused() {
    local said status=0 wanted=$1
    shift
    said=$("$@" 2>&1) || status=$?
    { [ "$status" -eq 2 ] && [[ $said == *"$wanted"* ]]; } || fail "$*: status $status, not '$wanted': $said"
}
refused "there is no option '--push'" script/wheels --push
refused "one folder is enough" script/wheels a b
refused "--python needs an interpreter" script/wheels --python
refused "is no Python that starts" script/wheels --python /bin/false
refused "there is no option '--all'" script/sbom --all
