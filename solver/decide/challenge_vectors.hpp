// The vectors that challenge a claim: those of models/stimulus/aimed_vectors.hpp, most of them changed so that they
// come nearer to the ends of what a unit can compute, and all of them within the limits of the question.
//
// What a proof may have wrong is often a bound: how large a sum can be, which bits it can have, which scales, what is
// flushed. Random vectors stay far within such bounds. Terms that are all alike, of one sign, with scales at an end and
// one bit changed somewhere reach them.
#pragma once

#include "solver/question/input_limits.hpp"

#include "models/places.hpp"
#include "models/random.hpp"
#include "models/stimulus/aimed_vectors.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern {

class ChallengeVectors {
  public:
    /// @param views   units of one shape, at least one; they must outlive the object
    /// @param limits  that leave some input
    ChallengeVectors(std::span<const Unit> views, const InputLimits& limits);
    /// The next vector. The same views and limits give the same vectors.
    Vector next();

  private:
    /// An operand, and what the limits leave of it.
    struct Row {
        Operand operand;
        const Format* format;
        PlaceSet numbers; ///< that are allowed
        bool finite;      ///< and nothing else is
        bool holds(std::uint64_t pattern) const;
    };

    std::span<std::uint64_t> patterns(Operand operand) { return row_of<std::uint64_t>(v_, operand); }
    template <typename List>
    auto& any_of(List& list) {
        return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
    }
    std::uint64_t neighbour(const Row& row, std::uint64_t pattern);
    std::uint64_t end_of(const Row& row);
    std::uint64_t drawn(const Row& row);
    std::uint64_t of_most_bits(const Row& row);
    static std::uint64_t largest(const Row& row);

    void change();
    void draw_all();
    void make_large();
    void make_alike();
    void make_one_sign();
    void set_ends();
    void change_some();
    void keep_within();

    const Unit& unit_;
    AimedVectors aimed_;
    Random random_;
    std::vector<Row> rows_; ///< a, b, and sa, sb and c where the unit has them
    bool limited_;
    Vector v_; ///< that is being made
    std::uint64_t made_ = 0;
};

} // namespace discern
