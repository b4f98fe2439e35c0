#!/usr/bin/env bash
# The workflows that would build, test and release elsewhere, which nothing here runs: they are what the schema of workflows
# allows, what they run is shell, and the scripts and files that it names are there.
#
# Usage: workflows.sh [--fetch], in the root of the repository. Exits with 77 where there is no PyYAML. check-jsonschema has the
# schema; where it is not installed, pip fetches it with --fetch.
set -euo pipefail
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" -c 'import yaml' 2>/dev/null || { echo "PyYAML is not installed"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "$*"
    exit 1
}
# Complains about the workflows of a folder: what they run and which files that names.
look() {
    "$python" -B - "$1" <<'END'
import pathlib, re, subprocess, sys, yaml
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.yml")):
    flow = yaml.safe_load(path.read_text())
    if flow.get("permissions") is None:
        sys.exit(f"{path.name}: it does not say which permissions it needs")
    for name, job in flow["jobs"].items():
        if "timeout-minutes" not in job:
            sys.exit(f"{path.name}: {name} has no end")
        for step in job["steps"]:
            run = step.get("run", "")
            shell = subprocess.run(["bash", "-n"], input=run, capture_output=True, text=True)
            if shell.returncode != 0:
                sys.exit(f"{path.name}: {shell.stderr.strip()}: {run}")
            for file in re.findall(r"(?<![\w$/}-])((?:script|tests|\.ci)/[\w./-]+)", run):
                if not pathlib.Path(file).exists():
                    sys.exit(f"{path.name}: there is no {file}")
END
}
look .github/workflows || fail "the workflows"

# The same finds what is wrong.
wrong() {
    local wanted=$1 said
    rm -rf "$place/flows"
    cp -r .github/workflows "$place/flows"
    sed -i "$2" "$place/flows/test.yml"
    ! said=$(look "$place/flows" 2>&1) || fail "not refused: $2"
    [[ $said == *"$wanted"* ]] || fail "'$wanted' is not said of $2: $said"
}
wrong "there is no script/nothing" 's|\.ci/run|script/nothing|'
wrong "syntax error" 's|run: .ci/run|run: "if true; then"|'
wrong "has no end" '/timeout-minutes/d'
wrong "permissions" '/^permissions/d'

checker=$(command -v check-jsonschema || true)
if [ -z "$checker" ]; then
    [ "${1-}" = --fetch ] || { echo "the schema was not looked at: check-jsonschema is not installed"; exit 0; }
    "$python" -m venv "$place/venv" >/dev/null 2>&1 || { echo "the schema was not looked at: there is no venv"; exit 0; }
    timeout 120 "$place/venv/bin/pip" install -q check-jsonschema==0.39.0 >/dev/null 2>&1 ||
        { echo "the schema was not looked at: pip fetches no check-jsonschema here"; exit 0; }
    checker=$place/venv/bin/check-jsonschema
fi
"$checker" --builtin-schema vendor.github-workflows .github/workflows/*.yml || fail "a workflow is not what the schema allows"
sed 's/runs-on/runs-onn/' .github/workflows/test.yml >"$place/test.yml"
! "$checker" --builtin-schema vendor.github-workflows "$place/test.yml" >/dev/null 2>&1 || fail "the schema allows anything"
