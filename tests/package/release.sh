#!/usr/bin/env bash
# script/release refuses what no release can be made of, before it builds anything.
#
# Usage: release.sh, in the root of the repository. Exits with 77 where this is no checkout of git.
set -euo pipefail
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no checkout of git"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/clone"
cd "$place/clone"
git init -q
mkdir script
cp "$OLDPWD"/CMakeLists.txt "$OLDPWD"/CHANGELOG.md .
cp "$OLDPWD"/script/{release,lib.sh} script
git add .
git -c user.name=test -c user.email=test commit -qm all
version=$(sed -n 's/^project(discern VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# refused SENTENCE ARGUMENT…: with status 2, that sentence, and nothing made.
refused() {
    local said status=0 wanted=$1
    shift
    said=$(script/release "$@" 2>&1) || status=$?
    if [ "$status" -ne 2 ] || ! grep -qF -- "$wanted" <<<"$said"; then
        echo "release $*: status $status, not '$wanted': $said"
        exit 1
    fi
    [ ! -e "dist/$version" ] || { echo "release $* made something"; exit 1; }
}
commit() { git -c user.name=test -c user.email=test commit -qam "$1"; }

refused "there is no option '--push'" --push
refused "one folder is enough" a b
echo >>CHANGELOG.md
refused "not committed"
git checkout -q CHANGELOG.md
sed -i "s/^## \[$version\].*/## [$version] - unreleased/" CHANGELOG.md
git diff --quiet || commit unreleased
refused "no date" --tag
sed -i "s/^## \[$version\].*/## [$version] - 2000-01-01/" CHANGELOG.md
commit dated
git tag "v$version"
refused "is there already" --tag
sed -i "s/^## \[$version\].*/## [77.7]/" CHANGELOG.md
commit other
refused "no section [$version]"
mkdir full
touch full/file
git checkout -q "v$version"
echo full >.git/info/exclude
refused "is not empty" full
