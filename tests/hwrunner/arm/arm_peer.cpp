// An exec target for AArch64 that needs nothing but hwrunner/cpu/arm_instructions.hpp, to be cross-compiled and run by
// qemu-aarch64: arm_peer bfdot|bfmmla|fmla.f32|fmla.f16. It fills all places of the instruction with the vector and one
// of all ones in turn, and answers what the vector's place gives.
#include "hwrunner/cpu/arm_instructions.hpp"

#include "line.hpp"

#include <cstdio>
#include <iostream>
#include <map>
#include <string>

using namespace discern::arm;

int main(int, char** arguments) {
    const std::map<std::string, Instruction> instructions = {{"bfdot", bfdot_instruction},
                                                             {"bfmmla", bfmmla_instruction},
                                                             {"fmla.f32", fmla_f32_instruction},
                                                             {"fmla.f16", fmla_f16_instruction}};
    const Instruction instruction = instructions.at(arguments[1]);
    std::string line;
    std::getline(std::cin, line); // the header
    for (std::size_t number = 0; std::getline(std::cin, line); ++number) {
        std::map<char, std::vector<std::uint64_t>> operands = operands_of(line);
        const std::vector<std::uint64_t> ones(static_cast<std::size_t>(instruction.K), 0x3c00);
        std::vector<Dot> dots(instruction.at_once(), Dot{.a = ones, .b = ones, .c = 0x3f80});
        const std::size_t place = number % dots.size();
        dots[place] = {.a = operands['a'], .b = operands['b'], .c = operands['c'].at(0)};
        std::printf("{\"d\":\"%0*llx\"}\n", instruction.result_width / 4,
                    static_cast<unsigned long long>(run(instruction, dots)[place]));
        std::fflush(stdout);
    }
}
