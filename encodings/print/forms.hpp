// A unit as hardware or as C, for those who build one and for their benches: forms as rows of a table.
#pragma once

#include "models/flags.hpp"
#include "models/unit.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern::rtl {

/// A unit to be written: its name or notation, for a comment, and the command that writes it.
struct UnitToWrite {
    Unit unit;
    std::string name, origin;
    bool pipeline = false;               ///< SystemVerilog alone: registers between alignment, addition and rounding
    std::string symbol = "discern_unit"; ///< of the function or the module: so that two can be linked together
    std::optional<Tininess> flags = {};  ///< d is the unit's status flags

    /// For a comment: what d is.
    std::string_view of_d() const {
        return flags ? "d, the status flags (10 invalid, 04 overflow, 02 underflow, 01 inexact)," : "d";
    }
};

struct UnitForm {
    std::string_view name; ///< as in --as NAME
    std::string_view summary;
    /// @throws Error if the unit is wrong
    std::string (*write)(const UnitToWrite& what);
    bool has_symbol = false; ///< whether it has a function or module with a name
};

/// Whose licence what is written has, for a comment: docs/ship.md.
inline constexpr std::string_view licence_line = "SPDX-License-Identifier: Apache-2.0";

std::span<const UnitForm> unit_forms();

std::string to_systemverilog(const UnitToWrite& what); // sv.cpp
std::string to_aiger(const UnitToWrite& what);         // circuits.cpp
std::string to_btor2(const UnitToWrite& what);
std::string to_dpi(const UnitToWrite& what); // c.cpp

} // namespace discern::rtl
