#!/usr/bin/env bash
# Point 11 of a good first hour: cpack makes a package whose programs run without the source tree, and which names the
# libraries that they need, and a tarball; `cmake --install` puts the same into a folder.
#
# Usage: deb.sh BUILD CPACK. Exits with 77 where the tools of Debian's packages are missing.
set -euo pipefail
build=$1 cpack=$2
for tool in dpkg-deb dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "$*"
    exit 1
}
cd "$place"
"$cpack" -G 'DEB;TGZ' --config "$build/CPackConfig.cmake" -B "$place/made" >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
package=$(ls "$place"/made/discern_*.deb) || fail "no discern_*.deb was made"
depends=$(dpkg-deb --field "$package" Depends)
needed=$(objdump -p "$build/discern" | awk '$1 == "NEEDED" {print $2}')
for library in z3 cvc5 sqlite3 zip fmt; do
    grep -q "lib$library\." <<<"$needed" || continue
    [[ $depends == *lib$library* ]] || fail "the package does not depend on lib$library: $depends"
done
dpkg-deb --extract "$package" "$place/root"
cd "$place/root"
bin=$place/root/usr/bin
for file in usr/bin/discern usr/bin/discern-check usr/share/man/man1/discern.1 \
    usr/share/bash-completion/completions/discern usr/share/zsh/vendor-completions/_discern \
    usr/share/fish/vendor_completions.d/discern.fish usr/share/doc/discern/LICENSE; do
    [ -s "$file" ] || [ -s "$file.gz" ] || fail "the package has no $file"
done
# No path of the build is in the programs' search for libraries.
objdump -p "$bin/discern" | grep -E 'RPATH|RUNPATH' && fail "the program looks for libraries in the build"
unit=volta/mma.m8n8k4.f32.f16.f16.f32
mkdir "$place/tarball"
tar -xzf "$place"/made/discern-*.tar.gz -C "$place/tarball" --strip-components=1 || fail "no discern-*.tar.gz was made"
"$(dirname "$cpack")/cmake" --install "$build" --prefix "$place/prefix" >"$place/log" || { cat "$place/log"; exit 1; }
for from in "$bin" "$place/tarball/usr/bin" "$place/prefix/bin"; do
    env -i HOME="$place" PATH=/usr/bin:/bin "$from/discern" which "model:$unit" >"$place/which"
    grep -q "consistent with $unit" "$place/which" || fail "$from: which: $(cat "$place/which")"
done
status=0
env -i HOME="$place" PATH=/usr/bin:/bin "$bin/discern" synth "$unit" "$unit{F=24}" >"$place/synth" || status=$?
{ [ "$status" -eq 1 ] && grep -q '"d":\[' "$place/synth"; } || fail "synth: status $status: $(cat "$place/synth")"
env -i HOME="$place" PATH=/usr/bin:/bin "$bin/discern" prove "$unit{carry=3}" "$unit" --certificate "$place/proof" >/dev/null
env -i PATH=/usr/bin:/bin "$bin/discern-check" "$place/proof" >/dev/null || fail "discern-check: status $?"
echo "$(basename "$package"): $(stat -c %s "$package") bytes; $depends"
