// One vector in options: --a … --b … --sa … --sb … --c …, as patterns or as numbers.
#pragma once

#include "models/vectors.hpp"
#include "vector_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace discern::cli {

struct OneVector {
    std::string a, b, sa, sb, c;

    /// Adds them, and --numbers and --round, which a file is read by as well.
    /// @param file  the argument beside which they cannot be given, if it is one by itself
    void add_to(CommandLine& line, std::optional<Option> file, DataOptions& data);
    static bool is_given(const CommandLine& line);
    /// Says on standard error how many numbers were rounded.
    /// @throws Error for a pattern, a number or a count that cannot be
    Vector vector(const Shape& shape, const DataOptions& data, const Streams& io) const;
};

/// The vector in options, as patterns: "--a 3c00,0000 --b … --c …".
std::string as_options(const Shape& shape, const Vector& vector);

/// The same for people, who read no thousands of patterns: of more than 64 products where they are.
std::string shown_inputs(const Shape& shape, const Vector& vector);

} // namespace discern::cli
