// Merging is one transaction: rows of all stores are copied while the relations between units are collected, and all of
// it is taken back if they contradict each other, or if anything fails.
#include "merge.hpp"

#include "cell_rows.hpp"
#include "consistency.hpp"
#include "database.hpp"
#include "text.hpp"

#include "solver/question/replay.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <optional>
#include <unordered_map>

namespace discern {

namespace {

using store::Database;
using store::Statement;

constexpr std::size_t most_sentences = 20;

std::size_t count(const Database& database, const std::string& table) {
    return static_cast<std::size_t>(database.number("SELECT count(*) FROM " + table));
}

StoreCounts counts_of(const Database& database) {
    return {count(database, "units"), count(database, "answers"), count(database, "joint"), count(database, "cells")};
}

/// The hashes that a cell's units are written as.
std::vector<std::string> hashes_of(const std::string& units) {
    constexpr std::size_t digits = 16;
    std::vector<std::string> hashes;
    for (std::size_t begin = 0; begin + digits <= units.size(); begin += digits)
        hashes.push_back(units.substr(begin, digits));
    if (units.empty() || units.size() % digits != 0) throw Error("the units " + excerpt(units) + " are damaged");
    return hashes;
}

/// Lines of units, by their hashes.
class Lines {
  public:
    explicit Lines(const Database& database) : database_(database), select_(database.selecting("units")) {}
    std::string line(const std::string& hash) {
        select_.reset();
        select_.bind(1, hash);
        if (!select_.step()) return "";
        if (select_.number(0) == 0)
            database_.fail("is damaged: the line of the unit " + hash + " is not what was written");
        return select_.text(1);
    }
    /// The unit, if its line is there. @throws Error if the line is of another one
    std::optional<Unit> unit(const std::string& hash) {
        const std::string text = line(hash);
        if (text.empty()) return std::nullopt;
        const Unit unit = parse_unit(text);
        if (store::hash_text(unit) != hash)
            throw Error("the unit " + excerpt(text) + " has the hash " + store::hash_text(unit) + ", not " + hash);
        return unit;
    }
    std::string shown(const std::string& hash) {
        const std::string text = line(hash);
        return text.empty() ? hash : text;
    }

  private:
    const Database& database_;
    Statement select_;
};

bool is_any(const std::string& line) { return !line.empty() && parse_unit(line).nan.kind == NanRule::Kind::any; }

/// Collects the statements of a store about pairs. A unit with nan=any may equal two that differ, and is left out.
void gather(const Database& database, std::size_t where, store::Relations& relations) {
    Lines lines(database);
    std::unordered_map<std::string, bool> any;
    const auto has_any = [&](const std::string& hash) {
        const auto [at, is_new] = any.try_emplace(hash, false);
        if (is_new) at->second = is_any(lines.line(hash));
        return at->second;
    };
    Statement answers = database.prepare("SELECT first, second, limits, verdict FROM answers");
    while (answers.step()) {
        const std::string first = answers.text(0), second = answers.text(1), limits = answers.text(2);
        if (has_any(first) != has_any(second)) continue;
        if (answers.text(3) == name(Verdict::equivalent))
            relations.same(limits, first, second);
        else
            relations.apart(limits, std::vector{first, second}, where);
    }
    Statement cells = database.prepare("SELECT units, limits, classes FROM cells");
    while (cells.step()) {
        const std::vector<std::string> hashes = hashes_of(cells.text(0));
        const auto classes = store::lists_from(cells.text(2), hashes.size());
        std::vector<std::string> firsts;
        for (const auto& same : classes) {
            firsts.push_back(hashes[same.front()]);
            for (const std::size_t unit : same) relations.same(cells.text(1), firsts.back(), hashes[unit]);
        }
        relations.apart(cells.text(1), firsts, where);
    }
}

std::vector<std::string> sentences(store::Relations& relations, std::span<const std::string> files) {
    std::vector<std::string> said;
    for (const auto& one : relations.contradictions()) {
        if (said.size() == most_sentences) break;
        const Database database(files[one.where], Database::Open::source);
        Lines lines(database);
        said.push_back(sentence(excerpt(files[one.where], 200),
                                " says that they differ, and answers together that they "
                                "are the same",
                                one.limits.empty() ? "" : " (inputs:" + one.limits + ")", ": ", lines.shown(one.one),
                                "  and  ", lines.shown(one.other)));
    }
    return said;
}

/// Hashes that stand for different units in the two stores: a merge could not distinguish them.
std::optional<std::string> collision(const Database& into, const Database& from) {
    Statement ours = into.prepare("SELECT line FROM units WHERE hash=?1");
    Statement theirs = from.prepare("SELECT hash, line FROM units");
    while (theirs.step()) {
        ours.reset();
        ours.bind(1, theirs.text(0));
        if (ours.step() && ours.text(0) != theirs.text(1) &&
            canonical_text(parse_unit(ours.text(0))) != canonical_text(parse_unit(theirs.text(1))))
            return sentence("the hash ", theirs.text(0), " stands for ", ours.text(0), "  and for  ", theirs.text(1));
    }
    return std::nullopt;
}

/// Ends the transaction of a merge in which nothing went wrong but what the stores say.
struct Contradicted {};

// ---- looking

class Checker {
  public:
    Checker(const Database& database, std::size_t vectors, StoreCheck& out)
        : database_(database), lines_(database), vectors_(vectors), out_(out) {}

