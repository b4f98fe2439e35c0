#!/usr/bin/env bash
# The first page is short, its first screen says what to run, and every command on it is run as it stands: those with "$ " by
# transcript.sh, those of the table and of its installation here, what pip installs by tests/package/wheel.sh, and the two
# scripts by script/test.
#
# Usage: readme.sh BUILD, in the root of the repository
# shellcheck disable=SC2016 # backticks of the page
set -euo pipefail
build=$1
fail() {
    echo "README.md: $*"
    exit 1
}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

words=$(wc -w <README.md)
[ "$words" -lt 1000 ] || fail "$words words; less than 1,000 are right"
for script in script/demo script/test; do
    head -24 README.md | grep -q "^    $script  " || fail "$script is not in the first 24 lines"
done

# The table of people: the command between the first backticks of each row, run as they would, with discern on the path.
mkdir "$place/bin"
ln -s "$(realpath "$build/discern")" "$place/bin/discern"
# shellcheck disable=SC2016 # backticks of the page
rows=$(sed -n '/^## Which line is for me/,/^## Install/ s/^| [^|]* | [^|]* | `\([^`]*\)`.*/\1/p' README.md)
[ "$(wc -l <<<"$rows")" -eq 4 ] || fail "the table has not four lines: $rows"
while IFS= read -r line; do
    status=0
    PATH=$place/bin:$PATH bash -c "$line" </dev/null >"$place/log" 2>&1 || status=$?
    if [ "$status" -gt 1 ] || [ ! -s "$place/log" ]; then fail "status $status: $line: $(tail -3 "$place/log")"; fi
    echo "$line: $status"
done <<<"$rows"

# What is in backticks elsewhere: commands that need no file.
while IFS= read -r line; do
    PATH=$place/bin:$PATH bash -c "$line" </dev/null >"$place/log" 2>&1 || fail "status $?: $line: $(tail -3 "$place/log")"
done < <(grep -oE '`discern (units|show) [^`]*`' README.md | tr -d '`')

# Blocks of commands without "$ ": scripts, which script/test runs, and the installation.
while IFS= read -r line; do
    case $line in
    script/demo* | script/test*) continue ;;
    'pip install discern-mma && discern synth '*) continue ;; # tests/package/wheel.sh, from a folder with a wheel
    cmake\ --install\ build\ *)
        sed -n '/^## Install/,/^## /p' README.md | grep -qF "    $line" || fail "'$line' is not under Install"
        HOME=$place/home bash -c "${line/--install build/--install \'$build\'}" >"$place/log" 2>&1 || fail "$line: $(tail -3 "$place/log")"
        env -i HOME="$place/home" PATH=/usr/bin:/bin "$place/home/.local/bin/discern" --version >/dev/null || fail "what was installed does not run"
        for file in man/man1/discern.1 bash-completion/completions/discern zsh/vendor-completions/_discern fish/vendor_completions.d/discern.fish; do
            [ -s "$place/home/.local/share/$file" ] || fail "$file is not installed"
        done
        installed=true
        ;;
    *) fail "nothing runs '$line'" ;;
    esac
done < <(awk '/^    \$ / {shown = 1} /^$/ {shown = 0} /^    / && !shown {sub(/^    /, ""); print}' README.md)
[ "${installed-}" = true ] || fail "there is no installation"

# Pages that it sends to are there (docs.site looks into the links of all pages, where mkdocs is installed).
while IFS= read -r page; do
    [ -e "${page%%#*}" ] || fail "there is no $page"
done < <(grep -oE '\]\([^)]*\)' README.md | sed 's/^](//; s/)$//' | grep -v '://')
