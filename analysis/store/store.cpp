// Questions as keys, answers as rows: what is written, and what is verified when it is read again.
#include "store.hpp"

#include "cell_rows.hpp"
#include "database.hpp"
#include "text.hpp"

#include "solver/question/replay.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <sstream>

namespace discern {

namespace {

using store::Database;
using store::Statement;

/// The key of a joint question: everything on which its answer depends except limits and count.
std::string units_text(const JointQuestion& question) {
    std::string text;
    for (const Unit& unit : question.units) text += store::hash_text(unit);
    for (const auto& [one, other] : question.excused) text += sentence(" ", one, "~", other);
    return text;
}

/// The hashes of two units in the order in which their answer is kept.
std::pair<std::string, std::string> pair_text(const Question& question) {
    std::pair<std::string, std::string> pair{store::hash_text(question.first), store::hash_text(question.second)};
    if (pair.second < pair.first) std::swap(pair.first, pair.second); // the question is the same
    return pair;
}

/// Units in the order of their hashes, in which a cell is kept.
struct SortedUnits {
    std::vector<std::size_t> order; ///< of the n-th, its position among the units as given
    std::string text;               ///< all hashes
    explicit SortedUnits(std::span<const Unit* const> units) : order(units.size()) {
        std::vector<std::string> hashes;
        for (const Unit* unit : units) hashes.push_back(store::hash_text(*unit));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order,
                                 [&](std::size_t one, std::size_t other) { return hashes[one] < hashes[other]; });
        for (const std::size_t at : order) text += hashes[at];
    }
};

} // namespace

struct Store::Impl {
    Database database;
    std::mutex mutex;
    Statement insert_unit, select, insert, select_joint, insert_joint, select_cell, insert_cell, select_first,
        insert_first;

    Impl(const std::string& file, Database::Open how)
        : database(file, how), insert_unit(database.inserting("units")), select(database.selecting("answers")),
          insert(database.inserting("answers")), select_joint(database.selecting("joint")),
          insert_joint(database.inserting("joint")), select_cell(database.selecting("cells")),
          insert_cell(database.inserting("cells")), select_first(database.selecting("first_cells")),
          insert_first(database.inserting("first_cells")) {}

    /// @return whether there is a row of that key. @throws Error if it is not what was written for the key
    template <class... Key>
    bool look_up(Statement& row, const Key&... key) const {
        row.reset();
        int at = 0;
        (row.bind(++at, key), ...);
        if (!row.step()) return false;
        if (row.number(0) == 0)
            database.fail(
                "is damaged: an answer is not what was written for these units and limits; remove it to begin "
                "anew");
        return true;
    }
    void keep_unit(const Unit& unit) { insert_unit.bind(1, store::hash_text(unit)).bind(2, to_string(unit)).run(); }
};

