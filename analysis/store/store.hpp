// Answers that were given before, in a file that several runs of one machine may share.
//
// A question is known by the hashes of both trees, by the limits of its inputs, and by the version of the notation in
// which trees are hashed; the lines of the trees are kept beside. Every answer is one transaction: a run that is killed
// loses what it was working on. What is read is not believed where it can be tried: a witness is replayed. Unknown is
// no answer and is not stored.
#pragma once

#include "solver/decide/challenge.hpp"
#include "solver/decide/joint.hpp"
#include "solver/question/question.hpp"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace discern {

/// The answer for units that a few vectors did not distinguish. Numbers are positions among these units.
struct CellAnswer {
    std::vector<std::vector<std::size_t>> classes;
    std::vector<Ground> grounds; ///< of each class: why its units are the same
    std::vector<Vector> vectors; ///< vectors that distinguish them; d is empty
    std::size_t terms = 0;       ///< units where those that fold to one term are one
    std::set<std::string> by;    ///< what said that units are the same
    /// Of an answer that was found: vectors that tried to refute it (solver/decide/challenge.hpp).
    std::uint64_t challenged = 0;
};

/// The first phase of a suite, or one part of it: which members there are, or cells of those of one shape, as text.
struct FirstPart {
    std::string content;
    std::uint64_t made = 0; ///< vectors on which the members were run
    bool complete = false;  ///< as many as there will be
};

/// Safe from several threads at once.
class Store {
  public:
    /// Opens the file, or makes it. One that may not be written is only read, and keeps nothing.
    /// @param must_exist  an Error if there is none
    /// @throws Error if the file is something else, damaged, of another version, or cannot be made; or if this build
    ///         has no SQLite
    explicit Store(const std::string& file, bool must_exist = false);
    /// One that is only read, and must be there; meanwhile no run may write it. @throws Error as the constructor does
    static Store reading(const std::string& file);
    ~Store();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;

    /// The stored answer to the question, in this order of the units.
    /// @throws Error if a stored witness does not hold, or a vector refutes that the units are the same
    std::optional<Answer> find(const Question& question);
    /// Keeps an answer; nothing if it is unknown, or if there is one already.
    void keep(const Question& question, const Answer& answer);
    /// The same for a question over several units; `seconds` is the limit under which it would be asked now.
    std::optional<JointAnswer> find(const JointQuestion& question, double seconds);
    void keep(const JointQuestion& question, const JointAnswer& answer, double seconds);
    /// The stored answer for a set of units, in any order.
    /// @param challenging  vectors that try to refute that the units of a class are the same
    /// @throws Error if the vectors do not distinguish the classes, or these or others do distinguish units of one
    /// class
    std::optional<CellAnswer> find(std::span<const Unit* const> units, const InputLimits& limits,
                                   std::uint64_t challenging = most_challenging);
    /// Keeps it, if there is none already.
    void keep(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer);
    /// A part of the first phase of what `request` says.
    std::optional<FirstPart> find_first(const std::string& request, const InputLimits& limits, std::size_t part);
    /// Keeps it, if there is none of as many vectors.
    void keep_first(const std::string& request, const InputLimits& limits, std::size_t part, const FirstPart& first);
    /// How many answers about two units, or about a cell, there are.
    std::uint64_t size();
    /// @throws Error that names the store
    [[noreturn]] void fail(const std::string& what) const;
    /// Whether what is found is not kept, since the file or its folder may not be written.
    bool is_only_read() const;

    /// Whether this build has SQLite.
    static bool available();

  private:
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace discern
