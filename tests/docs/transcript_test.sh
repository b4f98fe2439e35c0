#!/usr/bin/env bash
# transcript.sh against documents that are right and documents that are wrong, each in one way.
#
# Usage: transcript_test.sh, in the root of the repository
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Whether the document whose output is $2 is accepted: $1 is 0, or 1 if it must not be.
document() {
    local status=0
    printf "    \$ printf '9 results, 54 units\\\\nsecond\\\\n1…2 (3.5)\\\\n'\n%b\n" "$2" >"$scratch/page.md"
    bash tests/docs/transcript.sh build "$scratch/page.md" >"$scratch/said" 2>&1 || status=$?
    [ "$status" = "$1" ] || {
        echo "status $status instead of $1 for a document that says:"
        cat "$scratch/page.md"
        failed=1
    }
}

document 0 '    9 results, 54 units\n    second\n    1…2 (3.5)'
document 0 '    9 results, … units\n    second\n    1…2 (3.5)'
document 0 '    9 results, … units\n    …\n    1…2 (3.5)'
document 0 '    …\n    1…2 (3.5)'
document 1 '    8 results, … units\n    second\n    1…2 (3.5)'
document 1 '    9 results, … kernels\n    second\n    1…2 (3.5)'
document 1 '    9 results, … units\n    1…2 (3.5)'
document 1 '    9 results, … units\n    second\n    …\n    1…3 (3.5)'
document 1 '    9 results, 54 units\n    second\n    …2 (3.5)'
document 1 '    9 results, 54 units\n    second\n    1…2 (3x5)'
exit "$failed"
