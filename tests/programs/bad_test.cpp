// What cannot be read or run is refused in one sentence with the file, the line and the instruction.
#include "kernel_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

struct Bad {
    std::string text;     ///< a body, or a launch
    std::string sentence; ///< a part of what is said
};

std::string refusal_of(const std::string& ptx, const std::string& launch) {
    Terms terms;
    try {
        Launch parsed = parse_launch(launch, "k.launch.json");
        parsed.most_steps = 50'000;
        read_kernel(ptx, "k.ptx", std::move(parsed), terms);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

const std::string store_bad = "st.global.b32 [%q3], %r2;\n";
const std::string load_bad = "mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q5, %q1, %q5;\nld.global.b32 %r2, [%q5];\n";

} // namespace

TEST(BadPtx, BodiesAreRefused) {
    const Bad cases[] = {
        {"", "k.ptx: the launch does not write D"},
        {"add.s32 %r2, %r1, 1", "';' is expected before 'ret'"},
        {"frobnicate.b32 %r2, %r1;", "k.ptx:15: 'frobnicate.b32 %r2, %r1': this instruction is not read"},
        {"add.s32 %r2, %r99, 1;", "'%r99' is no register of the entry"},
        {"add.s32 %r2, %r1;", "it has 2 operands"},
        {"add.q32 %r2, %r1, 1;", "'q32' is no type that is read"},
        {"add.s32.sat %r2, %r1, 1;", "'sat' is no type that is read"},
        {"add.sat.s32 %r2, %r1, 1;", "its modifier 'sat' is not read"},
        {"min.relu.s32 %r2, %r1, 1;", "its modifier 'relu' is not read"},
        {"sub.u16x2 %r2, %r1, 1;", "this instruction is not read"},
        {"prmt.b32.f4e %r2, %r1, 1, 2;", "its modifier 'f4e' is not read"},
        {"cvt.sat.u8.u32 %h2, %r1;", "this conversion is not read"},
        {"ld.global.frob.b32 %r2, [%q1];", "its modifier 'frob' is not read"},
        {"mma.sync.aligned.m8n8k4.row.col.frob.f64.f64.f64.f64 {%q4, %q5}, {%q4}, {%q5}, {%q4, %q5};",
         "its modifier 'frob' is not read"},
        {"wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64 {%q4, %q5}, {%q4}, {%q5}, {%q4, %q5};",
         "its modifier 'rz' is not read"},
        {"tcgen05.mma.cta_group::1.kind::f16.ashift [%r2], [%r3], %q2, %r3, %p1;", "its modifier 'ashift' is not read"},
        {"cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%q1, {%r1, %r1}], "
         "[%r1];",
         "its modifier 'im2col' is not read"},
        {"add.s32 %r2, [%r1], 1;", "its operands must be registers and numbers"},
        {"bra $NOWHERE;", "'$NOWHERE' is not declared"},
        {"bra;", "its label is missing"},
        {"mov.b32 %r2, %pm0;", "'%pm0' is no register"},
        {"mov.b32 %r2, nothing;", "'nothing' is not declared"},
        {"mov.b32 %r2, {%h1, %h2, %h3};", "the list does not fit the type"},
        {"mov.b32 %r2, {};", "a list without elements"},
        {"ld.global.b32 %r2, [%q1+100000];", "the address is outside of every buffer"},
        {"ld.global.b32 %r2, [%q1+1022];", "goes past the end of A"},
        {"mov.b64 %q5, 0;\nld.global.b32 %r2, [%q5];", "the address is outside of every buffer"},
        {"ld.shared.b32 %r2, [%r1];", "of shared memory, of which there are 0"},
        {"ld.global.b32 %r2, [%q9];", "the address is in a register that nothing has written"},
        {"createpolicy.fractional.L2::evict_last.b64 %q9, 1.0;\nld.global.b32 %r2, [%q9];",
         "the address is in a register that nothing has written"},
        {"add.s32 %r2, %r1, 1.0;", "'1.0' is no register"},
        {load_bad + "cvt.u64.u32 %q5, %r2;\nadd.s64 %q5, %q1, %q5;\nld.global.b32 %r2, [%q5];",
         "the address depends on data"},
        {load_bad + "setp.gt.f32 %p1, %r2, 0f00000000;\n@%p1 bra $L;\n$L:", "its guard depends on data"},
        {load_bad + "setp.gt.f32 %p1, %r2, 0f00000000;\n@%p1 add.s32 %r1, %r1, 1;", "its guard depends on data"},
        {"@%r1 bra $L;\n$L:", "its guard is no predicate"},
        {"$L: bra $L;", "the launch takes more than 50000 steps"},
        {".shared .align 8 .b8 bar[8];\nmov.u32 %r4, bar;\nmbarrier.init.shared.b64 [%r4], 1;\n$W: "
         "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n@!%p2 bra $W;",
         "no thread can go on: 32 wait on line 18"},
        {"setp.lt.s32 %p1, %r1, 3;\n@%p1 bar.sync 0;", "only some of the threads come to the barrier"},
        {"setp.lt.s32 %p1, %r1, 3;\n@%p1 bra $L;\nbar.sync 0, 32;\n$L:", "no thread can go on"},
        {"mbarrier.arrive.shared.b64 _, [%r1];", "no mbarrier was made"},
        {"cp.async.cg.shared.global [%r1], [%q1], 7;", "4, 8 or 16 bytes are copied"},
        {"cp.async.cg.shared.global [%r1], [%q1], %r1;", "operand 3 must be a number"},
        {"cp.async.bulk.shared.global [%r1], [%q1], 16, [%r1];", "this copy is not read"},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3}, [%r1];", "its list must have 4 registers"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5}, {%r6,%r7,%r8}, {%r9,%r10}, "
         "{%r2,%r3,%r4,%r5};",
         "its operand 2 has 3 registers; 4 are right"},
        {"mma.sync.aligned.m16n8k99.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5}, {%r6,%r7,%r8,%r9}, {%r9,%r10}, "
         "{%r2,%r3,%r4,%r5};",
         "are right"},
        {"wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%r2,%r3,%r4,%r5}, [%q1], 8;", "fragments of 'tf32' are not read"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.s4.s4.f32 {%r2,%r3,%r4,%r5}, {%r6,%r7,%r8,%r9}, {%r9,%r10}, "
         "{%r2,%r3,%r4,%r5};",
         "matrices of 's4' with accumulators of 'f32' are not read"},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r2,%r3,%r4,%r5}, {%r6,%r7,%r8,%r9}, {%r9,%r10}, "
         "{%r2,%r3,%r4,%r5};",
         "the catalogue has no unit ampere/mma.m16n8k32.f32.e4m3.e4m3.f32"},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r2], %q1, %q2, %r3, %p1;", "sm_80 has no tcgen05"},
        {"setp.lt.s32 %p1, %r1, 3;\n@%p1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5}, "
         "{%r6,%r7,%r8,%r9}, {%r9,%r10}, {%r2,%r3,%r4,%r5};",
         "only 3 of the 32 threads that must run this together do"},
        {"add.f32 %r2, %r3, %r4;\nmul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\n" + store_bad,
         "depends on memory or registers that nothing has written"},
        {load_bad + "prmt.b32 %r3, %r2, 0, 0x0008;", "it copies the sign of data"},
        {load_bad + "atom.global.add.u32 %r4, [%q1], 1;", "an atomic operation on data"},
        {"call (%r2), f, (%r1);", "k.ptx:15: 'call (%r2), f, (%r1)': calls of functions are not read"},
        {"mov.u32 %r2, %clock;\nadd.u32 %r2, %r2, 1;\nst.global.b32 [%q3], %r2;", "it depends on the time"},
        {"{ add.s32 %r2, %r1, 1;", "no } ends what begins here"},
        {"/* add.s32 %r2, %r1, 1;", "no */ ends it"},
        {".reg .b32 %x<99999999>;", "there are more than a million registers"},
        {".shared .b8 big[999999999];", "a variable of more than 64 MiB is not read"},
        {".frob x;", "'.frob' is not read inside of an entry"},
    };
    for (const Bad& one : cases) {
        const std::string said = refusal_of(entry(one.text), entry_launch);
        EXPECT_NE(said.find(one.sentence), std::string::npos) << one.text << "\n  says: " << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
}

