#!/usr/bin/env bash
# Builds the UVM bench of this folder with Verilator, and runs it: the right design and then the one with the mistake.
#
# Usage: UVM_HOME=FOLDER run.sh DISCERN WORK
#   UVM_HOME  the UVM library (Accellera's uvm-core): the folder with uvm_pkg.sv
#   DISCERN   the program
#   WORK      a folder for what is built; some minutes and a gigabyte
# Verilator has to be one that compiles UVM (5.040 or later): VERILATOR names another than the one in PATH.
# Exit status 77: something is missing.
set -euo pipefail
discern=$(realpath "$1") work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verilator=${VERILATOR:-verilator}
missing() {
    printf '%s\n' "$1"
    exit 77
}
[ -f "${UVM_HOME:-}/uvm_pkg.sv" ] || missing "UVM_HOME is not the folder of uvm_pkg.sv"
version=$("$verilator" --version 2>/dev/null) || missing "$verilator is not installed"
version=${version#Verilator } version=${version%% *}
[ "$(printf '5.040\n%s\n' "$version" | sort -V | head -1)" = 5.040 ] || missing "Verilator $version does not compile UVM; 5.040 may"

unit=volta/mma.m8n8k4.f16.f16.f16.f16
mkdir -p "$work"
work=$(realpath "$work")
cd "$work"
"$discern" export --as dpi "$unit" -o unit.c
# The vector that shows the mistake of tfdpa_f16.sv, which random ones do not meet.
"$discern" synth "$unit" "rtl:$here/../tfdpa_f16.sv" --top tfdpa_f16 --parameter WHOLE_STICKY=0 -o found.jsonl || [ $? -eq 1 ]
"$discern" export --as text --inputs found.jsonl -o found.txt
"$verilator" --cc --exe --main --timing -Wno-fatal -Wno-lint -Wno-style --Mdir made --output-groups 12 --top-module tfdpa_bench \
    +define+UVM_NO_DPI "+incdir+$UVM_HOME" "$UVM_HOME/uvm_pkg.sv" "$here/tfdpa_uvm.sv" "$here/../tfdpa_f16.sv" unit.c >verilator.log
make -s -j "$(nproc)" -C made -f Vtfdpa_bench.mk OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 >make.log 2>&1
made/Vtfdpa_bench +random=1000 +vectors=found.txt | tee right.log | grep COMPARED
made/Vtfdpa_bench +random=1000 +vectors=found.txt +wrong | tee wrong.log | grep 'COMPARED\|MISMATCH'
grep -q ' 1001 compared, 0 mismatches' right.log
grep -q ' 1001 compared, 1 mismatches' wrong.log
