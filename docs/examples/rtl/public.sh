#!/usr/bin/env bash
# Asks discern about dot products that others have published, from clones of yours; docs/rtl-public.md says what it
# answered. Nothing of theirs is here, and nothing is fetched.
#
# Usage: docs/examples/rtl/public.sh FOLDER [NAME…]
#   FOLDER   has the clones as folders: MX-for-FPGA (ebby-s), ventus-gpgpu-verilog (THU-DSP-LAB), cvfpu and common_cells
#            (pulp-platform; of common_cells v1.21.0), cvfpu-openhw (openhwgroup/cvfpu), HardFloat (bsg-external), vortex
#            (vortexgpgpu), nvdla (nvdla/hw), arch-com, picorv32 (YosysHQ), fpu (dawsonjon); what is not there is
#            left out
#   NAME     only these
# DISCERN names the program, build/discern if it is not set; SECONDS_EACH the time for a question, 120 at least. Most of
# the designs are read by slang (docs/rtl.md, "SystemVerilog"). They are not changed, except for what yosys 0.23 cannot
# read, in a copy: docs/rtl-public.md names it.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
discern=${DISCERN:-$here/../../../build/discern}
seconds=${SECONDS_EACH:-120}
folder=${1:?public.sh: the folder with the clones is missing}
shift
wanted=" $* "
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# title CLONE: whether it is wanted and there, and its revision.
title() {
    [[ $wanted == "  " || $wanted == *" $1 "* ]] || return 1
    echo "== $1"
    if [ ! -d "$folder/$1" ]; then
        echo "not there: $folder/$1"
        return 1
    fi
    git -C "$folder/$1" log -1 --format='revision %h, %cs' 2>/dev/null || echo "no revision is known"
}

# ask WORDS…: one question, as it can be typed, with its answer and status.
ask() {
    echo "\$ discern $(printf '%s ' "$@" | sed "s#$folder/##g; s#$made/##g")"
    "$discern" "$@" --timeout "$seconds" 2>&1
    echo "status $?"
}

f32_steps='f32*f32+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](round[f32 rne](p0), round[f32 rne](p1))), c))'
mx_dot='e4m3*e4m3->fix43.18 K=32 : round[fix43.18 rz](fuse[exact](p*))'

