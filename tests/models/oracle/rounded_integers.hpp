// What the rounding modes make of numbers between the integers: the table by which both nodes of the oracle are tested.
#pragma once

#include "models/rounding.hpp"

#include <array>

namespace discern::tests {

inline constexpr std::array modes = {Rounding::rz,  Rounding::rd,  Rounding::ru, Rounding::rne,
                                     Rounding::rna, Rounding::odd, Rounding::ra, Rounding::rnu,
                                     Rounding::rnd, Rounding::rnz, Rounding::rno};

/// What the modes make of numbers between the integers; rows in the order of `modes`.
struct RoundedTo {
    double number;
    std::array<int, 11> integer; // rz rd ru rne rna odd ra rnu rnd rnz rno
};
inline constexpr std::array<RoundedTo, 14> to_integers = {{
    {0.25, {0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0}},
    {0.5, {0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1}},
    {0.75, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {1.5, {1, 1, 2, 2, 2, 1, 2, 2, 1, 1, 1}},
    {2.25, {2, 2, 3, 2, 2, 3, 3, 2, 2, 2, 2}},
    {2.5, {2, 2, 3, 2, 3, 3, 3, 3, 2, 2, 3}},
    {-0.25, {0, -1, 0, 0, 0, -1, -1, 0, 0, 0, 0}},
    {-0.5, {0, -1, 0, 0, -1, -1, -1, 0, -1, 0, -1}},
    {-0.75, {0, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1}},
    {-1, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}},
    {-1.5, {-1, -2, -1, -2, -2, -1, -2, -1, -2, -1, -1}},
    {-2.25, {-2, -3, -2, -2, -2, -3, -3, -2, -2, -2, -2}},
    {-2.5, {-2, -3, -2, -2, -3, -3, -3, -2, -3, -2, -3}},
}};

} // namespace discern::tests
