// The results of `discern explain`, and the forms in which they are reported: text, JSON, pictures.
#pragma once

#include "analysis/explain/exactness.hpp"
#include "analysis/explain/parting.hpp"
#include "analysis/explain/trace.hpp"
#include "cli/base/colour.hpp"
#include "cli/base/json.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <climits>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace discern::cli {

struct Explained {
    std::string name; ///< as it was asked for
    Unit unit;
    explain::Trace trace;
    explain::Exactness exactness;
};

/// One unit, or two on the same vector.
struct Explanation {
    std::vector<Explained> units;
    Vector vector;
    std::string where; ///< where the vector is from, if from a file
    std::optional<explain::Parting> parting;
    std::vector<std::string> assumed = {}; ///< of units of different shapes
};

/// The bits of a sum that are drawn, one column each.
struct Grid {
    int top = INT_MIN, low = INT_MAX;
    bool is_shortened = false; ///< digits below `low` are left out

    bool is_empty() const { return top < low; }
    int columns() const { return top - low + 1; }
};

/// The columns for these sums, which are drawn one above the other; empty if there is nothing to draw, or too much.
Grid grid_of(const std::vector<const explain::Sum*>& sums);

/// The digit of a number that is worth 2^exponent: '0', '1', or ' ' before its first one and behind its last one.
char digit_at(const explain::Number& number, int exponent);

/// The lowest of all lsbs that terms are truncated to; nothing if all terms are whole.
std::optional<int> lowest_lsb(const explain::Sum& sum);

/// The sums of the same name in the block, one a unit; nullptr where a unit has none.
std::vector<const explain::Sum*> sums_of(const Explanation& all, std::size_t block, const std::string& name);

/// "p3: a3 · b3" and its factors in decimals; "" for what is no product.
std::string factors(const Shape& shape, const Vector& vector, const std::string& term);

void print_text(const Explanation& all, const Colours& colours, std::ostream& out);
/// @param design  what is said of a design on the same vector; null: there is none
void print_json(const Explanation& all, const std::string& command, std::ostream& out, const Json& design = {});
/// One SVG of the first sum in which two units part, or of the last one in which a term is truncated; or the page with
/// all.
void print_svg(const Explanation& all, std::ostream& out);
void print_html(const Explanation& all, const std::string& command, std::ostream& out);

} // namespace discern::cli
