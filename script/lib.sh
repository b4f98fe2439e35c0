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

# The source of a Debian package, without a line in the machine's own list of sources: DEBIAN_SOURCE=PACKAGE FOLDER
debian_source() {
    local package=$1 folder uri
    folder=$(realpath -m "$2") # apt-get takes other paths as those of /etc/apt
    # What serves the binary package serves the source too.
    # shellcheck disable=SC2016
    uri=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sort -u)
    [ -n "$uri" ] || trouble "apt-get names no server of Debian, which has the source of $package (DISCERN_CADICAL_SOURCE=FOLDER names CaDiCaL's)"
    mkdir -p "$folder/lists/partial"
    awk '{print "deb-src", $1, $2, $3}' <<<"$uri" >"$folder/sources.list"
    local -a own=(-q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists" -o APT::Sandbox::User=)
    apt-get "${own[@]}" update >/dev/null
    (cd "$folder" && apt-get "${own[@]}" source --download-only "$package" >/dev/null && tar xf "$package"_*.orig.tar.*)
    rm -rf "$folder/lists"
}

# The folder of a Debian package's source, fetched once, in which a file lies: source_of PACKAGE FILE
source_of() {
    local kept=build-sources/$1 found
    compgen -G "$kept/*/$2" >/dev/null || debian_source "$1" "$kept"
    found=$(compgen -G "$kept/*/$2" | head -1)
    [ -n "$found" ] || trouble "the source of Debian's $1 has no $2"
    realpath "${found%/"$2"}"
}

# CaDiCaL's: of the package that the native program links.
cadical_source() { source_of cadical src/cadical.hpp; }
