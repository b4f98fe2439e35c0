#!/usr/bin/env bash
# script/hooks/pre-commit lets good changes pass and stops wrong ones, and looks at nothing but what is staged.
#
# Usage: hook.sh, in the root of the repository. Exits with 77 where git, clang-format-14 or shellcheck is missing.
set -euo pipefail
for tool in git clang-format-14 shellcheck; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/clone/script"
cp .clang-format "$place/clone"
cp -r script/hooks "$place/clone/script"
cd "$place/clone"
git init -q
git config user.name test
git config user.email test
git config core.hooksPath script/hooks

# commits passes|stops WHAT
commits() {
    local said status=0
    said=$(git commit -qm "$2" 2>&1) || status=$?
    [ "$status" -eq 0 ] && [ "$1" = passes ] && return
    [ "$status" -ne 0 ] && [ "$1" = stops ] && return
    echo "$2: status $status: $said"
    exit 1
}
git add .
commits passes "the beginning"
printf 'int one() { return 1; }\n' >good.cpp
printf 'int  two( ){return 2;}\n' >bad.cpp # not staged
git add good.cpp
commits passes "a source of the right format"
git add bad.cpp
commits stops "a source of another format"
git rm -q --cached bad.cpp
printf '#!/usr/bin/env bash\necho %s1\n' '$' >script/unquoted
git add script/unquoted
commits stops "a script with an unquoted word"
printf '#!/usr/bin/env bash\necho "%s1"\n' '$' >script/unquoted
git add script/unquoted
commits passes "the same with quotes"
