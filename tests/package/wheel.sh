#!/usr/bin/env bash
# The wheels and archives of script/wheels, on systems that have their Python and nothing else: installed within seconds, the first
# answer, the line of README.md, the page, Python, solvers that pip brings, and nothing left behind; and what the files contain and ask for.
#
# Usage: wheel.sh [FOLDER], in the root of the repository; FOLDER has them already, else script/wheels is run. Exits with 77 where no such system
# can be made (roots.sh says what that needs).
# shellcheck source=tests/package/roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/roots.sh"

made=${1:-$place/made}
if [ $# -eq 0 ]; then
    page=()
    [ -s build/page/index.html ] || page=(--no-page)
    script/wheels "${page[@]}" "$made" >"$place/log" 2>&1 || fail "script/wheels: $(tail -30 "$place/log")"
fi
wheels=$(compgen -G "$made/discern_mma-*manylinux_2_28*.whl") || fail "there is no wheel in $made"
unit=volta/mma.m8n8k4.f32.f16.f16.f32
small=("e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))" "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](round[f32 rne](fuse[exact](p*))))")

# What is in a wheel and its archive: at most 30 MB, notices, a bill of materials whose components are those of the table; libraries of glibc alone.
look_into() {
    local wheel=$1 archive=$2 info asked in=$place/in
    [ "$(stat -c %s "$wheel")" -le 30000000 ] || fail "$wheel has more than 30 MB"
    rm -rf "$in"
    mkdir -p "$in/wheel" "$in/archive"
    python3 -m zipfile -e "$wheel" "$in/wheel"
    tar -xzf "$archive" -C "$in/archive" --strip-components=1
    info=$(compgen -G "$in/wheel/*.dist-info")
    for name in LICENSE NOTICE LICENSES/cadical.txt; do
        [ -s "$info/licenses/$name" ] || fail "$wheel has no $name"
        [ -s "$in/archive/usr/share/doc/discern/$name" ] || fail "$archive has no $name"
    done
    script/sbom | cmp - "$info/sboms/discern.cdx.json" || fail "$wheel has another bill of materials"
    find "$in" -type f \( -name 'discern*' -o -name '*.so*' \) -exec python3 tests/package/needed.py {} + >"$place/asked" || fail "needed.py"
    grep -q '^libc\.so\.6 ' "$place/asked" || fail "$wheel and $archive ask for no C library"
    asked=$(grep -vE '^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-[^ ]*) ' "$place/asked" || true)
    [ -z "$asked" ] || fail "$wheel and $archive ask for other libraries than glibc's: $asked"
}

# What is there; pip leaves empty folders.
inventory() { in_root find /tmp/venv -not -type d -not -name '*.pyc' | sort; }

# Installs a wheel in $root, uses it, and removes it: use_wheel WHEEL PYTHON
use_wheel() {
    local wheel=$1 said status=0 seconds address has_page
    cp "$wheel" "$root/tmp/"
    inventory >"$place/before"
    # The line of the README, whose index is a folder; until the first answer no more processor time than a quiet machine has in 15 seconds.
    line=$(grep -m1 -oE '^    pip install discern-mma && [^#]*[^# ]' README.md) || fail "README.md has no line that installs"
    TIMEFORMAT='%R %U %S'
    { time said=$(in_root sh -c "$line" 2>"$place/log"); } 2>"$place/time" || status=$?
    { [ "$status" -eq 1 ] && [[ $said == *'"d":['* ]]; } || fail "$line: status $status: $said $(tail -5 "$place/log")"
    seconds=$(awk '{printf "%.1f s, %.1f of them of the processor", $1, $2 + $3}' "$place/time")
    [ "$emulated" = true ] || awk '{exit !($2 + $3 <= 15)}' "$place/time" || fail "installing and the first answer take $seconds"

    said=$(in_root python3 -c "import discern; print(discern.synth('$unit', '$unit{F=24}').verdict)")
    [ "$said" = different ] || fail "discern.synth: $said"
    said=$(in_root python3 -c "import discern; print(discern.prove('$unit{carry=3}', '$unit', checked=True).ground)")
    [ "$said" = certificate ] || fail "discern.prove: $said"
    in_root discern prove "$unit{carry=3}" "$unit" --certificate /tmp/proof >/dev/null || fail "prove: status $?"
    in_root discern-check /tmp/proof >/dev/null || fail "discern-check: status $?"
    in_root sh -c "cd /tmp && python3 -c 'import numpy; numpy.savez(\"v.npz\", a=numpy.ones((3, 4), numpy.float16), b=numpy.ones((3, 4), numpy.float16), c=numpy.zeros(3, numpy.float32))' && discern eval $unit v.npz" \
        >"$place/log" 2>&1 || fail "eval of an .npz: $(cat "$place/log")"
    [ "$(grep -c 40800000 "$place/log")" -eq 3 ] || fail "eval of an .npz: $(cat "$place/log")"
    in_root sh -c "cd /tmp && discern suite '$unit' '$unit{F=24}' --store answers.db >/dev/null && test -s answers.db" || fail "there is no store"

    # The solvers of the extras, for a question that each of them has to answer.
    in_root pip install -q 'discern-mma[z3,cvc5]' >"$place/log" 2>&1 || fail "the extras z3 and cvc5: $(tail -3 "$place/log")"
    for solver in "z3 -in" "python3 -m discern.solvers.cvc5"; do
        status=0 said=$(in_root discern prove "$unit" "$unit{F=24}" --solver "$solver" --json) || status=$?
        { [ "$status" -eq 1 ] && [[ $said == *"\"by\":\"$solver\""* ]]; } || fail "$solver: status $status: $said"
        said=$(in_root discern smt2 "${small[0]}" "${small[1]}" | in_root sh -c "$solver") || fail "$solver: status $?: $said"
        [ "$said" = unsat ] || fail "$solver: $said"
    done

    # The lines of docs/install.md, in an environment of their own, with this wheel's name.
    sed -n '/^\*\*Without a compiler/,/^\*\*From a clone/ s/^    //p' docs/install.md | grep -v '^script/wheels' |
        awk -v python="$2" -v wheel="$(basename "$wheel")" '{
            sub(/^python3 -m venv/, python " -m venv"); sub(/discern_mma-[^ ]*whl/, wheel)
            print $0 (/^discern/ ? " || [ $? -eq 1 ] || exit 2" : " || exit 2")}' >"$root/tmp/lines"
    [ "$(wc -l <"$root/tmp/lines")" -ge 6 ] || fail "docs/install.md has few lines"
    in_root sh -c 'cd /tmp && . ./lines' >"$place/log" 2>&1 || fail "docs/install.md: $(tail -5 "$place/log")"
    rm -rf "$root/tmp/.venv"

    has_page=false
    ! in_root test -s /tmp/venv/share/discern/page/index.html || has_page=true
    if $has_page; then
        env -i PATH=/tmp/venv/bin:/usr/sbin:/usr/bin:/bin chroot "$root" discern page --port 0 >"$place/page" 2>&1 & # no function, whose shell would be killed alone
        server=$!
        for _ in $(seq 300); do
            ! grep -q http "$place/page" || break
            sleep 0.1
        done
        address=$(cat "$place/page")
        in_root python3 -c "
import urllib.request
page = urllib.request.urlopen('$address').read().decode()
assert '<title>' in page and 'discern' in page, page[:200]
assert len(urllib.request.urlopen('${address}discern.wasm.gz').read()) > 1000000" || fail "the page: $(cat "$place/page")"
        kill "$server"
        server=
    fi

    in_root pip uninstall -qy discern-mma numpy z3-solver cvc5 >/dev/null 2>&1 || fail "pip uninstall"
    inventory >"$place/after"
    cmp -s "$place/before" "$place/after" || fail "uninstalled, it leaves $(diff "$place/before" "$place/after" | head -5)"
    echo "$(basename "$wheel"), $(basename "$root"): $(stat -c %s "$wheel") bytes; the line of README.md took $seconds; page: $has_page"
}