Store::Store(const std::string& file, bool must_exist) {
    try {
        impl_ = std::make_unique<Impl>(file, must_exist ? Database::Open::existing : Database::Open::make);
    } catch (const Error& error) {
        if (!must_exist || std::string_view(error.what()).find("does not exist") == std::string_view::npos) throw;
        throw Error(std::string(error.what()) + ", so there is nothing to resume; without --resume it is made");
    }
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Store Store::reading(const std::string& file) { return Store(std::make_unique<Impl>(file, Database::Open::resting)); }

std::optional<FirstPart> Store::find_first(const std::string& request, const InputLimits& limits, std::size_t part) {
    Impl& s = *impl_;
    const std::lock_guard lock(s.mutex);
    Statement& row = s.select_first;
    if (!s.look_up(row, request, store::limits_text(limits), static_cast<std::int64_t>(part))) return std::nullopt;
    FirstPart first{row.text(3), static_cast<std::uint64_t>(row.number(1)), row.number(2) != 0};
    row.reset();
    return first;
}

void Store::keep_first(const std::string& request, const InputLimits& limits, std::size_t part,
                       const FirstPart& first) {
    Impl& s = *impl_;
    if (is_only_read()) return;
    const std::lock_guard lock(s.mutex);
    s.insert_first.bind(1, request).bind(2, store::limits_text(limits)).bind(3, static_cast<std::int64_t>(part));
    s.insert_first.bind(4, static_cast<std::int64_t>(first.made)).bind(5, std::int64_t{first.complete ? 1 : 0});
    s.insert_first.bind(6, first.content);
    s.database.together([&] { s.insert_first.run(); });
}

void Store::fail(const std::string& what) const { impl_->database.fail(what); }

std::optional<Answer> Store::find(const Question& question) {
    Impl& s = *impl_;
    const auto [first, second] = pair_text(question);
    Answer answer;
    std::string verdict, witness, ground;
    {
        const std::lock_guard lock(s.mutex);
        if (!s.look_up(s.select, first, second, store::limits_text(question.limits))) return std::nullopt;
        verdict = s.select.text(1);
        answer.same_tree = s.select.number(2) != 0;
        answer.by = s.select.text(3);
        answer.seconds = s.select.real(4);
        witness = s.select.text(5), ground = s.select.text(6);
        s.select.reset();
    }
    const auto wrong = [&, first = first, second = second](const std::string& why) {
        s.database.fail(
            sentence("has a wrong answer for the trees ", first, " and ", second, ": ", why, "; remove the store"));
    };
    if (verdict == name(Verdict::equivalent)) {
        answer.verdict = Verdict::equivalent;
        const auto known = ground.empty() ? (answer.same_tree ? by_terms : by_a_solver) : ground_from(ground);
        if (!known) wrong("the ground " + excerpt(ground));
        answer.ground = *known;
        const auto [vectors, refuted] =
            challenge(claim_of(question.first, {1, [&](std::size_t) { return question.second; }}, question.limits));
        if (refuted) wrong("they differ on " + to_json(shape_of(question.first), refuted->vector));
        answer.challenged = vectors;
        return answer;
    }
    if (verdict != name(Verdict::different)) wrong("the verdict " + excerpt(verdict));
    answer.verdict = Verdict::different;
    std::vector<Vector> vectors;
    try {
        vectors = store::vectors_from(question.first, witness);
    } catch (const Error& error) {
        wrong(error.what());
    }
    if (vectors.size() != 1) wrong("there is no vector");
    Vector& vector = vectors.front();
    const Replay r = replay(Pair(question), vector.inputs());
    if (!r.models_agree || !r.different) wrong("its witness does not tell them apart");
    vector.d = {r.d1, r.d2};
    vector.d_is_list = true;
    answer.witnesses.push_back(std::move(vector));
    return answer;
}

void Store::keep(const Question& question, const Answer& answer) {
    Impl& s = *impl_;
    if (answer.verdict == Verdict::unknown || is_only_read()) return;
    const std::lock_guard lock(s.mutex);
    const auto [first, second] = pair_text(question);
    const auto witnesses = std::span(answer.witnesses).first(std::min<std::size_t>(answer.witnesses.size(), 1));
    s.insert.bind(1, first).bind(2, second).bind(3, store::limits_text(question.limits));
    s.insert.bind(4, name(answer.verdict)).bind(5, std::int64_t{answer.same_tree ? 1 : 0}).bind(6, answer.by);
    s.insert.bind(7, answer.seconds).bind(8, store::vectors_text(question.first, witnesses));
    s.insert.bind(9, text_of(answer.ground));
    s.database.together([&] {
        s.keep_unit(question.first);
        s.keep_unit(question.second);
        s.insert.run();
    });
}

std::optional<JointAnswer> Store::find(const JointQuestion& question, double seconds) {
    Impl& s = *impl_;
    const std::lock_guard lock(s.mutex);
    Statement& row = s.select_joint;
    if (!s.look_up(row, units_text(question), store::limits_text(question.limits),
                   static_cast<std::int64_t>(question.count)))
        return std::nullopt;
    const std::string outcome = row.text(1), vectors = row.text(3);
    const double spent = row.real(2);
    row.reset();
    JointAnswer answer;
    for (const Outcome known : {Outcome::sat, Outcome::unsat, Outcome::unknown})
        if (outcome == name(known)) answer.outcome = known;
    if (answer.outcome == Outcome::unknown && spent < seconds) return std::nullopt; // there is more time now
    if (answer.outcome != Outcome::sat) return answer;
    try {
        answer.vectors = store::vectors_from(question.units.front(), vectors);
        if (answer.vectors.empty()) throw Error("there is no vector");
    } catch (const Error& error) {
        s.database.fail(std::string("has a wrong answer about several units: ") + error.what() + "; remove the store");
    }
    return answer;
}

void Store::keep(const JointQuestion& question, const JointAnswer& answer, double seconds) {
    Impl& s = *impl_;
    if (is_only_read()) return;
    const std::lock_guard lock(s.mutex);
    s.insert_joint.bind(1, units_text(question)).bind(2, store::limits_text(question.limits));
    s.insert_joint.bind(3, static_cast<std::int64_t>(question.count)).bind(4, name(answer.outcome)).bind(5, seconds);
    s.insert_joint.bind(6, store::vectors_text(question.units.front(), answer.vectors));
    s.database.together([&] {
        for (const Unit& unit : question.units) s.keep_unit(unit);
        s.insert_joint.run();
    });
}

std::optional<CellAnswer> Store::find(std::span<const Unit* const> units, const InputLimits& limits,
                                      std::uint64_t challenging) {
    Impl& s = *impl_;
    const SortedUnits sorted(units);
    CellAnswer answer;
    std::string classes, vectors, by, grounds;
    {
        const std::lock_guard lock(s.mutex);
        Statement& row = s.select_cell;
        if (!s.look_up(row, sorted.text, store::limits_text(limits))) return std::nullopt;
        classes = row.text(1), vectors = row.text(2), by = row.text(3), grounds = row.text(5);
        answer.terms = static_cast<std::size_t>(row.number(4));
        row.reset();
    }
    try {
        answer.classes = store::lists_from(classes, units.size());
        answer.vectors = store::vectors_from(*units.front(), vectors);
        std::istringstream lines(by);
        for (std::string one; std::getline(lines, one);) answer.by.insert(one);
        answer.grounds = store::grounds_of(answer, grounds);
        for (auto& one : answer.classes) {
            for (std::size_t& position : one) position = sorted.order[position];
            std::ranges::sort(one);
        }
        store::require_rows(units, limits, answer);
        answer.challenged = store::challenged(units, limits, answer.classes, challenging);
    } catch (const Error& error) {
        s.database.fail(sentence("has a wrong answer about ", counted(units.size(), "unit"), ", of which the first is ",
                                 to_string(*units.front()), ": ", error.what(), "; remove the store"));
    }
    return answer;
}

void Store::keep(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer) {
    Impl& s = *impl_;
    if (is_only_read()) return;
    const SortedUnits sorted(units);
    std::vector<std::size_t> place(units.size()); // of each unit in the order of hashes
    for (std::size_t n = 0; n < sorted.order.size(); ++n) place[sorted.order[n]] = n;
    auto classes = answer.classes;
    for (auto& one : classes) {
        for (std::size_t& position : one) position = place[position];
        std::ranges::sort(one);
    }
    std::string by;
    for (const std::string& one : answer.by) by += (by.empty() ? "" : "\n") + one;
    const std::lock_guard lock(s.mutex);
    s.insert_cell.bind(1, sorted.text).bind(2, store::limits_text(limits)).bind(3, store::lists_text(classes));
    s.insert_cell.bind(4, store::vectors_text(*units.front(), answer.vectors)).bind(5, by);
    s.insert_cell.bind(6, static_cast<std::int64_t>(answer.terms)).bind(7, store::grounds_text(answer.grounds));
    s.database.together([&] {
        for (const Unit* unit : units) s.keep_unit(*unit);
        s.insert_cell.run();
    });
}

std::uint64_t Store::size() {
    Impl& s = *impl_;
    const std::lock_guard lock(s.mutex);
    return static_cast<std::uint64_t>(
        s.database.number("SELECT (SELECT count(*) FROM answers) + (SELECT count(*) FROM cells)"));
}

bool Store::is_only_read() const { return impl_->database.is_only_read(); }

bool Store::available() { return Database::available(); }

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

} // namespace discern
