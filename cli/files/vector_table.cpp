#include "vector_table.hpp"

#include "analysis/explain/parting.hpp"
#include "analysis/explain/trace.hpp"
#include "cli/options/values.hpp"
#include "models/evaluate.hpp"
#include "models/hex.hpp"
#include "models/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace discern::cli {

namespace {

/// The products that matter to either result, by their lanes.
std::vector<std::size_t> terms_that_matter(const std::array<NamedResult, 2>& units, Vector& vector, bool& c_matters) {
    const auto evaluator = [](const NamedResult& of) -> std::function<std::uint64_t(const Inputs&)> {
        if (of.unit == nullptr) return of.result;
        return [evaluate = std::make_shared<Evaluator>(*of.unit)](const Inputs& inputs) { return (*evaluate)(inputs); };
    };
    const auto one = evaluator(units[0]), other = evaluator(units[1]);
    const std::uint64_t d1 = one(vector.inputs()), d2 = other(vector.inputs());
    const auto is_same = [&] { return one(vector.inputs()) == d1 && other(vector.inputs()) == d2; };
    std::vector<std::size_t> lanes;
    for (std::size_t k = 0; k < vector.a.size(); ++k) {
        const std::uint64_t a = std::exchange(vector.a[k], 0), b = std::exchange(vector.b[k], 0);
        if (is_same()) continue;
        vector.a[k] = a;
        vector.b[k] = b;
        lanes.push_back(k);
    }
    c_matters = false;
    if (vector.c && *vector.c != 0) {
        const std::uint64_t c = std::exchange(*vector.c, 0);
        c_matters = !is_same();
        vector.c = c;
    }
    return lanes;
}

struct Row {
    std::string name, bits, number;
};

} // namespace

void print_vector(std::ostream& out, const Shape& shape, const std::array<NamedResult, 2>& units, const Vector& vector,
                  std::size_t number, const Colours& colours) {
    const Format &a = format(shape.a), &b = format(shape.b), &d = format(shape.d);
    Vector rest = vector;
    bool c_matters = false;
    const auto lanes = terms_that_matter(units, rest, c_matters);
    std::vector<Row> rows;
    for (const std::size_t k : lanes)
        rows.push_back({fmt::format("a{0} * b{0}", k),
                        fmt::format("{} * {}", to_hex(a, vector.a[k]), to_hex(b, vector.b[k])),
                        fmt::format("{} * {}", decimal(a, vector.a[k]), decimal(b, vector.b[k]))});
    for (const auto& [name, scales] : {std::pair("sa", &vector.sa), {"sb", &vector.sb}})
        for (std::size_t i = 0; i < scales->size(); ++i) {
            const Format& f = format(shape.scale->format);
            rows.push_back({fmt::format("{}{}", name, i), to_hex(f, (*scales)[i]), decimal(f, (*scales)[i])});
        }
    if (c_matters) rows.push_back({"c", to_hex(format(*shape.c), *vector.c), decimal(format(*shape.c), *vector.c)});
    const std::size_t results = rows.size();
    for (std::size_t i = 0; i < units.size(); ++i)
        rows.push_back({units[i].name, to_hex(d, vector.d[i]), decimal(d, vector.d[i])});
    std::size_t widest_name = 0, widest_bits = 0;
    for (const Row& row : rows) {
        widest_name = std::max(widest_name, row.name.size());
        widest_bits = std::max(widest_bits, row.bits.size());
    }
    if (number != 0) out << fmt::format("vector {}\n", number);
    const auto print = [&](std::size_t i, const auto& dye) {
        const std::string line =
            fmt::format("{:<{}}  {:<{}}  {}", rows[i].name, widest_name, rows[i].bits, widest_bits, rows[i].number);
        out << "  " << dye(line) << '\n';
    };
    for (std::size_t i = 0; i < results; ++i) print(i, [](const std::string& line) { return line; });
    if (results == 0) out << "  all products and c are +0\n";
    const std::size_t left = vector.a.size() - lanes.size();
    if (left > 0 && !lanes.empty()) out << fmt::format("  the other {} products do not matter\n", left);
    print(results, [&](const std::string& line) { return colours.good(line); });
    print(results + 1, [&](const std::string& line) { return colours.bad(line); });
    if (units[0].unit == nullptr || units[1].unit == nullptr) return;
    if (const auto parting =
            explain::parting(explain::trace(*units[0].unit, vector.inputs()),
                             explain::trace(*units[1].unit, vector.inputs()), "the first", "the second"))
        out << fmt::format("  why: {}\n", parting->sentence);
}

} // namespace discern::cli
