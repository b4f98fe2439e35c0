#!/usr/bin/env bash
# The examples of docs/embed.md, built as they say and run: examples.sh LIBRARY COMPILER [RUSTC], in the root of the repository.
set -euo pipefail
library=$1 compiler=$2 rustc=${3:-}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
examples=$PWD/docs/examples/embed
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "$*"
    exit 1
}
folder=$(dirname "$library")
export LD_LIBRARY_PATH=$folder

said=$(python3 "$examples/example.py" "$library")
while read -r line; do
    grep -qxF "    $line" docs/embed.md || fail "docs/embed.md does not show what example.py prints: $line"
done <<<"$said"

"$compiler" -x c -std=c99 -Wall -Wextra -Wpedantic -Werror "$examples/example.c" -I embed -L "$folder" -ldiscern -o "$place/c"
said=$("$place/c")
[[ $said == "they differ:"*'"verdict"'* ]] || fail "example.c: $said"

if [ -n "$rustc" ] && "$rustc" --version >/dev/null 2>&1; then
    "$rustc" -D warnings "$examples/example.rs" -L "$folder" -o "$place/rust"
    said=$("$place/rust")
    [[ $said == "D = [10.6"* ]] || fail "example.rs: $said" # 32 thirds of 11 bits
else
    echo "there is no rustc: example.rs is not compiled"
fi

# What it exports is the header's functions and the question of compilers, and nothing else.
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^DISCERN' | sort)
declared=$(cat embed/discern.h models/same_bits.h | grep -oE '\bdiscern_[a-z_]+\(' | tr -d '(' | sort -u)
[ "$exported" = "$declared" ] || fail "exported and declared: $(diff <(echo "$exported") <(echo "$declared"))"
