#!/usr/bin/env bash
# What many shards cost: a space in so many parts, one after the other as so many machines would have done; every tenth is
# killed and done again. Prints the seconds of a shard, what was lost, and the time and size of merging.
#
# Usage: tests/bench/shards.sh DISCERN [SHARDS] [SPACE]
set -euo pipefail
discern=$(realpath "$1")
shards=${2:-1000}
space=${3:-'volta/mma.m8n8k4.f32.f16.f16.f32{F={17..24},carry={2|3|wide},floor={none|-140|-136|-133|-132|-130},zero={ignore|emin},align={rz|rne|ru}}'}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
now() { date +%s.%N; }
since() { python3 -c "print(f'{$(now) - $1:.1f}')"; }

start=$(now) killed=0
for shard in $(seq "$shards"); do
    work=("$discern" suite --space "$space" --store "answers.$shard" --shard "$shard/$shards" --threads 1)
    if [ $((shard % 10)) -eq 0 ]; then
        timeout -s KILL 0.05 "${work[@]}" >/dev/null 2>&1 || killed=$((killed + 1))
    fi
    "${work[@]}" >>done.txt
done
echo "$shards shards: $(since "$start") s, $killed killed before; of the last: $(tail -n 1 done.txt)"
du -ch answers.[0-9]* | tail -n 1
start=$(now)
"$discern" store merge answers answers.[0-9]*
echo "merged in $(since "$start") s: $(du -h answers | cut -f1)"
start=$(now)
"$discern" suite --space "$space" --store answers | tail -n 1
echo "the suite in $(since "$start") s"
