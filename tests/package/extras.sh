#!/usr/bin/env bash
# Each extra of the package, as pip installs it beside a wheel of script/wheels on a Debian that has python3 and nothing else, and one
# thing that it is for; at last the tests of the Python package, against the wheel. Run by hand: pip fetches 3 GB, most of it torch's.
#
# Usage: extras.sh WHEEL [EXTRA…], in the root of the repository. DISCERN_WHEELS names a folder with packages that are then not
# fetched. Exits with 77 where no such system can be made (roots.sh says what that needs).
# shellcheck source=tests/package/roots.sh
source "$(dirname "${BASH_SOURCE[0]}")/roots.sh"

wheel=$1
shift
extras=("$@")
[ ${#extras[@]} -gt 0 ] || extras=(ml-dtypes cocotb rtl triton torch plot progress test tests)
make_root 311 "$(uname -m)" || skip "$why"
cp "$wheel" "$root/tmp/"
if [ -n "${DISCERN_WHEELS-}" ]; then
    cp -al "$DISCERN_WHEELS" "$root/tmp/wheels" 2>/dev/null || cp -a "$DISCERN_WHEELS" "$root/tmp/wheels"
fi
mkdir "$root/repo"
git archive HEAD | tar -x -C "$root/repo"

mkdir -p "$root/dev/pts" # terminals, on which tests show progress
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" || skip "/dev/pts cannot be mounted"
ln -sf pts/ptmx "$root/dev/ptmx"

unit=hopper/wgmma.m64n8k32.f32.e4m3.e4m3
declare -A uses=(
    [ml-dtypes]="python3 -c \"import ml_dtypes, numpy as np, discern; x = np.ones((2, 32), ml_dtypes.float8_e4m3fn); assert (discern.unit('$unit')(x, x, np.zeros(2, np.float32)) == 32).all()\""
    [cocotb]="python3 -c \"import cocotb, discern.cocotb; discern.cocotb.Scoreboard\""
    [rtl]="discern prove V100/f16.f16 rtl:/repo/docs/examples/rtl/tfdpa_f16.sv --top tfdpa_f16 --reader slang --timeout 600"
    [triton]="python3 -c \"import discern.triton; discern.triton.classes\""
    [torch]="python3 -c \"import torch, discern.torch; x = torch.ones(2, 32, dtype=torch.float8_e4m3fn); assert (discern.unit('$unit')(x, x, torch.zeros(2)) == 32).all()\""
    [plot]="python3 -c \"import discern.plot; discern.plot.error(['V100/f16', 'V100/f16{F=24}'], n=100, path='/tmp/error.svg')\""
    [progress]="python3 -c \"import tqdm, discern; discern.measure('V100/f16', n=1000, progress=True)\""
    [test]="python3 -m pytest --version"
)
bad=0
for extra in "${extras[@]}"; do
    [ "$extra" != tests ] || continue
    TIMEFORMAT=%R
    [ -n "${DISCERN_WHEELS-}" ] || /usr/bin/python3 -m pip download -q --find-links "$(dirname "$wheel")" -d "$root/tmp/wheels" "discern-mma[$extra]" >"$place/log" 2>&1 || fail "pip fetches no $extra: $(tail -3 "$place/log")"
    { time in_root pip install -q --find-links /tmp/wheels "discern-mma[$extra]" >"$place/log" 2>&1 || echo "pip: $(tail -3 "$place/log")" >"$place/failed"; } 2>"$place/time"
    [ -e "$place/failed" ] || in_root sh -c "cd /tmp && ${uses[$extra]}" >"$place/log" 2>&1 || tail -3 "$place/log" >"$place/failed"
    if [ -e "$place/failed" ]; then
        echo "$extra: $(cat "$place/failed")"
        rm "$place/failed"
        bad=1
    else
        echo "$extra: installed in $(cat "$place/time") s; $(du -sm "$root/tmp/venv" | cut -f1) MB are installed"
    fi
done
if [[ " ${extras[*]} " == *" tests "* ]]; then
    in_root sh -c "cd /repo && PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -q -rs python/tests" >"$place/log" 2>&1 || bad=1
    tail -40 "$place/log"
fi
exit $bad
