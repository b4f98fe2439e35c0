// Answers that were given before, in a file that several runs may share.
//
// A question is known by the hashes of both trees, by the limits of its inputs, and by the version of the notation in
// which trees are hashed. Every answer is one transaction of an SQLite database (www.sqlite.org) with a write-ahead
// log: a run that is killed loses the question that it was working on. What is read is not believed: a witness is
// replayed. Unknown is no answer and is not stored.
#pragma once

#include "joint.hpp"
#include "question.hpp"

#include <memory>
#include <optional>
#include <string>

namespace discern {

class Store {
  public:
    /// Opens the file, or makes it.
    /// @param must_exist  an Error if there is none
    /// @throws Error if the file is something else, damaged, of another version, or cannot be written; or if this build
    ///         has no SQLite
    explicit Store(const std::string& file, bool must_exist = false);
    ~Store();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;

    /// The stored answer to the question, in this order of the units.
    /// @throws Error if a stored witness does not hold
    std::optional<Answer> find(const Question& question);
    /// Keeps an answer; nothing if it is unknown, or if there is one already.
    void keep(const Question& question, const Answer& answer);
    /// The same for a question over several units; `seconds` is the limit under which it would be asked now.
    std::optional<JointAnswer> find(const JointQuestion& question, double seconds);
    void keep(const JointQuestion& question, const JointAnswer& answer, double seconds);
    /// How many answers about two units there are.
    std::uint64_t size();

    /// Whether this build has SQLite.
    static bool available();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace discern
