#!/usr/bin/env bash
# Runs the commands that a document shows, and compares what they print with what the document says they print.
#
# Usage: transcript.sh BUILD DOCUMENT, in the root of the repository
#
# A transcript is indented by four spaces. A line that starts with "$ " is a command, run with build/ standing for the
# build folder; the lines after it, up to an empty line or the next command, are its output, in which a line "…" stands
# for any number of lines. Commands may exit with 0 or 1, the two answers that are no trouble.
set -euo pipefail
build=$1 document=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
commands=0 wrong=0

# Compares $scratch/got with $scratch/said.
agree() {
    local got=$scratch/got said=$scratch/said before after
    if ! grep -qx '…' "$said"; then
        cmp -s "$got" "$said"
        return
    fi
    before=$(($(grep -nx -m1 '…' "$said" | cut -d: -f1) - 1))
    after=$(($(wc -l <"$said") - before - 1))
    [ "$(wc -l <"$got")" -ge $((before + after)) ] &&
        cmp -s <(head -n "$before" "$got") <(head -n "$before" "$said") &&
        cmp -s <(tail -n "$after" "$got") <(tail -n "$after" "$said")
}

finish() {
    local status=0
    [ -n "$command" ] || return 0
    commands=$((commands + 1))
    bash -c "${command//build\//"$build"/}" </dev/null >"$scratch/got" 2>&1 || status=$?
    if [ "$status" -gt 1 ]; then
        echo "$document: exit status $status: $command"
        cat "$scratch/got"
        wrong=$((wrong + 1))
    elif ! agree; then
        echo "$document: the output differs: $command"
        diff "$scratch/said" "$scratch/got" || true
        wrong=$((wrong + 1))
    fi
    command=
}

command=
while IFS= read -r line; do
    case $line in
    '    $ '*)
        finish
        command=${line#'    $ '}
        : >"$scratch/said"
        ;;
    '    '*) [ -z "$command" ] || printf '%s\n' "${line#    }" >>"$scratch/said" ;;
    *) finish ;;
    esac
done <"$document"
finish
echo "$document: $commands commands, $wrong wrong"
[ "$commands" -gt 0 ] && [ "$wrong" -eq 0 ]
