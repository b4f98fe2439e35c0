#!/usr/bin/env bash
# Point 12 of a good first hour: script/setup names packages that there are, each once, and --all adds to them; on other
# systems it says what is missing by their names.
#
# Usage: setup.sh, in the root of the repository. Exits with 77 where there are no lists of packages to look into.
set -euo pipefail
few=$(script/setup --list) tests=$(script/setup --tests --list) all=$(script/setup --all --list)
[ -z "$(sort <<<"$all" | uniq -d)" ] || { echo "named twice: $(sort <<<"$all" | uniq -d)"; exit 1; }
[ -z "$(comm -23 <(sort <<<"$few") <(sort <<<"$tests"))$(comm -23 <(sort <<<"$tests") <(sort <<<"$all"))" ] ||
    { echo "--tests or --all leaves something out"; exit 1; }
for package in z3 cvc5 boolector clang-19 lld-19 g++-aarch64-linux-gnu qemu-user yosys verilator chromium-headless-shell debootstrap zsh fish; do
    grep -qxF -- "$package" <<<"$all" || { echo "--all has no $package"; exit 1; }
done
# What tests miss, by their own words, is what CI installs; those of how documents look have a job of their own.
grep -q -- '--all' .ci/run || { echo ".ci/run does not install what tests use"; exit 1; }
named=$(grep -rhoE '\(Debian: [a-z][^)]*\)' tests --include=*.cpp --include=*.sh --exclude=pages.sh --exclude=pictures.sh | sed 's/(Debian: //; s/)//; s/ and /\n/g' | sort -u)
[ "$(wc -l <<<"$named")" -gt 4 ] || { echo "tests name no packages: $named"; exit 1; }
unknown=$(comm -23 <(echo "$named") <(sort <<<"$tests"))
[ -z "$unknown" ] || { echo "tests skip without $unknown, which --tests does not install"; exit 1; }
if script/setup --everything 2>/dev/null; then
    echo "an unknown option is taken"
    exit 1
fi

# Other systems, as far as programs that only print can play them: a PATH with these and what scripts use.
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for tool in bash env dirname nproc awk sed grep sort head tr cat comm uname id mktemp; do
    ln -s "$(command -v "$tool")" "$place/$tool"
done
# plays PROGRAM TEXT: a program that runs the text
plays() {
    rm -f "$place/$1"
    printf '#!%s\n%s\n' "$place/bash" "$2" >"$place/$1"
    chmod +x "$place/$1"
}
# says STATUS WORDS…: script/setup ends so, in few lines, and says each of these
says() {
    local expected=$1 said status=0 word
    shift
    said=$(PATH=$place script/setup 2>&1) || status=$?
    if [ "$status" -ne "$expected" ] || [ "$(wc -l <<<"$said")" -gt 5 ]; then
        echo "status $status, not $expected: $said"
        exit 1
    fi
    for word in "$@"; do
        [[ $said == *"$word"* ]] || { echo "'$word' is not said: $said"; exit 1; }
    done
}
says 0 "does not know this system's names" libboost-dev "docs/install.md"
plays rpm 'echo cmake; echo fmt-devel'
says 0 'sudo dnf install gcc-c++ ninja-build boost-devel cli11-devel json-devel ' 'not tried'
plays rpm "PATH=$PATH script/setup --for fedora"
[ -z "$(PATH=$place script/setup 2>&1)" ] || { echo "something is missing where nothing is"; exit 1; }
rm "$place/rpm"
plays uname 'echo Darwin'
plays brew 'echo cmake'
says 0 'brew install gcc ninja boost '
for package in $few; do echo "Package: $package"; done >"$place/packages"
plays dpkg-query 'exit 1'
# shellcheck disable=SC2016 # they expand in what is written
plays sudo '"$@"'
# shellcheck disable=SC2016
plays apt-get '[ "$1" = update ] || echo "$@" >>'"$place/installed"
plays apt-cache "cat $place/packages"
plays cmake 'echo cmake version 3.28.3'
says 0 installing
grep -q -- 'iverilog' "$place/installed" || { echo "iverilog is not installed"; exit 1; }
sed -i '/libcvc5-dev/d' "$place/packages"
says 0 'this release has no package libcvc5-dev: what needs them is left out' installing
grep -q -- 'libcvc5-dev' <(tail -1 "$place/installed") && { echo "what there is not is installed"; exit 1; }
plays cmake 'echo cmake version 3.22.1'
says 2 "cmake is 3.22.1, and 3.25 is needed"
sed -i '/libcli11-dev/d' "$place/packages"
says 2 'this release has no package libcli11-dev, and discern is not built without'
for system in fedora homebrew conda-forge; do
    names=$(script/setup --for "$system")
    if [ -n "$(sort <<<"$names" | uniq -d)" ] || ! grep -qx cmake <<<"$names"; then
        echo "$system: $names"
        exit 1
    fi
done
if script/setup --for minix 2>/dev/null; then
    echo "an unknown system is taken"
    exit 1
fi

if ! grep -qs 'VERSION_ID="12"' /etc/os-release || ! apt-cache show libgtest-dev >/dev/null 2>&1; then
    echo "no lists of Debian 12's packages here"
    exit 77
fi
# shellcheck disable=SC2086 # one word a package
missing=$(comm -23 <(sort <<<"$all") <(apt-cache show --no-all-versions $all 2>/dev/null | sed -n 's/^Package: //p' | sort -u))
[ -z "$missing" ] || { echo "Debian 12 has no package $missing"; exit 1; }
