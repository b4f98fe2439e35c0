// discern's own kernels for GPUs, run here: each gives unit(row of a, row of b, c) for every element. Their layouts are
// hwrunner's tables, and those of this machine were written from the ISA's text a second time, so each tests the other.
#include "runner_kernels.hpp"

#include "models/error.hpp"
#include "models/families.hpp"
#include "programs/evaluate/evaluate.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

/// An element of an image of random bytes.
std::uint64_t element_at(const std::vector<std::uint64_t>& image, std::size_t bit, FormatId id) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8 && bit / 8 + i < image.size(); ++i) word |= image[bit / 8 + i] << (8 * i);
    return word >> bit % 8 & format(id).mask();
}

/// One element, computed from the graph with random bytes, is what the unit's evaluator gives.
void expect_value(const CudaInstruction& instruction, const RunKernel& kernel, const ImageLayout& layout, std::size_t x,
                  Random& random) {
    const Shape& dot = instruction.shape.dot;
    const auto [M, N, K] = std::tuple(static_cast<std::size_t>(instruction.shape.M),
                                      static_cast<std::size_t>(instruction.shape.N), static_cast<std::size_t>(dot.K));
    std::vector<std::uint64_t> image(layout.in_bytes);
    for (std::uint64_t& byte : image) byte = random.bits() & 0xff;
    Code code[1];
    kernel.graph.to_codes(kernel.results[0].elements[layout.out_bytes + layout.d[x] / 8], code);
    const NodeId roots[1] = {node_of(code[0])};
    const Evaluation evaluation(kernel.graph, roots);
    std::vector<std::uint64_t> given;
    for (const NodeId leaf : evaluation.leaves())
        given.push_back(image[kernel.graph.arguments(leaf)[1] - layout.in_bytes]);
    const std::size_t tile = x / (M * N), row = x / N % M, column = x % N,
                      scales = static_cast<std::size_t>(dot.scales());
    InputBuffer inputs;
    for (std::size_t k = 0; k < K; ++k) {
        inputs.a.push_back(element_at(image, layout.a[(tile * M + row) * K + k], dot.a));
        inputs.b.push_back(element_at(image, layout.b[(tile * N + column) * K + k], dot.b));
    }
    // Registers hold a scale in several lanes, of which the kernel reads one.
    const auto scale = [&](std::size_t argument, std::size_t s) {
        const NodeId leaf = kernel.graph.arguments(kernel.graph.arguments(roots[0])[argument])[s];
        return image[kernel.graph.arguments(leaf)[1] - layout.in_bytes] & format(dot.scale->format).mask();
    };
    for (std::size_t s = 0; s < scales; ++s) {
        inputs.sa.push_back(scale(3, s));
        inputs.sb.push_back(scale(4, s));
    }
    inputs.c = element_at(image, layout.c[x], *dot.c);
    const Unit unit = resolve_unit(instruction.unit);
    EXPECT_TRUE(same_result(unit, evaluation(given)[0], Evaluator(unit)(inputs.inputs())));
}

} // namespace

