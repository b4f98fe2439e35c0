# Shared by the scripts of this folder: sourced, never run. Moves to the root of the repository, so that scripts work
# from any directory.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=$(nproc)

# A heading, bold on a terminal.
say() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

trouble() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 2
}

# Configures and builds a preset, printing what the build says only if it fails. One after the other, where scripts run side
# by side: a build folder is one program's.
# Usage: build PRESET [BUILD ARGUMENT…]
build() {
    (
        if command -v flock >/dev/null; then flock 9; fi
        build_alone "$@"
    ) 9<"$root/script/lib.sh"
}

build_alone() {
    local preset=$1 log
    shift
    log=$(mktemp)
    if cmake --preset "$preset" >"$log" 2>&1 && cmake --build --preset "$preset" -j "$jobs" "$@" >>"$log" 2>&1; then
        rm -f "$log"
    else
        grep -E -A30 'CMake Error|FAILED:|error:' "$log" >&2 || tail -50 "$log" >&2
        rm -f "$log"
        return 1
    fi
}
