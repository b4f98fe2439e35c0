// The formula of status flags against the exact oracle, with which it shares no argument.
#include "encodings/flags.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"
#include "term_circuit.hpp"

#include <gtest/gtest.h>

#include <string>

namespace discern {
namespace {

tests::TermCircuit flag_circuit(const Unit& unit, Tininess tininess) {
    return {unit, [&](Terms& t, const InputTerms& inputs) { return encode_flags(t, unit, inputs, tininess); }};
}

constexpr std::array all_modes = {Rounding::rz,  Rounding::rd,  Rounding::ru,
                                  Rounding::rne, Rounding::rna, Rounding::odd};

Unit multiply_add(const std::string& format, Rounding mode, const std::string& terms = "p*, c") {
    return parse_unit(format + "*" + format + "+" + format + "->" + format + " K=1 : round[" + format + " " +
                      std::string(name(mode)) + "](fuse[exact](" + terms + "))");
}

TEST(FlagFormula, OfAllInputsOfSmallFormats) {
    for (const std::string name : {"e2m2ieee", "e3m1ieee"})
        for (const Rounding mode : all_modes)
            for (const Tininess tininess : {Tininess::after, Tininess::before}) {
                const Unit unit = multiply_add(name, mode);
                const int width = format(unit.a).width;
                tests::TermCircuit circuit = flag_circuit(unit, tininess);
                for (std::uint64_t bits = 0; bits < 1ull << (3 * width); ++bits) {
                    const std::uint64_t mask = format(unit.a).mask(), a = bits & mask, b = bits >> width & mask;
                    const Inputs inputs{.a = {&a, 1}, .b = {&b, 1}, .sa = {}, .sb = {}, .c = bits >> (2 * width)};
                    ASSERT_EQ(circuit(inputs), flags_exactly(unit, inputs, tininess))
                        << to_string(unit) << " on " << a << " " << b << " " << inputs.c;
                }
            }
}

TEST(FlagFormula, OfRandomInputsOfLargerOnes) {
    for (const std::string text :
         {"f16*f16+f16->f16", "bf16*bf16+bf16->bf16", "f32*f32+f32->f32", "f16*f16+f32->f32", "e4m3*e5m2+f16->f16"})
        for (const Rounding mode : all_modes) {
            const std::string d = text.substr(text.find('>') + 1);
            const Unit unit =
                parse_unit(text + " K=1 : round[" + d + " " + std::string(name(mode)) + "](fuse[exact](p*, c))");
            tests::TermCircuit circuit = flag_circuit(unit, Tininess::after);
            InputMixture mixture(unit, 5);
            std::vector<InputBuffer> buffers(400);
            mixture.next(buffers, 1);
            StatusFlags seen = 0;
            for (const InputBuffer& buffer : buffers) {
                const StatusFlags flags = flags_exactly(unit, buffer.inputs(), Tininess::after);
                ASSERT_EQ(circuit(buffer.inputs()), flags) << to_string(unit);
                seen |= flags;
            }
            EXPECT_NE(seen & bits_of(StatusFlag::inexact), 0) << to_string(unit);
        }
}

TEST(FlagFormula, IsRefusedWithAReason) {
    const auto complaint = [](const Unit& unit) -> std::string {
        Terms terms;
        try {
            encode_flags(terms, unit, input_variables(terms, unit), Tininess::after);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint(multiply_add("f64", Rounding::rne)).find("more exponents than there is"), std::string::npos);
    EXPECT_NE(complaint(parse_unit("f16*f16+f16->f16 K=2 L=1 : round[f16 rne](fuse[exact](p*, c))")).find("in a row"),
              std::string::npos);
    EXPECT_NE(complaint(parse_unit("f16*f16+f16->f16 K=2 : round[f16 rne](fuse[exact](p*, c))")).find("not defined"),
              std::string::npos);
    EXPECT_EQ(complaint(multiply_add("f32", Rounding::rne)), "");
}

} // namespace
} // namespace discern
