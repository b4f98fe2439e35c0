// The table of forms; each is printed by a file of its own.
#include "forms.hpp"

#include <array>

namespace discern::rtl {

namespace {

constexpr auto table = std::to_array<UnitForm>({
    {"sv", "of a UNIT: SystemVerilog, one combinational module 'discern_unit'", to_systemverilog, true},
    {"aiger", "of a UNIT: binary AIGER, an and-inverter graph", to_aiger},
    {"btor2", "of a UNIT: BTOR2, a circuit of words", to_btor2},
    {"dpi", "of a UNIT: C99, with a function for DPI-C", to_dpi, true},
});

} // namespace

std::span<const UnitForm> unit_forms() { return table; }

} // namespace discern::rtl
