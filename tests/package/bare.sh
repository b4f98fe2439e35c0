#!/usr/bin/env bash
# Points 11 and 12 of a good first hour: on a Debian with nothing but its base system, the package installs with what it
# depends on, and its programs run. This is what the Dockerfile's second stage does, and its own lines are what is run
# here, in a folder that debootstrap fills (90 MB to fetch).
#
# Usage: bare.sh BUILD CPACK, in the root of the repository. Exits with 77 where that cannot be done: not as root, without debootstrap, or
# without Debian's archive.
set -euo pipefail
build=$1 cpack=$2
skip() {
    echo "$*"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a Debian in a folder"
# shellcheck source=/dev/null
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || skip "this is no Debian, whose libraries the package needs"
for tool in debootstrap dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
bare=$place/bare
debootstrap --variant=minbase "$release" "$bare" >"$place/log" 2>&1 ||
    skip "debootstrap made no Debian here: $(tail -1 "$place/log")"
cp /etc/resolv.conf "$bare/etc/resolv.conf"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$place/made" >"$place/log" 2>&1 || {
    cat "$place/log"
    exit 1
}
cp "$place"/made/discern_*.deb "$bare/tmp/"

# The RUN of the last stage, its lines joined.
install=$(awk '/^FROM/ {run = ""; on = 0}
    /^RUN/ {on = 1; sub(/^RUN /, "")}
    on {line = $0; on = sub(/\\$/, "", line); run = run line " "}
    END {print run}' Dockerfile)
[[ $install == *apt-get* ]] || { echo "the Dockerfile's last stage installs nothing"; exit 1; }
in_bare() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$bare" "$@"; }
in_bare sh -c "$install" >"$place/log" 2>&1 || {
    tail -20 "$place/log"
    exit 1
}

fail() {
    echo "$*"
    exit 1
}
unit=volta/mma.m8n8k4.f32.f16.f16.f32
said=$(in_bare discern which "model:$unit")
[[ $said == *"consistent with $unit"* ]] || fail "which: $said"
status=0 said=$(in_bare discern synth "$unit" "$unit{F=24}") || status=$?
{ [ "$status" -eq 1 ] && [[ $said == *'"d":['* ]]; } || fail "synth: status $status: $said"
in_bare discern prove "$unit{carry=3}" "$unit" --certificate /tmp/proof >/dev/null || fail "prove: status $?"
in_bare discern-check /tmp/proof >/dev/null || fail "discern-check: status $?"
in_bare sh -c 'test -s /usr/share/man/man1/discern.1 || test -s /usr/share/man/man1/discern.1.gz' || fail "there is no manual page"
echo "$release: $(in_bare discern --version), $(in_bare dpkg-query -W | wc -l) packages, $(du -sm "$bare" | cut -f1) MB"
