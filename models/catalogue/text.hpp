// The catalogue as it is written: models/catalogue/units/*.units, one file a vendor and one of others.
//
//   # a comment                         a line of its own
//   let NAME = TEXT                     $NAME stands for TEXT from here on
//   on ARCHITECTURE …                   which architectures have the units that follow
//   family TEXT                         the elementary operation of those that follow
//   remark TEXT                         what a user must know of those that follow; nothing: no more
//   INSTRUCTION : NOTATION              a unit (docs/notation.md)
//     paper : NOTATION                  the unit before, by the readings of the paper that it is from
//     any K : NOTATION                  the unit before for K products: # is K, and log2# its logarithm, rounded up
//   products NAME, … : ARCHITECTURE : CAPABILITY : SOURCE
//                                       what is sold with that architecture, its compute capability or LLVM target
//   unplaced NAME, … : SENTENCE         what people may name that is of no architecture here, and what there is instead
//   evidence KEY … : NAME … : KIND : SOURCE
//                                       where these parameters (* is all) of these units come from. NAME is
//                                       architecture/instruction with * for anything; the first line that fits decides
//
// {x|y} in an instruction, or in a name of units, stands for each of its choices: the line is one unit for each. With
// a letter, {A=x|y}, $A is the choice in the notation; {A=x:z|y} writes x in the instruction and z in the notation.
#pragma once

#include "models/catalogue.hpp"
#include "models/products.hpp"

#include <span>

namespace discern::catalogue_text {

struct UnitLine : CatalogueEntry {
    std::string paper; ///< the notation by the paper's readings, or empty: the same unit
    std::string any_K; ///< the notation with # for K, or empty: K is a parameter like others
};

struct UnplacedLine {
    std::string name, sentence;
};

struct EvidenceLine {
    std::string keys;               ///< with a space around each, or empty: all
    std::vector<std::string> names; ///< with * for anything
    Evidence evidence;
    std::string source;
};

struct File {
    std::vector<UnitLine> units; ///< of one architecture after the other, in the order in which they are first named
    std::vector<SoldProduct> products;
    std::vector<UnplacedLine> unplaced;
    std::vector<EvidenceLine> evidence;
};

/// @param name  of the file, for errors
/// @throws Error with file, line and what would be right
File read(std::string_view name, std::string_view text);

/// The unit of a line for K products. @throws Error if the line has no `any K`
Unit unit_for(const UnitLine& line, int K);

/// Whether a name is that of a pattern with * for anything.
bool fits(std::string_view pattern, std::string_view name);

/// A file of models/catalogue/units, which the library has in itself.
struct Source {
    std::string_view name, text;
};
std::span<const Source> sources();
/// All of them, read once.
const std::vector<File>& files();

} // namespace discern::catalogue_text
