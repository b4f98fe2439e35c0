#!/usr/bin/env bash
# Point 12 of a good first hour: script/setup names packages that there are, each once, and --all adds to them.
#
# Usage: setup.sh, in the root of the repository. Exits with 77 where there are no lists of packages to look into.
set -euo pipefail
few=$(script/setup --list) all=$(script/setup --all --list)
[ -z "$(sort <<<"$all" | uniq -d)" ] || { echo "named twice: $(sort <<<"$all" | uniq -d)"; exit 1; }
[ "$(comm -23 <(sort <<<"$few") <(sort <<<"$all"))" = "" ] || { echo "--all leaves something out"; exit 1; }
for package in z3 cvc5 boolector clang-19 lld-19 g++-aarch64-linux-gnu qemu-user yosys verilator chromium-headless-shell debootstrap; do
    grep -qxF -- "$package" <<<"$all" || { echo "--all has no $package"; exit 1; }
done
# What tests miss, by their own words, is what CI installs.
grep -q -- '--all' .ci/run || { echo ".ci/run does not install what tests use"; exit 1; }
named=$(grep -rhoE '\(Debian: [a-z][^)]*\)' tests --include=*.cpp --include=*.sh | sed 's/(Debian: //; s/)//; s/ and /\n/g' | sort -u)
[ "$(wc -l <<<"$named")" -gt 4 ] || { echo "tests name no packages: $named"; exit 1; }
unknown=$(comm -23 <(echo "$named") <(sort <<<"$all"))
[ -z "$unknown" ] || { echo "tests skip without $unknown, which --all does not install"; exit 1; }
if script/setup --everything 2>/dev/null; then
    echo "an unknown option is taken"
    exit 1
fi
if ! grep -qs 'VERSION_ID="12"' /etc/os-release || ! apt-cache show libgtest-dev >/dev/null 2>&1; then
    echo "no lists of Debian 12's packages here"
    exit 77
fi
# shellcheck disable=SC2086 # one word a package
missing=$(comm -23 <(sort <<<"$all") <(apt-cache show --no-all-versions $all 2>/dev/null | sed -n 's/^Package: //p' | sort -u))
[ -z "$missing" ] || { echo "Debian 12 has no package $missing"; exit 1; }
