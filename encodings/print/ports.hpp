// The operands of a unit as ports: each one word, element 0 lowest.
#pragma once

#include "encodings/encode.hpp"

#include "models/unit.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

struct OperandPort {
    std::string name; ///< "a"
    int width;        ///< of all patterns together
    int pattern;      ///< of one
    std::vector<Term> patterns;
};

/// Those that the unit has, in the order a, b, sa, sb, c.
inline std::vector<OperandPort> operand_ports(const Terms& t, const InputTerms& in) {
    std::vector<OperandPort> ports;
    const auto add = [&](const char* name, const std::vector<Term>& patterns) {
        if (patterns.empty()) return;
        const int width = t.width(patterns.front());
        ports.push_back({name, width * static_cast<int>(patterns.size()), width, patterns});
    };
    add("a", in.a);
    add("b", in.b);
    add("sa", in.sa);
    add("sb", in.sb);
    if (in.c) add("c", {*in.c});
    return ports;
}

} // namespace discern::rtl