TEST(BadPtx, FilesAreRefused) {
    const std::string good = entry("st.global.b32 [%q3], %r1;\n");
    const Bad cases[] = {
        {"", "k.ptx has no .entry"},
        {"\xff\xfe binary", "has no .entry"},
        {entry("st.global.b32 [%q3], %r1;\n", "compute_80"), "'compute_80' is no target"},
        {good + good, "k.ptx has several entries, and the launch names none; \"entry\" may be one of k, k"},
        {good.substr(0, 200), "is expected"},
        {".version 8.0\n.visible .entry k()\n.reqntid 32\n{\nret;\n}\n", ".target sm_… is missing"},
        {".target sm_80\n.visible .entry k()\n.reqntid 32\n{\nret;\n}\n",
         "the launch has 3 arguments, and the entry k has 0"},
        {".target sm_80\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n.reqntid 33\n{\nret;\n}\n",
         "blocks of 33 threads are not run"},
        {".target sm_80\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n{\nret;\n}\n",
         "neither the launch nor the entry says how many threads"},
        {".target sm_80\n.visible .entry k(.param .u64 a, .param .u32 b, .param .u64 d)\n.reqntid 32\n{\nret;\n}\n",
         "argument 2 (from 1) has 8 bytes, and the parameter 4"},
        {".target sm_80\n.visible .entry k()\n.reqntid 32\n{\n}\n", "the entry k has no instruction"},
        {"\"never ends\n.entry", "a text begins here"},
    };
    for (const Bad& one : cases) {
        const std::string said = refusal_of(one.text, entry_launch);
        EXPECT_NE(said.find(one.sentence), std::string::npos) << one.text << "\n  says: " << said;
    }
}

