// A target for `discern run exec:…` in C++, made of the library: a unit that answers vectors on its standard input.
//
//     discern check 'exec:exec_target volta/mma.m8n8k4.f32.f16.f16.f32' volta/mma.m8n8k4.f32.f16.f16.f32
//
// Where this calls an Evaluator, a simulator calls itself. docs/targets.md is the protocol.
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/hex.hpp"
#include "models/vectors.hpp"

#include <iostream>

int main(int count, char** words) {
    using namespace discern;
    if (count != 2) {
        std::cerr << "usage: exec_target UNIT\n";
        return 2;
    }
    try {
        const Unit unit = resolve_unit(words[1]);
        const Evaluator evaluate(unit);
        // Reads the header at once, and a line a vector; the header must have the unit's formats and K.
        VectorReader reader(std::cin, "standard input", ReadAs{.unit = words[1], .shape = shape_of(unit)});
        Vector vector;
        while (reader.next(vector)) {
            const std::string d = to_hex(format(unit.d), evaluate(vector.inputs()));
            std::cout << R"({"d":")" << d << "\"}" << std::endl; // flushed at once: discern may wait for it
        }
    } catch (const Error& error) {
        std::cerr << "exec_target: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
