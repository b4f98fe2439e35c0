// Many vectors at once, as `which`, `check`, `gemm` and `identify` compute them, by every set of vector kernels,
// against the evaluator of one vector and the exact oracle.
//
// Kernels know the shapes of trees that instructions have, and what may be left out in each: so most units are those of
// the catalogue with other formats, floors, limits and flushes. Rows of vectors have common cases and rare ones side by
// side, as in a matrix: zeros among large products, an accumulator alone, infinities.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"

#include "models/batch.hpp"
#include "models/hex.hpp"

namespace discern::claims {

namespace {

constexpr int row_bits = 8;               ///< 2^8 inputs of a unit
constexpr std::uint64_t one_of_rows = 16; ///< one of so many is given to the exact oracle, too
constexpr std::array kernel_sets = {KernelChoice::avx512fp16, KernelChoice::avx512, KernelChoice::avx2,
                                    KernelChoice::portable};

GemmOptions by(KernelChoice set) {
    GemmOptions options;
    options.kernels = set;
    return options;
}

bool has_kernels(const Unit& unit) { return BatchEvaluator(unit, by(KernelChoice::portable)).has_kernels(); }

Case drawn_batch(Random& random) {
    Case asked;
    Size size;
    size.large = true;
    Unit unit = draw_unit(random, size);
    for (int tries = 0; tries < 20 && !has_kernels(unit); ++tries) unit = draw_unit(random, size);
    asked.units = {{unit, ""}};
    asked.texts["seed"] = std::to_string(random.below(1000000));
    return asked;
}

/// Aimed inputs in another order, some of whose operands are all zero.
std::vector<InputBuffer> rows_of(const Unit& unit, std::uint64_t seed) {
    std::vector<InputBuffer> rows = AllInputs(unit, row_bits).list();
    Random random(seed);
    for (std::size_t i = rows.size(); i > 1; --i)
        std::swap(rows[i - 1], rows[static_cast<std::size_t>(random.below(int(i)))]);
    for (InputBuffer& row : rows) {
        if (random.one_in(6)) row.a.assign(row.a.size(), 0);
        if (random.one_in(6)) row.b.assign(row.b.size(), 0);
        if (random.one_in(12)) row.c = 0;
    }
    return rows;
}

Compared compared_batch(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    Compared result;
    const std::vector<InputBuffer> rows = rows_of(unit, std::stoull(asked.texts.at("seed")));
    std::vector<Inputs> inputs;
    std::vector<std::uint64_t> right;
    const Evaluator evaluate(unit);
    for (const InputBuffer& row : rows) {
        inputs.push_back(row.inputs());
        right.push_back(evaluate(inputs.back()));
    }
    const auto tell = [&](std::size_t i, std::uint64_t given, std::string_view whose, std::string_view other) {
        result.wrong = std::string(whose) + " gives " + to_hex(format(unit.d), given) + " where " + std::string(other) +
                       " gives " + to_hex(format(unit.d), right[i]);
        std::vector<std::string> words = {"eval", asked.units.front().text(), "--oracle"};
        append(words, {as_options(unit, inputs[i])});
        result.command = command_line(words) + "   # beside others, as in a matrix";
    };
    for (std::size_t i = 0; i < rows.size(); i += one_of_rows)
        if (const std::uint64_t exact = evaluate_exactly(unit, inputs[i]); !same_result(unit, right[i], exact))
            tell(i, exact, "the oracle", "the evaluator");
    for (const KernelChoice set : kernel_sets) {
        BatchEvaluator batch(unit, by(set));
        std::vector<std::uint64_t> given(rows.size());
        batch(inputs, given);
        ++result.claims;
        for (std::size_t i = 0; i < rows.size() && result.wrong.empty(); ++i)
            if (!same_result(unit, right[i], given[i])) tell(i, given[i], "a batch", "the evaluator");
    }
    return result;
}

} // namespace

Kind batches() {
    return {"batch", "many vectors at once, by every set of kernels, against the evaluator and the exact oracle",
            drawn_batch, compared_batch};
}

} // namespace discern::claims
