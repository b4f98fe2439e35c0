# Systems in a folder that have one Python and nothing else, for the tests of what script/wheels makes: sourced, never run.
# Exits with 77 where they cannot be made: not as root, without debootstrap, the archives of Debian and Ubuntu, or PyPI.
# DISCERN_ROOTS names a folder with systems by their name (bookworm …), which are copied instead of fetched.
# shellcheck shell=bash
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
place=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by the trap
clean() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    for mounted in "$place"/root-*/proc "$place"/root-*/dev/pts; do umount "$mounted" 2>/dev/null || true; done
    rm -rf --one-file-system "$place"
}
trap clean EXIT
python3 -m pip download -q --no-deps -d "$place" 'scikit-build-core>=0.10' >/dev/null 2>&1 || skip "PyPI cannot be reached"

# The system whose Python a wheel is for: Python, its name, debootstrap's script for it, its components, what has its Python.
systems="310 jammy jammy main,universe python3,python3-venv
311 bookworm bookworm main python3,python3-venv
312 noble gutsy main,universe python3,python3-venv
313 trixie trixie main python3,python3-venv
314 forky sid main python3.14,python3.14-venv"

# Makes $root, a system that has this Python and nothing else, with what discern depends on beside the wheel; else returns 1, with the reason in $why.
# shellcheck disable=SC2034 # they are read by what sources this
make_root() {
    local version=$1 processor=$2 name script components packages
    read -r _ name script components packages <<<"$(grep "^$version " <<<"$systems" || true)"
    [ -n "$name" ] || { why="no system is known that has this Python"; return 1; }
    local foreign=()
    if [ "$processor" != "$(uname -m)" ]; then
        grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64 || { why="programs of that processor do not run here; qemu-user-static makes them run"; return 1; }
        name+=-arm64 foreign=(--arch=arm64)
    fi
    root=$place/root-$name
    if [ -d "${DISCERN_ROOTS-}/$name" ]; then
        cp -a "$DISCERN_ROOTS/$name" "$root"
    else
        debootstrap "${foreign[@]}" --variant=minbase "--components=$components" "--include=$packages" "${name%-arm64}" "$root" "" "/usr/share/debootstrap/scripts/$script" >"$place/log" 2>&1 ||
            { why="debootstrap made none: $(tail -1 "$place/log")"; return 1; }
    fi
    local dotted=3.${version#3}
    python3 -m pip download -q --only-binary :all: --python-version "$dotted" --platform "manylinux2014_$processor" --platform "manylinux_2_27_$processor" \
        --platform "manylinux_2_28_$processor" -d "$root/tmp" 'numpy>=1.24' z3-solver cvc5 >"$place/log" 2>&1 || { why="pip fetches no numpy, z3-solver or cvc5: $(tail -1 "$place/log")"; return 1; }
    mount -t proc proc "$root/proc" || { why="/proc cannot be mounted"; return 1; } # by which the program finds its own folder
    in_root "python$dotted" -m venv /tmp/venv || { why="its Python makes no environment"; return 1; }
}
in_root() { env -i PATH=/tmp/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PIP_NO_INDEX=1 PIP_FIND_LINKS=/tmp PIP_DISABLE_PIP_VERSION_CHECK=1 chroot "$root" "$@"; }