# The archive alone, without Python's help, and the Debian package: use_archive ARCHIVE PACKAGE
use_archive() {
    local said status=0
    in_root mkdir /tmp/archive
    tar -xzf "$1" -C "$root/tmp/archive" --strip-components=1
    said=$(in_root /tmp/archive/usr/bin/discern synth "$unit" "$unit{F=24}") || status=$?
    { [ "$status" -eq 1 ] && [[ $said == *'"d":['* ]]; } || fail "the archive's synth: status $status: $said"
    in_root /tmp/archive/usr/bin/discern-check /tmp/proof >/dev/null || fail "the archive's discern-check: status $?"
    cp docs/examples/embed/example.py "$root/tmp/"
    said=$(in_root python3 /tmp/example.py /tmp/archive/usr/lib/libdiscern.so) || fail "the archive's library: $said"
    [[ $said == "d = 0.0"* ]] || fail "the archive's library: $said"
    cp "$2" "$root/tmp/discern.deb"
    in_root dpkg -i /tmp/discern.deb >"$place/log" 2>&1 || fail "the package: $(tail -3 "$place/log")"
    [[ $(in_root /usr/bin/discern --version) == *"$(sed -n 's/^project(discern VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"* ]] || fail "the package's discern"
    in_root dpkg -P discern >"$place/log" 2>&1 || fail "the package is not removed: $(tail -3 "$place/log")"
    ! in_root test -e /usr/bin/discern || fail "the package leaves the program"
    $emulated || bash tests/package/kernels.sh "$root/tmp/archive/usr/bin/discern" || fail "the archive's kernels"
}

declare -A deb_names=([x86_64]=amd64 [aarch64]=arm64)
used=0
while IFS= read -r wheel <&3; do
    tags=${wheel##*/discern_mma-} version=${tags#*-cp} processor=${tags##*manylinux_2_28_}
    version=${version%%-*} processor=${processor%.whl} emulated=false
    [ "$processor" = "$(uname -m)" ] || emulated=true
    archive=$(compgen -G "$made/discern-*-linux-$processor.tar.gz" | head -1) || fail "there is no archive for $processor in $made"
    package=$(compgen -G "$made/discern_*_${deb_names[$processor]}.deb" | head -1) || fail "there is no Debian package for $processor in $made"
    look_into "$wheel" "$archive"
    if make_root "$version" "$processor"; then
        use_wheel "$wheel" "python3.${version#3}"
        use_archive "$archive" "$package"
        umount "$root/proc"
        rm -rf --one-file-system "$root"
        used=$((used + 1))
    else
        echo "$(basename "$wheel"): not tried: $why"
    fi
done 3<<<"$wheels"
[ "$used" -gt 0 ] || skip "no wheel was tried"
