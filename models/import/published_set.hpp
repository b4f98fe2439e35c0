// The measurements of Khattak and Mikaitis as they are published: four text files a set, below `model_validation`.
//
// Each line of the files of a and b has the K numbers of one vector, and each line of those of c and d one number. All
// are words of binary32, whatever the format: of eight hexadecimal or of 32 binary digits. Two things are known from
// the authors' programs alone: c is rounded to nearest even where the instruction takes it in binary16
// (Validate_TC_models.m, CUDA/*.cu), and the sums of wgmma began with zero, although a file of c is there.
#pragma once

#include "models/measured_sets.hpp"
#include "models/vectors.hpp"
#include "models/vectors/lines.hpp"

#include <array>
#include <istream>
#include <string>

namespace discern {

/// The files of a, b, c and d below model_validation, where each GPU has a folder for each format of a and b.
std::array<std::string, 4> published_files(const MeasuredSet& set);

class PublishedSet {
  public:
    struct File {
        std::istream& in;
        std::string name;
    };

    /// @param shape  of the set's unit
    /// @param files  in the order of published_files()
    PublishedSet(const MeasuredSet& set, const Shape& shape, const std::array<File, 4>& files);

    /// The next vector; false at the end of all four files.
    /// @throws Error that names file and line: a word is none of binary32 or no number of the format, a line has
    ///         another number of words, or a file ends before another
    bool next(Vector& vector);

  private:
    Shape shape_;
    bool from_zero_; ///< c is zero, whatever its file has
    std::array<vector_lines::LineReader, 4> lines_;
};

} // namespace discern
