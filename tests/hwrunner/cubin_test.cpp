// Reading code: a file written by hand, and files that are broken.
#include "hwrunner/nvidia/cubin.hpp"

#include "fake_cubin.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

std::string failure_of(const std::vector<std::uint8_t>& file, std::string_view kernel = "discern") {
    try {
        kernel_code(file, kernel);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing failed";
}

TEST(Cubin, CountsMatrixInstructions) {
    const auto file = fake_cubin("discern", {0x23c, 0x981, 0x27a, 0x23c, 0x947});
    const auto code = kernel_code(file, "discern");
    EXPECT_EQ(code.size(), 5u * 16);
    EXPECT_EQ(count_matrix_code(code), (std::vector<MachineCode>{{0x23c, 2}, {0x27a, 1}}));
    EXPECT_TRUE(count_matrix_code(kernel_code(fake_cubin("discern", {0x981}), "discern")).empty());
}

TEST(Cubin, RefusesWhatIsNone) {
    const auto file = fake_cubin("discern", {0x23c});
    EXPECT_EQ(failure_of(file, "other"), "the code that the driver made has no kernel other");
    EXPECT_EQ(failure_of({}), "the code that the driver made is no cubin: it is no ELF file of 64 bits");
    // Every way of ending too early; the last 24 bytes, of the last section's header, say nothing of its place.
    for (std::size_t size = 6; size + 24 < file.size(); ++size) {
        const std::vector<std::uint8_t> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_NE(failure_of(cut), "nothing failed") << size;
    }
    auto wild = file;
    put(wild, 0x28, ~0ull - 3, 8);
    EXPECT_NE(failure_of(wild).find("is no whole cubin"), std::string::npos);
}

} // namespace
} // namespace discern::testing
