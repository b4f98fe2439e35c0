// Matrix instructions as targets: vectors are packed into whole instructions, whatever device runs them.
//
// An instruction D = A·B + C computes M·N dot products that share M rows of A and N columns of B. Each vector gets a
// row, a column and the element of C where they meet; its neighbours are other vectors, and rows and columns change
// from one instruction to the next, so that a result which depends on its position would be noticed (Xie et al. §3.1,
// step 1: the elements of D are computed independently and in the same way). The first vectors of a run are also put
// into all rows and columns of an instruction at once, and must give the same bits in every element of D.
//
// The device itself runs in a process of its own, which is what makes a hanging one killable and a broken one
// replaceable: a batch is tried once more, by a new process, after a device error; then the run ends.
#pragma once

#include "target.hpp"

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern {

class Random;

/// What one instruction computes: M × N dot products.
struct MatrixShape {
    Shape dot; ///< formats, scale blocks and K of each
    int M = 16, N = 8;

    bool operator==(const MatrixShape&) const = default;
};

/// The operands of one instruction as bit patterns, each in the low bits of a word.
struct MatrixTile {
    std::vector<std::uint64_t> a;  ///< M·K: row i begins at i·K
    std::vector<std::uint64_t> b;  ///< N·K: column j begins at j·K
    std::vector<std::uint64_t> c;  ///< M·N: element (i, j) is at i·N + j; empty if there is no c
    std::vector<std::uint64_t> sa; ///< M·S, S being Shape::scales(): the scales of row i begin at i·S
    std::vector<std::uint64_t> sb; ///< N·S: the scales of column j begin at j·S

    bool operator==(const MatrixTile&) const = default;
};

/// The device failed; a new one may do better.
class DeviceError : public std::runtime_error {
  public:
    explicit DeviceError(const std::string& sentence) : std::runtime_error(sentence) {}
};

/// One instruction of one device. Only ever used in the process that opened it.
class MatrixDevice {
  public:
    MatrixDevice() = default;
    virtual ~MatrixDevice() = default;
    MatrixDevice(const MatrixDevice&) = delete;
    MatrixDevice& operator=(const MatrixDevice&) = delete;

    virtual const MatrixShape& shape() const = 0;
    /// Vendor, model, driver, what the code that runs really is, …
    virtual Identity identity() const = 0;
    /// How many tiles a launch should have: enough to keep the device busy.
    virtual std::size_t tiles_per_launch() const = 0;
    /// Runs the instruction on each tile and appends D, M·N patterns a tile in the order of MatrixTile::c.
    /// @throws DeviceError
    virtual void launch(std::span<const MatrixTile> tiles, std::vector<std::uint64_t>& d) = 0;
};

/// Opens the device, in the process in which it will be used. @throws Error if it is not available
using OpenDevice = std::function<std::unique_ptr<MatrixDevice>()>;

/// @param name  as a user wrote it, for the sentences: "cuda:0/mma.m16n8k16.f32.f16.f16.f32"
/// @param timeout  seconds for one launch
/// @throws Error if the device cannot be opened
std::unique_ptr<Target> make_matrix_target(const std::string& name, OpenDevice open, double timeout);

/// A device by its number, running that instruction. @throws Error if there is none
using OpenNumbered = std::function<std::unique_ptr<MatrixDevice>(int number, const std::string& instruction)>;

/// @param kind     with its colon: "cuda:"
/// @param rest     what a user wrote behind that: "0/INSTRUCTION"
/// @param example  an instruction, for the sentence if that cannot be read
/// @throws Error if it cannot be read, or the device cannot be opened ("unavailable: …")
std::unique_ptr<Target> make_numbered_target(const std::string& kind, const std::string& rest,
                                             const std::string& example, const OpenNumbered& open, double timeout);

/// The result of packing, which tests look at: the tiles of a batch, and the element of D of each vector.
struct Packed {
    struct Place {
        std::size_t tile;
        int row, column;
    };
    std::vector<MatrixTile> tiles;
    std::vector<Place> places; ///< one a vector, in order
};

/// Packs min(M, N) vectors a tile, at rows and columns that the random numbers choose; all other rows, columns and
/// elements of C hold those of vectors of the same batch.
Packed pack_tiles(const MatrixShape& shape, std::span<const Inputs> batch, Random& random);

/// A tile all of whose elements of D are results of that vector.
MatrixTile tile_of_one(const MatrixShape& shape, const Inputs& inputs);

/// Runs `ask` in a process of its own and gives what it returned; for questions to drivers, which do not survive a
/// fork once they are initialised, and which may hang.
/// @throws Error if it threw one, ended some other way, or took longer than the timeout, in seconds
std::string ask_in_process(const std::string& name, const std::function<std::string()>& ask, double timeout);
/// The same, where only what goes wrong is of interest. @return the reason, or nothing
std::string why_no_answer(const std::string& name, const std::function<std::string()>& ask, double timeout);

} // namespace discern
