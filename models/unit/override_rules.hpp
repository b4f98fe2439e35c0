// The rules behind the keys of overrides: for each a function that changes the tree and one that reads the value back.
// The list of keys is in overrides.cpp; most are rows of the table of parameters.
#pragma once

#include "models/error.hpp"
#include "nan_rule.hpp"
#include "parameters.hpp"
#include "texts.hpp"
#include "tree_shape.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern::overrides {

/// One key=value being applied; knows how to complain about itself.
struct Setting {
    std::string_view key;
    std::string_view value;

    [[noreturn]] void wrong(const std::string& expected) const {
        throw Error("override " + std::string(key) + "=" + std::string(value.substr(0, 40)) + ": " + expected);
    }
    [[noreturn]] void meaningless(const std::string& why) const { wrong("means nothing for this unit, " + why); }
    int integer(const std::string& expected) const {
        const auto number = value.size() > 7 ? std::nullopt : texts::whole_number(value);
        if (!number) wrong(expected + " is right");
        return *number;
    }
    /// A whole number, or nothing for the given word.
    std::optional<int> integer_or(std::string_view word) const {
        if (value == word) return std::nullopt;
        return integer("a whole number or " + std::string(word));
    }
    int choice(std::span<const parametric::Word> words) const {
        if (const auto found = parametric::find_word(words, value)) return *found;
        wrong(parametric::choices(words) + " is right");
    }
    /// A value of the parameter.
    int value_of(const parametric::Parameter& parameter) const;
};

inline std::string text_or(const std::optional<int>& value, std::string_view word) {
    return value ? std::to_string(*value) : std::string(word);
}

// The parts of a tree that a key needs; Errors of the setting if there are none.
std::vector<Fuse*> require_product_fuses(Unit& unit, const Setting& s);
std::vector<Product*> require_products(Unit& unit, const Setting& s);
Accumulator& require_accumulator(Unit& unit, const Setting& s);

// override_structure.cpp
void set_P(Unit& unit, const Setting& s);
std::string get_P(Unit& unit);
void set_G(Unit& unit, const Setting& s);
std::string get_G(Unit& unit);
void set_scale(Unit& unit, const Setting& s);
void set_L(Unit& unit, const Setting& s);
void set_K(Unit& unit, const Setting& s);
void set_interleave(Unit& unit, const Setting& s);
void set_c(Unit& unit, const Setting& s);
std::string get_c(Unit& unit);

void set_catalogue(Unit& unit, const Setting& s);

// override_alignment.cpp
void set_F(Unit& unit, const Setting& s);
std::string get_F(Unit& unit);
void set_F2(Unit& unit, const Setting& s);
std::string get_F2(Unit& unit);
void set_sum(Unit& unit, const Setting& s);
std::string get_sum(Unit& unit);
void set_zero(Unit& unit, const Setting& s);
std::string get_zero(Unit& unit);

// override_conversion.cpp
void set_round(Unit& unit, const Setting& s);
std::string get_round(Unit& unit);
void set_ftz(Unit& unit, const Setting& s);
std::string get_ftz(Unit& unit);
void set_fsign(Unit& unit, const Setting& s);
std::string get_fsign(Unit& unit);
void set_zin(Unit& unit, const Setting& s);
std::string get_zin(Unit& unit);
void set_nan(Unit& unit, const Setting& s);
std::string get_nan(Unit& unit);

// override_parameter.cpp: a parameter that has no rule of its own, by its row of the table
void set_parameter(Unit& unit, const Setting& s, const parametric::Parameter& parameter);
std::string get_parameter(Unit& unit, const parametric::Parameter& parameter);

} // namespace discern::overrides
