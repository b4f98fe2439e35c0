#!/usr/bin/env bash
# script/gpu from end to end, on the fake driver, whose device runs the text of every kernel on the machine of programs/:
# all instructions of a GPU agree with their units, and the report says so.
#
# Usage: script_gpu.sh FAKE_CUDA CAPABILITY INSTRUCTIONS
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ -x "$root/build/discern" ] || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export DISCERN_CUDA_LIBRARY=$1 DISCERN_FAKE_CAPABILITY=$2
"$root/script/gpu" -n 300 --size 8 --minutes 4 --into "$scratch/observations" -o "$scratch/report.md" >"$scratch/said" || {
    cat "$scratch/said"
    exit 1
}
right=$(sed -n 's/^| \(.*\) | checked 300, mismatches 0 |$/\1/p' "$scratch/report.md" | tr ',' '\n' | grep -c . || true)
same=$(grep -c '^| [^ ]* | the same bits | ' "$scratch/report.md" || true)
echo "$right instructions of $3 without a mismatch, $same kernels of 10 with the same bits"
[ "$right" = "$3" ] && [ "$same" = 10 ]
