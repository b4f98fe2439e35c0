#!/usr/bin/env bash
# A program computes the same bits with each set of vector kernels: with every one that this processor has, and, where qemu is, as
# it chooses on older processors, down to x86-64-v2, the least that script/wheels compiles for. What they are compared with
# is the evaluator, which has no kernels.
#
# Usage: kernels.sh PROGRAM
set -euo pipefail
program=$(realpath "$1") self=$(realpath "$0")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
fail() {
    echo "$*"
    exit 1
}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
# Random patterns, a quarter of them near 1, so that sums are not all NaN: files of words of one and of two bytes.
python3 - <<'END'
import random
rng = random.Random(65)
for name, size in (("a", 33 * 160), ("b", 160 * 70)):
    with open(name + "16", "wb") as file:
        for _ in range(size):
            bits = rng.getrandbits(16) if rng.random() < 0.002 else rng.getrandbits(10) | (12 + rng.getrandbits(2)) << 10 | rng.getrandbits(1) << 15
            file.write(bits.to_bytes(2, "little"))
    with open(name + "8", "wb") as file:
        file.write(bytes(rng.getrandbits(8) if rng.random() < 0.002 else rng.getrandbits(5) | 32 | rng.getrandbits(1) << 7 for _ in range(size)))
END
# A unit of each kind of kernels (docs/fast-models.md), and the bytes of its words.
units="V100/f16 2
H100/f16 2
H100/e4m3 1
A100/bf16 2
MI300X/f16 2
MI300X/e4m3fnuz 1
MI250X/bf16 2
MI100/f16 2
x86/vdpbf16ps 2
RX 7900 XTX/f16 2"

# The results of all units: results OUTPUT COMMAND…
results() {
    local output=$1 unit bytes
    shift
    while read -r line; do
        unit=${line% *} bytes=${line##* }
        "$@" gemm "$unit" "a$((8 * bytes))" "b$((8 * bytes))" --size 33,70,160 ${kernels:+--kernels "$kernels"} --verbose 2>>"$output.said" || return 1
    done <<<"$units" >"$output"
}
kernels=general results general "$program" || fail "general: $(cat general.said)"
[ "$(sort -u general | wc -l)" -gt 200 ] || fail "the results say little: $(sort -u general | wc -l) different lines"
tried=
for kernels in portable avx2 avx512 avx512fp16 best; do
    results "$kernels" "$program" || {
        [[ $(cat "$kernels.said") == *"unavailable"* || $(cat "$kernels.said") == *"does not have"* ]] || fail "$kernels: $(cat "$kernels.said")"
        continue
    }
    cmp -s general "$kernels" || fail "$kernels computes other bits than the evaluator: $(diff general "$kernels" | head -4)"
    tried+=" $kernels"
done
[[ $tried == " portable "*best ]] || fail "only$tried was tried"

qemu=$(command -v qemu-x86_64-static || command -v qemu-x86_64 || true)
kernels=
if [ -n "$qemu" ] && [ "$(uname -m)" = x86_64 ] && file -L "$program" | grep -q x86-64; then
    units=$(sed -n '1p;3p;7p;10p' <<<"$units") # each takes seconds there
    kernels=general results general "$program"
    while read -r cpu wanted; do
        results "$cpu" "$qemu" -cpu "$cpu" "$program" || fail "as $cpu: $(cat "$cpu.said")"
        grep -qi "kernels: $wanted" "$cpu.said" || fail "as $cpu: $wanted is right, not $(sort -u "$cpu.said")"
        cmp -s general "$cpu" || fail "as $cpu it computes other bits than the evaluator"
        tried+=", on $cpu $wanted"
    done <<'END'
Nehalem portable
Haswell avx2
END
fi
# A program whose kernels were wrong in one bit is told.
if file -L "$program" | grep -q ELF; then
    printf '#!/bin/sh\ncase "$*" in *portable*) %q "$@" | sed "1s/0/1/" ;; *) exec %q "$@" ;; esac\n' "$program" "$program" >wrong
    chmod +x wrong
    ! said=$(bash "$self" wrong 2>&1) || fail "a program whose results are wrong passes"
    [[ $said == *"portable computes other bits"* ]] || fail "wrong results: $said"
fi
echo "same bits:$tried"
