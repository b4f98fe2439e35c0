#include "reference.hpp"

#include "models/format.hpp"

#include <cstddef>

namespace discern::circuit {

using certificate::GateDomain;

template Bit<GateDomain> is_nan(GateDomain&, const Format&, const certificate::Bits&);
template Bit<GateDomain> is_infinite(GateDomain&, const Format&, const certificate::Bits&);
template Number<GateDomain> read(GateDomain&, const Format&, const certificate::Bits&);

} // namespace discern::circuit

namespace discern::certificate {

std::vector<Row> rows(const Unit& unit) {
    std::vector<Row> list = {{"a", &Operands::a, &format(unit.a), unit.K},
                             {"b", &Operands::b, &format(unit.b), unit.K}};
    if (unit.scale) {
        list.push_back({"sa", &Operands::sa, &format(unit.scale->format), unit.scales()});
        list.push_back({"sb", &Operands::sb, &format(unit.scale->format), unit.scales()});
    }
    if (unit.c) list.push_back({"c", &Operands::c, &format(*unit.c), 1});
    return list;
}

std::size_t input_bits(const Unit& unit) {
    std::size_t bits = 0;
    for (const Row& row : rows(unit))
        bits += static_cast<std::size_t>(row.count) * static_cast<std::size_t>(row.format->width);
    return bits;
}

Operands operands(const Netlist& netlist, const Unit& unit, std::size_t first) {
    Operands in;
    std::size_t next = first;
    for (const Row& row : rows(unit))
        for (int k = 0; k < row.count; ++k) {
            Bits& pattern = (in.*row.patterns).emplace_back();
            for (int i = 0; i < row.format->width; ++i) pattern.push_back(netlist.input(next++));
        }
    return in;
}

Bits reference_circuit(Netlist& n, const Unit& unit, const Operands& in) {
    GateDomain gates(n);
    circuit::NoObserver<GateDomain> silent;
    return circuit::unit_circuit(gates, unit, in, silent);
}

} // namespace discern::certificate