    void answers() {
        Statement rows = database_.prepare("SELECT first, second, limits, verdict, witness FROM answers");
        while (rows.step()) {
            const std::string first = rows.text(0), second = rows.text(1);
            guarded(first, second, [&] { answer(first, second, rows.text(2), rows.text(3), rows.text(4)); });
        }
    }

    void cells() {
        Statement rows = database_.prepare("SELECT units, limits, classes, vectors FROM cells");
        while (rows.step())
            guarded("a cell", rows.text(0).substr(0, 16), [&] {
                const std::vector<std::string> hashes = hashes_of(rows.text(0));
                std::vector<Unit> units;
                for (const std::string& hash : hashes) {
                    auto unit = lines_.unit(hash);
                    if (!unit) throw Error("there is no line for the unit " + hash);
                    units.push_back(std::move(*unit));
                }
                std::vector<const Unit*> pointers;
                for (const Unit& unit : units) pointers.push_back(&unit);
                CellAnswer answer;
                answer.classes = store::lists_from(rows.text(2), units.size());
                answer.vectors = store::vectors_from(units.front(), rows.text(3));
                const InputLimits limits = store::limits_from(rows.text(1));
                store::require_rows(pointers, limits, answer);
                out_.replayed += answer.vectors.size();
                for (const auto& same : answer.classes)
                    for (const std::size_t unit : same)
                        if (unit != same.front()) try_vectors({units[same.front()], units[unit], limits});
            });
    }

  private:
    template <class Work>
    void guarded(const std::string& first, const std::string& second, const Work& work) {
        try {
            work();
        } catch (const Error& error) {
            if (out_.wrong.size() < most_sentences)
                out_.wrong.push_back(
                    sentence(lines_.shown(first), "  and  ", lines_.shown(second), ": ", error.what()));
        }
    }

    void answer(const std::string& first, const std::string& second, const std::string& limits,
                const std::string& verdict, const std::string& witness) {
        const bool same = verdict == name(Verdict::equivalent);
        if (!same && verdict != name(Verdict::different)) throw Error("the verdict " + excerpt(verdict) + " is none");
        ++(same ? out_.same : out_.different);
        const auto one = lines_.unit(first), other = lines_.unit(second);
        if (!one || !other) {
            ++out_.without_units;
            return;
        }
        const Question question{*one, *other, store::limits_from(limits)};
        require_comparable(question.first, question.second);
        if (same) return try_vectors(question);
        const auto vectors = store::vectors_from(question.first, witness);
        if (vectors.size() != 1) throw Error("there is no witness");
        const Replay r = replay(Pair(question), vectors.front().inputs());
        if (!r.models_agree || !r.different) throw Error("its witness does not tell them apart");
        ++out_.replayed;
    }

    void try_vectors(const Question& question) {
        if (vectors_ == 0) return;
        store::try_vectors(question, vectors_);
        ++out_.tried;
    }

    const Database& database_;
    Lines lines_;
    std::size_t vectors_;
    StoreCheck& out_;
};

} // namespace

MergeReport merge_stores(const std::string& into, std::span<const std::string> from,
                         const std::function<void(const std::string&)>& progress) {
    std::vector<std::string> files{into};
    files.insert(files.end(), from.begin(), from.end());
    MergeReport report;
    const Database out(into, Database::Open::make);
    if (out.is_only_read()) out.fail("cannot be written, and neither can what is merged into it");
    try {
        out.together([&] {
            store::Relations relations;
            out.require_intact();
            report.before = counts_of(out);
            gather(out, 0, relations);
            for (std::size_t i = 1; i < files.size(); ++i) {
                if (progress) progress(sentence("merging ", i, " of ", from.size()));
                const Database in(files[i], Database::Open::source);
                in.stand_still();
                in.require_intact();
                if (const auto both = collision(out, in)) report.contradictions.push_back(files[i] + ": " + *both);
                gather(in, i, relations);
                out.add_rows_of(in);
            }
            for (std::string& one : sentences(relations, files)) report.contradictions.push_back(std::move(one));
            if (!report.contradictions.empty()) throw Contradicted{};
            report.after = counts_of(out);
        });
    } catch (const Contradicted&) {
        report.after = report.before;
        return report;
    }
    out.make_whole();
    return report;
}

StoreCheck check_store(const std::string& file, std::size_t vectors,
                       const std::function<void(const std::string&)>& progress) {
    const Database database(file, Database::Open::reading);
    database.stand_still();
    StoreCheck check;
    check.counts = counts_of(database);
    Statement integrity = database.prepare("PRAGMA integrity_check");
    while (integrity.step())
        if (integrity.text(0) != "ok") check.wrong.push_back("SQLite says: " + integrity.text(0));
    for (const char* table : {"units", "answers", "joint", "cells", "first_cells"})
        if (const auto damaged = database.damaged_rows(table); damaged != 0)
            check.wrong.push_back(sentence(damaged, " of the rows about ", table, " are not what was written"));
    if (!check.wrong.empty()) return check;
    if (progress) progress("contradictions");
    store::Relations relations;
    gather(database, 0, relations);
    check.wrong = sentences(relations, std::span(&file, 1));
    Checker checker(database, vectors, check);
    if (progress) progress("answers");
    checker.answers();
    if (progress) progress("cells");
    checker.cells();
    return check;
}

} // namespace discern