TEST(BadLaunch, LaunchesAreRefused) {
    const auto with = [](const std::string& argument) { return R"({"launch":1,"arguments":[)" + argument + "]}"; };
    const std::string matrix = R"({"matrix":"A","format":"f32","shape":[4,8],"axes":"mk"})";
    const Bad cases[] = {
        {"", "k.launch.json is no JSON"},
        {"[]", "k.launch.json is no object"},
        {"{}", "has no \"launch\": 1"},
        {R"({"launch":2})", "has no \"launch\": 1"},
        {R"({"launch":1})", "has no matrix and no result"},
        {R"({"launch":1,"grids":[1]})", "has the key 'grids', which is not known"},
        {R"({"launch":1,"grid":[0,1,1]})", "needs numbers from 1"},
        {R"({"launch":1,"grid":[1,1,1,1]})", "has more than 3 numbers in \"grid\""},
        {R"({"launch":1,"shared":-1})", "needs a natural number as \"shared\""},
        {R"({"launch":1,"shared":99999999})", "\"shared\" is more than a MiB"},
        {R"({"launch":1,"arguments":{}})", "needs a list as \"arguments\""},
        {with("5"), "argument 1 (from 1) is no object"},
        {with("{}"), "is none of matrix"},
        {with(R"({"i32":1.5})"), "needs a whole number as 'i32'"},
        {with(R"({"i32":"1"})"), "needs a number as 'i32'"},
        {with(R"({"i32":4294967296})"), "needs a number of 32 bits as 'i32'"},
        {with(R"({"i32":-2147483649})"), "needs a number of 32 bits as 'i32'"},
        {with(R"({"matrix":"A","format":"f32","shape":[4],"axes":"m","base":18446744073709551000})"),
         "needs a \"base\" of at most 128 MiB"},
        {with(matrix + R"(,{"i32":1},{"i64":1})"), "argument 2 (from 1) has 4 bytes, and the parameter 8"},
        {R"({"launch":1,"entry":5})", "needs a text as \"entry\""},
        {R"({"launch":1,"grid":[4194304,4194304,1048576],"arguments":[)" + matrix + "]}", "more than 65536 blocks"},
        {R"({"launch":1,"block":[67108864,67108864,4096],"arguments":[)" + matrix + "]}", "threads are not run"},
        {with(R"({"hex":"0g"})"), "needs pairs of hexadecimal digits"},
        {with(R"({"matrix":"A"})"), "needs a text as \"format\""},
        {with(R"({"matrix":"A","format":"f99","shape":[1],"axes":"m"})"), "f99"},
        {with(R"({"matrix":"A","format":"f32","shape":[4],"axes":"mk"})"), "as many letters in \"axes\""},
        {with(R"({"matrix":"A","format":"f32","shape":[4,4],"axes":"mm"})"),
         "a letter from a to z for each axis, each once"},
        {with(R"({"matrix":"A","format":"f32","shape":[9999999,9999999],"axes":"mk"})"),
         "has more than 67,108,864 elements"},
        {with(R"({"matrix":"A","format":"f32","shape":[4,4],"axes":"mk","strides":[4]})"), "as many \"strides\""},
        {with(matrix + "," + matrix), "argument 2 (from 1) has the name 'A' of another"},
        {with(R"({"pointer":"Z"})"), "names 'Z', which is no matrix"},
        {with(R"({"matrix":"A","format":"f32","shape":[8192,8192],"axes":"mk"})"), "has more than 128 MiB of memory"},
        {with(R"({"zeros":0})"), "needs from 1 to 67,108,864 \"zeros\""},
        {with(matrix + R"(,{"tensor_map":"A","box":[4],"swizzle":0})"), "needs a \"box\" of the matrix's axes"},
        {with(matrix + R"(,{"tensor_map":"A","box":[4,4],"swizzle":7})"), "needs 0, 32, 64 or 128"},
        {with(matrix + R"(,{"tensor_map":"A","box":[4,4],"strides":[8,1]})"), "needs a \"shape\" for its \"strides\""},
        {with(matrix + R"(,{"tensor_map":"A","box":[4,4],"shape":[4,8],"strides":[8]})"), "as many \"strides\""},
        {with(matrix + R"(,{"tensor_map":"A","box":[4,4],"shape":[4,8],"offset":4})"),
         "has a \"shape\" that ends behind A, which has 128 bytes"},
        {with(matrix + R"(,{"hex":"00","pointers":[{"at":0,"tensor_map":"A","box":[4,4]}]})"),
         "needs \"at\" of 128 bytes inside of \"hex\" for each tensor map"},
        {with(matrix + R"(,{"hex":"00","pointers":[{"at":0,"tensor_map":"A","zeros":4}]})"), "has the key 'zeros'"},
        {R"({"launch":1,"cluster":[0],"arguments":[)" + matrix + "]}", "needs numbers from 1"},
        {R"({"launch":1,"grid":[32],"cluster":[32],"arguments":[)" + matrix + "]}",
         "clusters of 32 blocks of 32 threads are not run"},
        {with(R"({"result":"D","format":"f32","shape":[32],"axes":"m","initial":"C"},{"i64":0},{"i64":0})"),
         "no matrix 'C' of the shape and format of D"},
        {R"({"launch":1,"entry":"other","arguments":[)" + matrix + "]}", "has no entry 'other'"},
        {R"({"launch":1,"block":[48],"arguments":[)" + matrix + "]}", "blocks of 48 threads are not run"},
    };
    for (const Bad& one : cases) {
        const std::string said = refusal_of(entry("st.global.b32 [%q3], %r1;\n"), one.text);
        EXPECT_NE(said.find(one.sentence), std::string::npos) << one.text << "\n  says: " << said;
    }
}
