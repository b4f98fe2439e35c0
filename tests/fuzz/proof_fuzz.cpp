// Any bytes as a proof: the checker refuses them with a sentence, or accepts; never that a formula has no solution when
// it has one.
#include "certificate/proof.hpp"

#include "models/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace discern::fuzz::proof_fuzz {
namespace {

using certificate::Formula;

Formula formula_of(std::initializer_list<std::initializer_list<std::int32_t>> clauses) {
    Formula formula;
    formula.variables = 3;
    for (const auto& clause : clauses) formula.add({clause.begin(), clause.size()});
    return formula;
}

bool accepts(const Formula& formula, std::string_view proof) {
    try {
        check_proof(formula, proof);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    // The second has the solution 1, 2, −3; with its last clause, the first has none.
    static const Formula unsatisfiable = formula_of({{1, 2}, {1, -2}, {-1, 2}, {3, -1, 2}, {-1, -2}});
    static const Formula satisfiable = formula_of({{1, 2}, {1, -2}, {-1, 2}, {3, -1, 2}, {-1, -3}});
    const std::string_view proof(reinterpret_cast<const char*>(data), size);
    accepts(unsatisfiable, proof);
    if (accepts(satisfiable, proof)) std::abort();
    return 0;
}

} // namespace discern::fuzz::proof_fuzz