# Two multiplications, an addition and another, in f32, each rounded; seven edges of the clock.
if title ventus-gpgpu-verilog; then
    source=$folder/ventus-gpgpu-verilog/src
    sm=$source/gpgpu_top/sm/pipeline
    cp "$source"/define/define.v "$source"/common_cell/{stream_fifo_pipe_true,fifo}.v "$sm"/fpu/fpu/common_cells/*.v \
        "$sm"/tensor/{fadd_s1,fadd_s2,fmul_s1,fmul_s2,fmul_s3,naivemultiplier,tc_add_pipe,tc_mul_pipe,tc_dot_product}.v \
        "$here"/public/lzc.v "$made"
    sed -i 's/^ *wire special_case_happen/wire special_path_inf_iv;\n&/' "$made"/fadd_s1.v
    files=$(printf ',%s' "$made"/*.v)
    # shellcheck disable=SC2054 # the commas are --map's
    ports=(--top tc_dot_product --map a=a_i,b=b_i,c=c_i,d=result_o --clock clk --reset rst_n=0 --cycles 7 --set rm_i=0
        --set in_valid_i=1 --set out_ready_i=1 --set ctrl_reg_idxw_i=0 --set ctrl_warpid_i=0)
    ask synth "$f32_steps" "rtl:${files:1}" "${ports[@]}"
    ask synth "$f32_steps" "rtl:${files:1}" "${ports[@]}" --no-subnormals
    ask synth "$f32_steps" "rtl:${files:1}" "${ports[@]}" --range a:-40..40,b:-40..40,c:-80..80 --finite --no-subnormals
fi

# An exact sum of e4m3 products in fixed point. Verilator runs it too, behind a pipe.
if title MX-for-FPGA; then
    source=$folder/MX-for-FPGA/src
    ask prove "$mx_dot" "rtl:$source/dot/dot_fp.sv,$source/util/arith/vec_mul_fp.sv,$source/util/arith/mul_fp.sv,$source/util/arith/mul_int.sv,$source/util/arith/vec_sum_int.sv" \
        --top dot_fp --map a=i_vec_a,b=i_vec_b,d=o_dp --parameter exp_width=4 --parameter man_width=3 --parameter k=32 --finite
    ask prove 'fix8.0*fix8.0->fix21.0 K=32 : round[fix21.0 rz](fuse[exact](p*))' \
        "rtl:$source/dot/dot_int.sv,$source/util/arith/vec_mul_int.sv,$source/util/arith/mul_int.sv,$source/util/arith/vec_sum_int.sv" \
        --top dot_int --map a=i_vec_a,b=i_vec_b,d=o_dp --parameter bit_width=8 --parameter k=32
    verilator --cc --exe --build -O3 -CFLAGS "-O2 -I$here/../exec_target" -Mdir "$made/mx" -o dot_fp --top-module dot_fp \
        -Gexp_width=4 -Gman_width=3 -Gk=32 -Wno-fatal -Wno-lint "$source"/dot/dot_fp.sv \
        "$source"/util/arith/{vec_mul_fp,mul_fp,mul_int,vec_sum_int}.sv "$here/public/mx_dot_fp.cpp" >"$made/log" 2>&1 ||
        tail -n 3 "$made/log"
    ask check "exec:$made/mx/dot_fp" "$mx_dot" --finite -n 1000000
fi

# fma FORMAT: a multiply-add of one format, rounded once.
fma() { echo "$1*$1+$1->$1 K=1 : round[$1 rne](fuse[exact](p*, c))"; }
# dot FORMAT FORMAT: two products and c, added exactly and rounded once.
dot() { echo "$1*$1+$2->$2 K=2 : round[$2 rne](fuse[exact](p*, c))"; }
# With the names that fpnew_pkg has for formats: 0 f32, 2 f16, 3 e5m2, 4 bf16, 5 e4m3 with infinities.
cells=$folder/common_cells
cells_read=$cells/src/cf_math_pkg.sv,$cells/src/lzc.sv

# Multiply-adds, and ExSdotp.
if title cvfpu; then
    source=$folder/cvfpu/src
    sources=$cells_read,$source/fpnew_pkg.sv,$source/lfsr_sr.sv,$source/fpnew_classifier.sv,$source/fpnew_rounding.sv
    for format in 2=f16 4=bf16 0=f32; do
        seconds=900 ask prove "$(fma "${format#*=}")" "rtl:$sources,$source/fpnew_fma.sv,$here/public/pulp_fma.sv" \
            -I "$cells/include" --top pulp_fma --parameter "FMT=${format%=*}" --by-cases
    done
    for formats in "3 e5m2 2 f16" "2 f16 0 f32"; do
        read -r from a to d <<<"$formats"
        seconds=600 ask prove "$a*$a+$d->$d K=1 : round[$d rne](fuse[exact](p*, c))" \
            "rtl:$sources,$source/fpnew_fma_multi.sv,$here/public/pulp_fma_multi.sv" \
            -I "$cells/include" --top pulp_fma_multi --parameter "SRC=$from" --parameter "DST=$to" --by-cases
    done
    for formats in "3 e5m2 2 f16" "5 e4m3ieee 2 f16" "4 bf16 0 f32" "2 f16 0 f32"; do
        read -r from a to d <<<"$formats"
        seconds=600 ask prove "$(dot "$a" "$d")" "rtl:$sources,$source/fpnew_sdotp_multi.sv,$here/public/pulp_sdotp.sv" \
            -I "$cells/include" --top pulp_sdotp --map a=a0+a1,b=b0+b1 --parameter "SRC=$from" --parameter "DST=$to" --by-cases
    done
fi

# The multiply-add of the OpenHW Group, which negates by a second adder.
if title cvfpu-openhw; then
    source=$folder/cvfpu-openhw/src
    for format in 2=f16 0=f32; do
        seconds=2400 ask prove "$(fma "${format#*=}")" \
            "rtl:$cells_read,$source/fpnew_pkg.sv,$source/fpnew_classifier.sv,$source/fpnew_rounding.sv,$source/fpnew_fma.sv,$here/public/openhw_fma.sv" \
            -I "$cells/include" --top openhw_fma --parameter "FMT=${format%=*}" --by-cases
    done
    number=0
    for mode in rne rz rd ru rna; do # in the order of RISC-V's rounding modes
        seconds=300 ask prove "e5m2*e5m2+e5m2->e5m2 K=1 nan=any : round[e5m2 $mode](fuse[exact](p*, c))" \
            "rtl:$cells_read,$source/fpnew_pkg.sv,$source/fpnew_classifier.sv,$source/fpnew_rounding.sv,$source/fpnew_fma.sv,$here/public/openhw_fma.sv" \
            -I "$cells/include" --top openhw_fma --parameter FMT=3 --parameter "MODE=$number" --flags-port flags
        number=$((number + 1))
    done
fi

# Hauser's multiply-add on recoded numbers.
if title HardFloat; then
    source=$folder/HardFloat/source
    files=$(printf ',%s' "$source"/{HardFloat_primitives,HardFloat_rawFN,fNToRecFN,recFNToFN,isSigNaNRecFN,mulAddRecFN,RISCV/HardFloat_specialize}.v)
    for format in "f16 5 11" "f32 8 24"; do
        read -r format E S <<<"$format"
        seconds=600 ask prove "$(fma "$format")" "rtl:${files:1},$here/public/hardfloat_fma.sv" -I "$source" -I "$source/RISCV" \
            --top hardfloat_fma --parameter "E=$E" --parameter "S=$S" --by-cases --no-subnormals
    done
    seconds=2400 ask prove "$(fma f16)" "rtl:${files:1},$here/public/hardfloat_fma.sv" -I "$source" -I "$source/RISCV" \
        --top hardfloat_fma --parameter E=5 --parameter S=11 --by-cases
fi

# A multiplier that gives two words: in 8-bit mode their sum, and in floating point whether the words' order matters.
if title nvdla; then
    source=$folder/nvdla/vmod
    files=$source/nvdla/cmac/NV_NVDLA_CMAC_CORE_MAC_mul.v,$source/vlibs/NV_DW02_tree.v,$here/public/nvdla_mul.v
    clocked=(-D DESIGNWARE_NOEXIST --clock clk --cycles 1 --hold)
    seconds=600 ask prove 'fix8.0*fix8.0->fix16.0 K=1 : round[fix16.0 rz](fuse[exact](p*))' "rtl:$files" --top nvdla_mul8 "${clocked[@]}"
    ask synth "rtl:$files{--top=nvdla_mul_f16 SHIFT=4}" "rtl:$files{--top=nvdla_mul_f16 SHIFT=4 SWAP=1}" \
        --formats fix16.0,fix16.0,-,fix32.0 --K 1 "${clocked[@]}"
fi

# Multiply-adds as functions: in the clone's folder a file emitted.sv has what render_sv of its fp_ir.rs writes of them.
if title arch-com && [ -f "$folder/arch-com/emitted.sv" ]; then
    cp "$folder/arch-com/emitted.sv" "$made/arch.sv"
    cat >>"$made/arch.sv" <<'END'
module arch_f32(input logic [31:0] a, b, c, output logic [31:0] d); assign d = arch_fma_f32(a, b, c); endmodule
module arch_bf16(input logic [15:0] a, b, c, output logic [15:0] d); assign d = arch_fma_bf16(a, b, c); endmodule
END
    seconds=2400 ask prove "$(fma f32)" "rtl:$made/arch.sv" --top arch_f32 --by-cases
    seconds=1500 ask prove 'bf16*bf16+bf16->bf16 K=1 : round[bf16 rne](round[f32 rne](fuse[exact](p*, c)))' \
        "rtl:$made/arch.sv" --top arch_bf16 --by-cases
    ask synth "$(fma bf16)" "rtl:$made/arch.sv" --top arch_bf16
fi

# The tensor core's dot product of its own, four products of f16. Two of its headers are made by a script of the clone.
if title vortex; then
    source=$folder/vortex/hw
    for header in config types; do
        resolved=()
        [ $header = types ] && resolved=(--resolved)
        python3 "$folder/vortex/ci/gen_config.py" --config "$source/VX_$header.toml" --output "$made/VX_$header.vh" \
            --format verilog "${resolved[@]}"
    done
    files=$(printf ',%s' "$source"/rtl/VX_gpu_pkg.sv "$source"/rtl/tcu/VX_tcu_pkg.sv "$source"/rtl/tcu/tfr/*.sv \
        "$source"/rtl/libs/VX_{csa_tree,csa_42,csa_32,csa_mod4,ks_adder,lzc,pipe_register,shift_register,wallace_mul}.sv \
        "$source"/rtl/libs/VX_{find_first,scan,reduce_tree,priority_encoder,popcount}.sv)
    tfr="f16*f16+f32->f32 K=4 nan=any : round[f32 rne ftz=result zsign=pos](fuse[F=24 rz sticky](p*, c))"
    for limits in "" a:1..2,b:1..2,c:1..4 a:0..0.000245,b:0.000244..0.000245,c:1..1; do
        seconds=300 ask synth "$tfr" "rtl:${files:1},$here/public/vortex_tfr.sv" -I "$source/rtl" -I "$made" -I "$source/dpi" \
            -D SYNTHESIS -D NDEBUG -D EXT_TCU_ENABLE -D TCU_TYPE_TFR --top vortex_tfr --clock clk --cycles 4 \
            ${limits:+--values "$limits"}
    done
fi

# Multipliers that take an edge for each row, or for each bit by which a result is shifted, and say when it is there.
# shellcheck disable=SC2054 # the commas are those of --valid and --ready
handshake=(--clock clk --valid in_valid,out_valid --ready in_ready,out_ready)
if title picorv32; then
    mul=(--top picorv32_mul --reset rst_n=0 "${handshake[@]}")
    source=rtl:$folder/picorv32/picorv32.v,$here/public/picorv32_mul.v
    ask prove 'fix8.0*fix8.0->fix32.0 K=1 : round[fix32.0 rz](p*)' "$source" "${mul[@]}" --cycles 42 --parameter WIDTH=8 --parameter HIGH=0
    seconds=150 ask prove 'fix32.16*fix32.16->fix32.0 K=1 : round[fix32.0 rd](p*)' "$source" "${mul[@]}" --cycles 40 --parameter STEPS_AT_ONCE=2
fi
if title fpu; then
    ask prove 'bf16*bf16->f32 K=1 : round[f32 rne](p*)' "rtl:$folder/fpu/multiplier/multiplier.v,$here/public/dawson.v" \
        --top dawson --reset rst "${handshake[@]}" --cycles 300 --parameter WIDTH=16
    ask check "rtl:$folder/fpu/multiplier/multiplier.v,$here/public/dawson.v" 'f32*f32->f32 K=1 : round[f32 rne](p*)' \
        --top dawson --reset rst "${handshake[@]}" --cycles 300 -n 2000
fi
