#!/usr/bin/env bash
# The wheel and the archive of script/wheels on a Debian that has python3 and nothing else: installed within seconds, the
# first answer, the page, Python, and nothing left behind; and what the files contain and ask for.
#
# Usage: wheel.sh [FOLDER], in the root of the repository; FOLDER has them already, else script/wheels is run. Exits with 77
# where that cannot be done: not as root, without debootstrap, Debian's archive or PyPI.
set -euo pipefail
skip() {
    echo "$*"
    exit 77
}
fail() {
    echo "$*"
    exit 1
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a Debian in a folder"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
# shellcheck source=/dev/null
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || skip "this is no Debian"
place=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by the trap
clean() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    umount "$place/bare/proc" 2>/dev/null || true
    rm -rf --one-file-system "$place"
}
trap clean EXIT

made=${1:-$place/made}
if [ $# -eq 0 ]; then
    python3 -m pip download -q --no-deps -d "$place" 'scikit-build-core>=0.10' >/dev/null 2>&1 || skip "PyPI cannot be reached"
    page=()
    [ -s build/page/index.html ] || page=(--no-page)
    script/wheels "${page[@]}" "$made" >"$place/log" 2>&1 || fail "script/wheels: $(tail -30 "$place/log")"
fi
wheel=$(compgen -G "$made/discern_mma-*manylinux*.whl" | head -1) || fail "there is no wheel in $made"
archive=$(compgen -G "$made/discern-*.tar.gz" | head -1) || fail "there is no archive in $made"
has_page=false
[[ $(tar -tzf "$archive") != *share/discern/page/index.html* ]] || has_page=true

# What is in them: at most 30 MB, notices, a bill of materials whose components are those of the table; libraries of glibc alone.
[ "$(stat -c %s "$wheel")" -le 30000000 ] || fail "$wheel has more than 30 MB"
mkdir "$place/wheel" "$place/archive"
python3 -m zipfile -e "$wheel" "$place/wheel"
tar -xzf "$archive" -C "$place/archive" --strip-components=1
info=$(compgen -G "$place/wheel/*.dist-info")
for name in LICENSE NOTICE LICENSES/cadical.txt; do
    [ -s "$info/licenses/$name" ] || fail "the wheel has no $name"
    [ -s "$place/archive/usr/share/doc/discern/$name" ] || fail "the archive has no $name"
done
script/sbom | cmp - "$info/sboms/discern.cdx.json" || fail "the wheel has another bill of materials"
asked=$(find "$place/wheel" "$place/archive" -type f \( -name 'discern*' -o -name '*.so*' \) -exec sh -c 'objdump -p "$1" 2>/dev/null' _ {} \; |
    awk '$1 == "NEEDED" {print $2}' | sort -u | tr '\n' ' ')
[ "$asked" = "ld-linux-x86-64.so.2 libc.so.6 libm.so.6 " ] || fail "the files ask for other libraries than glibc's: $asked"

bare=$place/bare
debootstrap --variant=minbase --include=python3,python3-venv "$release" "$bare" >"$place/log" 2>&1 ||
    skip "debootstrap made no Debian here: $(tail -1 "$place/log")"
cp "$wheel" "$archive" "$bare/tmp/"
# What it depends on lies beside it, so that the time is not the network's.
/usr/bin/python3 -m pip download -q --only-binary :all: -d "$bare/tmp" 'numpy>=1.24' >"$place/log" 2>&1 || skip "PyPI cannot be reached: $(tail -1 "$place/log")"
mount -t proc proc "$bare/proc" || skip "/proc cannot be mounted" # by which the program finds its own folder
in_bare() { env -i PATH=/tmp/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$bare" "$@"; }
in_bare python3 -m venv /tmp/venv
# What is there; pip leaves empty folders.
inventory() { in_bare find /tmp/venv -not -type d -not -name '*.pyc' | sort; }
inventory >"$place/before"

unit=volta/mma.m8n8k4.f32.f16.f16.f32
start=$(date +%s.%N) status=0
in_bare pip install -q --no-index --find-links /tmp "/tmp/$(basename "$wheel")" >"$place/log" 2>&1 || fail "pip: $(tail -5 "$place/log")"
said=$(in_bare discern synth "$unit" "$unit{F=24}") || status=$?
seconds=$(echo "$(date +%s.%N) - $start" | bc)
{ [ "$status" -eq 1 ] && [[ $said == *'"d":['* ]]; } || fail "synth: status $status: $said"

said=$(in_bare python3 -c "import discern; print(discern.synth('$unit', '$unit{F=24}').verdict)")
[ "$said" = different ] || fail "discern.synth: $said"
said=$(in_bare python3 -c "import discern; print(discern.prove('$unit{carry=3}', '$unit', checked=True).ground)")
[ "$said" = certificate ] || fail "discern.prove: $said"
in_bare discern prove "$unit{carry=3}" "$unit" --certificate /tmp/proof >/dev/null || fail "prove: status $?"
in_bare discern-check /tmp/proof >/dev/null || fail "discern-check: status $?"
in_bare sh -c "cd /tmp && python3 -c 'import numpy; numpy.savez(\"v.npz\", a=numpy.ones((3, 4), numpy.float16), b=numpy.ones((3, 4), numpy.float16), c=numpy.zeros(3, numpy.float32))' && discern eval $unit v.npz" \
    >"$place/log" 2>&1 || fail "eval of an .npz: $(cat "$place/log")"
[ "$(grep -c 40800000 "$place/log")" -eq 3 ] || fail "eval of an .npz: $(cat "$place/log")"
in_bare sh -c "cd /tmp && discern suite '$unit' '$unit{F=24}' --store answers.db >/dev/null && test -s answers.db" || fail "there is no store"
if $has_page; then
    env -i PATH=/tmp/venv/bin:/usr/sbin:/usr/bin:/bin chroot "$bare" discern page --port 0 >"$place/page" 2>&1 & # no function, whose shell would be killed alone
    server=$!
    for _ in $(seq 100); do
        ! grep -q http "$place/page" || break
        sleep 0.1
    done
    address=$(cat "$place/page")
    in_bare python3 -c "
import urllib.request
page = urllib.request.urlopen('$address').read().decode()
assert '<title>' in page and 'discern' in page, page[:200]
assert len(urllib.request.urlopen('${address}discern.wasm.gz').read()) > 1000000" || fail "the page: $(cat "$place/page")"
    kill "$server"
    server=
fi

in_bare pip uninstall -qy discern-mma numpy >/dev/null 2>&1 || fail "pip uninstall"
inventory >"$place/after"
cmp -s "$place/before" "$place/after" || fail "uninstalled, it leaves $(diff "$place/before" "$place/after" | head -5)"

# The archive alone, without Python's help.
in_bare sh -c "mkdir /tmp/archive && tar -xzf /tmp/$(basename "$archive") -C /tmp/archive --strip-components=1"
status=0 said=$(in_bare /tmp/archive/usr/bin/discern synth "$unit" "$unit{F=24}") || status=$?
{ [ "$status" -eq 1 ] && [[ $said == *'"d":['* ]]; } || fail "the archive's synth: status $status: $said"
in_bare /tmp/archive/usr/bin/discern-check /tmp/proof >/dev/null || fail "the archive's discern-check: status $?"

echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes; installed and the first answer after $seconds s"