TEST(RunnerKernels, GiveTheirUnits) {
    int right = 0, refused = 0;
    Random random(9);
    for (const char* architecture : {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtxblackwell"})
        for (const std::string& name : cuda_instructions(architecture)) {
            SCOPED_TRACE(name);
            const CudaInstruction instruction = cuda_instruction(name, capabilities_of(architecture).front());
            const ImageLayout layout = image_layout(instruction);
            try {
                const RunKernel kernel = run_kernel(ptx_module(instruction), name, launch_of(layout, instruction));
                EXPECT_EQ(wrong_elements(instruction, kernel, layout), 0u);
                if (!HasFailure())
                    for (const std::size_t x : {std::size_t(0), layout.d.size() - 1})
                        expect_value(instruction, kernel, layout, x, random);
                ++right;
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find("not read"), std::string::npos) << error.what();
                ++refused;
            }
        }
    std::printf("%d kernels are right, %d are refused\n", right, refused);
    EXPECT_EQ(right, 332);
    EXPECT_EQ(refused, 0);
}

namespace {

/// Where numbers are written in the instructions of a text: behind a blank, a bracket or a plus sign.
std::vector<std::size_t> constants_of(const std::string& text) {
    std::vector<std::size_t> found;
    const std::size_t begin = text.find("{\n");
    for (std::size_t at = begin; at + 1 < text.size(); ++at) {
        const std::size_t line = text.rfind('\n', at) + 1;
        const bool is_declaration = text.compare(text.find_first_not_of(" @", line), 1, ".") == 0;
        if (!is_declaration && std::string_view(" +[").find(text[at]) != std::string_view::npos &&
            std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)
            found.push_back(at + 1);
    }
    return found;
}

/// What a constant that is another one does not change.
bool is_harmless(const CudaInstruction& instruction, const std::string& line, std::uint64_t changed_bits) {
    const auto has = [&](const char* part) { return line.find(part) != std::string::npos; };
    return has("bar.sync") ||                                    // all threads come to the other barrier too
           (has("bfe.u64 %descriptor_a") && has("4, 14")) ||     // addresses are far below the end of the field
           (has("setp.eq.u32 %first, %thread") && has(", 0")) || // another thread of the first warp issues
           (has("%scales") && !instruction.scaled()) ||          // nothing reads them
           (has("xor.b32 %phase") && changed_bits % 2 == 0) ||   // of a phase the lowest bit counts
           (has("mov.u32 %instruction") &&
            changed_bits < 4); // says which of two sparse metadata, of which there are none
}

/// The number at that place is another one: one more, or, of one that has many, a bit of it.
std::string with_other_constant(std::string text, std::size_t at, Random& random) {
    std::size_t length = 0;
    const std::string digits = text.substr(at, 20);
    const std::uint64_t value = std::stoull(digits, &length, 0);
    const int bits = static_cast<int>(std::bit_width(value));
    const std::uint64_t other = random.below(2) == 0 ? value + 1 : value ^ std::uint64_t(1) << random.below(bits + 1);
    return text.replace(at, length, std::to_string(other));
}

std::string line_at(const std::string& text, std::size_t at) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
}

} // namespace

/// Of kernels of each form: a constant that is another one is refused, or gives wrong elements, or does not matter.
TEST(RunnerKernels, OfOtherConstantsAreNoticed) {
    Random random(3);
    int noticed = 0, harmless = 0;
    std::vector<std::pair<std::string, Capability>> kernels;
    for (const char* architecture : {"volta", "ampere", "hopper", "blackwell", "rtxblackwell"}) {
        const std::vector<std::string> names = cuda_instructions(architecture);
        for (std::size_t i = 0; i < names.size(); i += 1 + names.size() / 8)
            kernels.emplace_back(names[i], capabilities_of(architecture).front());
    }
    for (int i = 0; i < 240; ++i) {
        const auto& [name, capability] = kernels[static_cast<std::size_t>(i) % kernels.size()];
        const CudaInstruction instruction = cuda_instruction(name, capability);
        const ImageLayout layout = image_layout(instruction);
        const std::string text = ptx_module(instruction);
        const std::vector<std::size_t> places = constants_of(text);
        const std::size_t at = places[static_cast<std::size_t>(random.below(static_cast<int>(places.size())))];
        const std::string mutant = with_other_constant(text, at, random);
        bool is_noticed = false;
        try {
            const RunKernel kernel = run_kernel(mutant, name, launch_of(layout, instruction));
            is_noticed = wrong_elements(instruction, kernel, layout) > 0;
        } catch (const Error&) {
            is_noticed = true;
        }
        noticed += is_noticed;
        harmless += !is_noticed;
        const auto number = [&](const std::string& from) { return std::stoull(from.substr(at, 20), nullptr, 0); };
        if (!is_noticed) {
            EXPECT_TRUE(is_harmless(instruction, line_at(text, at), number(text) ^ number(mutant)))
                << name << ":" << line_at(text, at) << " | " << line_at(mutant, at);
        }
    }
    std::printf("%d other constants are noticed, %d do not matter\n", noticed, harmless);
    EXPECT_GT(noticed, 200);
}
