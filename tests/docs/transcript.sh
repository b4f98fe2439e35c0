#!/usr/bin/env bash
# Runs the commands that a document shows, and compares what they print with what the document says they print.
#
# Usage: transcript.sh BUILD DOCUMENT, in the root of the repository
#
# A transcript is indented by four spaces. A line that starts with "$ " is a command, run with build/ standing for the
# build folder; the lines after it, up to an empty line or the next command, are its output, in which a line "…" stands
# for any number of lines, and " … " within a line for a word or more. Commands may exit with 0 or 1, the two answers
# that are no trouble.
set -euo pipefail
build=$1 document=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
commands=0 wrong=0

# A line as an extended regular expression. What a program prints as 1…2, without blanks, stands for itself.
pattern_of() {
    sed -E 's/[][\\.*^$+?(){}|]/\\&/g; s/ … / .+ /g' <<<"$1"
}

# Whether the lines of $1 are those of $2, one by one, with " … " in the latter.
same_lines() {
    local one other
    cmp -s "$1" "$2" && return
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || return
    while IFS= read -r -u 3 one && IFS= read -r -u 4 other; do
        [ "$one" = "$other" ] || grep -qxE "$(pattern_of "$other")" <<<"$one" || return
    done 3<"$1" 4<"$2"
}

# Compares $scratch/got with $scratch/said.
agree() {
    local got=$scratch/got said=$scratch/said before after text
    if ! grep -qx '…' "$said"; then
        same_lines "$got" "$said"
        return
    fi
    before=$(($(grep -nx -m1 '…' "$said" | cut -d: -f1) - 1))
    after=$(($(wc -l <"$said") - before - 1))
    [ "$(wc -l <"$got")" -ge $((before + after)) ] || return
    for text in got said; do
        head -n "$before" "$scratch/$text" >"$scratch/$text.ends"
        tail -n "$after" "$scratch/$text" >>"$scratch/$text.ends"
    done
    same_lines "$got.ends" "$said.ends"
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
