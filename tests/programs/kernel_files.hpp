// The kernels of tests/data/kernels, and small ones that a test writes itself.
#pragma once

#include "programs/reading/reading.hpp"

#include <fstream>
#include <iterator>
#include <string>

namespace discern::programs {

inline std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string kernel_path(const std::string& name) { return std::string(DISCERN_TEST_DATA) + "/kernels/" + name; }

/// One of tests/data/kernels, without .ptx.
inline KernelReading read_file(const std::string& name, Terms& terms) {
    const std::string launch = name + ".launch.json";
    return read_kernel(contents(kernel_path(name + ".ptx")), name + ".ptx",
                       parse_launch(contents(kernel_path(launch)), launch), terms);
}

/// An entry with one warp whose parameters are the pointers a, b and d, and whose registers are declared: %p, %h (16
/// bits), %r (32 bits), %q (64 bits). The body begins with the pointers in %q1 (a), %q2 (b) and %q3 (d), and the thread
/// in %r1.
inline std::string entry(const std::string& body, const std::string& target = "sm_80") {
    return ".version 8.0\n.target " + target +
           "\n.address_size 64\n"
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n"
           ".reqntid 32\n{\n"
           ".reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n.reg .b64 %q<20>;\n"
           "ld.param.u64 %q1, [a];\nld.param.u64 %q2, [b];\nld.param.u64 %q3, [d];\nmov.u32 %r1, %tid.x;\n" +
           body + "\nret;\n}\n";
}

/// a and b: 32 × 8 f32; d: 32 f32, one a thread.
inline constexpr const char* entry_launch = R"({"launch":1,"arguments":[
  {"matrix":"A","format":"f32","shape":[32,8],"axes":"mk"},
  {"matrix":"B","format":"f32","shape":[32,8],"axes":"mk"},
  {"result":"D","format":"f32","shape":[32],"axes":"m"}]})";

inline KernelReading read_entry(const std::string& body, Terms& terms, const std::string& target = "sm_80") {
    return read_kernel(entry(body, target), "k.ptx", parse_launch(entry_launch, "k.launch.json"), terms);
}

} // namespace discern::programs
