// See store.hpp. The one file that includes SQLite's header; without it every function but `available` is an Error.
#include "store.hpp"

#include "models/error.hpp"

#ifdef DISCERN_HAVE_SQLITE

#include "solver/witness/replay.hpp"

#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

#include <bit>
#include <chrono>
#include <filesystem>
#include <sqlite3.h>

#include <sstream>
#include <stdexcept>
#include <thread>

namespace discern {

namespace {

constexpr int application = 0x64736372; // "dscr", in the header of the file
constexpr int version = 1;              // of the table, and of the notation whose hashes are its key
constexpr int patience = 60'000;        // milliseconds that another run may keep the file to itself

constexpr const char* tables = "CREATE TABLE IF NOT EXISTS answers (first TEXT NOT NULL, second TEXT NOT NULL, "
                               "limits TEXT NOT NULL, verdict TEXT NOT NULL, same_tree INTEGER NOT NULL, "
                               "answered_by TEXT NOT NULL, seconds REAL NOT NULL, witness TEXT NOT NULL, "
                               "PRIMARY KEY (first, second, limits)) WITHOUT ROWID; "
                               "CREATE TABLE IF NOT EXISTS joint (units TEXT NOT NULL, limits TEXT NOT NULL, "
                               "count INTEGER NOT NULL, outcome TEXT NOT NULL, seconds REAL NOT NULL, "
                               "vectors TEXT NOT NULL, PRIMARY KEY (units, limits, count)) WITHOUT ROWID";

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

std::string limits_text(const InputLimits& limits) {
    static constexpr std::string_view names[] = {"a", "b", "sa", "sb", "c"}; // in the order of Operand
    std::string text = limits.finite ? "finite" : "";
    for (const ExponentRange& range : limits.ranges)
        text += sentence(" ", names[static_cast<std::size_t>(range.operand)], ":", range.low, "..", range.high);
    for (const NumberRange& range : limits.numbers)
        text += sentence(" ", names[static_cast<std::size_t>(range.operand)], "=",
                         to_hex(format(FormatId::f64), std::bit_cast<std::uint64_t>(range.low)), "..",
                         to_hex(format(FormatId::f64), std::bit_cast<std::uint64_t>(range.high)));
    if (limits.no_subnormals) text += " normal";
    return text;
}

std::string hash_text(const Unit& unit) {
    std::string text;
    append_hex(text, arithmetic_hash(unit), 16);
    return text;
}

/// A file with the one vector, in the form of all vector files.
std::string witness_text(const Unit& unit, Vector witness) {
    witness.d.clear();
    witness.d_is_list = false;
    return to_json(shape_of(unit), witness);
}

/// @param text  one vector a line
std::vector<Vector> vectors_from(const Unit& unit, const std::string& text) {
    Header header;
    header.shape = shape_of(unit);
    std::istringstream in(to_json(header) + "\n" + text + "\n");
    VectorReader reader(in, "the stored vectors");
    std::vector<Vector> vectors;
    for (Vector v; reader.next(v);) vectors.push_back(v);
    if (vectors.empty()) throw Error("there is no vector");
    return vectors;
}

/// All that decides a joint question but its limits and count.
std::string units_text(const JointQuestion& question) {
    std::string text;
    for (const Unit& unit : question.units) text += hash_text(unit);
    for (const auto& [one, other] : question.excused) text += sentence(" ", one, "~", other);
    return text;
}

} // namespace

struct Store::Impl {
    std::string file;
    std::unique_ptr<sqlite3, Close> database;
    std::unique_ptr<sqlite3_stmt, Close> select, insert, number, select_joint, insert_joint;

    [[noreturn]] void fail(const std::string& what) const {
        throw Error("the store " + excerpt(file, 200) + " " + what);
    }
    [[noreturn]] void fail_now(const std::string& doing) const {
        const int code = sqlite3_errcode(database.get()) & 0xff;
        if (code == SQLITE_NOTADB) fail("is another kind of file; a file that discern made, or a new name, is right");
        if (code == SQLITE_CORRUPT) fail("is damaged; remove it to begin anew");
        if (code == SQLITE_BUSY) fail("is kept busy by another program");
        fail("cannot be " + doing + ": " + sqlite3_errmsg(database.get()));
    }
    void require(int code, const std::string& doing) const {
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail_now(doing);
    }
    void run(const std::string& sql, const std::string& doing) const {
        require(sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr), doing);
    }
    /// For what SQLite refuses at once, without the wait of its own, while another run begins with the same file.
    void run_patiently(const std::string& sql, const std::string& doing) const {
        constexpr int pause = 5; // milliseconds
        for (int waited = 0; waited < patience; waited += pause) {
            if (sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_BUSY) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(pause));
        }
        run(sql, doing);
    }
    std::unique_ptr<sqlite3_stmt, Close> prepare(const char* sql) const {
        sqlite3_stmt* statement = nullptr;
        require(sqlite3_prepare_v2(database.get(), sql, -1, &statement, nullptr), "read");
        return std::unique_ptr<sqlite3_stmt, Close>(statement);
    }
    int pragma(const char* sql) const {
        const auto statement = prepare(sql);
        require(sqlite3_step(statement.get()), "read");
        return sqlite3_column_int(statement.get(), 0);
    }
    void bind(const std::unique_ptr<sqlite3_stmt, Close>& statement, int at, const std::string& text) const {
        require(sqlite3_bind_text(statement.get(), at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT),
                "read");
    }
    void bind_number(const std::unique_ptr<sqlite3_stmt, Close>& statement, int at, std::size_t n) const {
        require(sqlite3_bind_int64(statement.get(), at, static_cast<sqlite3_int64>(n)), "read");
    }
    std::string column(const std::unique_ptr<sqlite3_stmt, Close>& statement, int at) const {
        const auto* text = sqlite3_column_text(statement.get(), at);
        return text == nullptr ? "" : reinterpret_cast<const char*>(text);
    }
};

Store::Store(const std::string& file, bool must_exist) : impl_(std::make_unique<Impl>()) {
    Impl& s = *impl_;
    s.file = file;
    if (file.empty()) throw Error("the name of the store is empty");
    std::error_code ignored;
    if (must_exist && !std::filesystem::exists(file, ignored))
        s.fail("does not exist, so there is nothing to resume; without --resume it is made");
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(file.c_str(), &database,
                                       SQLITE_OPEN_READWRITE | (must_exist ? 0 : SQLITE_OPEN_CREATE), nullptr);
    s.database.reset(database);
    if (opened != SQLITE_OK) s.fail("cannot be opened: " + std::string(sqlite3_errstr(opened)));
    s.require(sqlite3_busy_timeout(database, patience), "opened");
    s.run("BEGIN", "read"); // what is read next is of one moment, also while another run makes the tables
    const int found = s.pragma("PRAGMA application_id");
    const bool is_empty = s.pragma("SELECT count(*) FROM sqlite_master") == 0;
    if (found != application && !(found == 0 && is_empty))
        s.fail("is another program's database; a file that discern made, or a new name, is right");
    if (const int has = s.pragma("PRAGMA user_version"); has != version && !is_empty)
        s.fail(sentence("is of version ", has, ", and this program reads version ", version, "; remove it"));
    s.run("COMMIT", "read");
    s.run_patiently("PRAGMA journal_mode=WAL", "opened");
    s.run("PRAGMA synchronous=NORMAL", "opened"); // a killed process loses nothing; a power failure may lose the last
    if (is_empty)
        s.run("BEGIN IMMEDIATE; " + std::string(tables) + "; PRAGMA application_id=" + std::to_string(application) +
                  "; PRAGMA user_version=" + std::to_string(version) + "; COMMIT",
              "written");
    s.select = s.prepare("SELECT verdict, same_tree, answered_by, seconds, witness FROM answers "
                         "WHERE first=?1 AND second=?2 AND limits=?3");
    s.insert = s.prepare("INSERT OR IGNORE INTO answers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    s.select_joint = s.prepare("SELECT outcome, seconds, vectors FROM joint WHERE units=?1 AND limits=?2 AND count=?3");
    s.insert_joint = s.prepare("INSERT OR REPLACE INTO joint VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    s.number = s.prepare("SELECT count(*) FROM answers");
}

std::optional<Answer> Store::find(const Question& question) {
    Impl& s = *impl_;
    std::string first = hash_text(question.first), second = hash_text(question.second);
    if (second < first) std::swap(first, second); // the question is the same
    sqlite3_reset(s.select.get());
    s.bind(s.select, 1, first);
    s.bind(s.select, 2, second);
    s.bind(s.select, 3, limits_text(question.limits));
    const int code = sqlite3_step(s.select.get());
    s.require(code, "read");
    if (code == SQLITE_DONE) return std::nullopt;
    Answer answer;
    const std::string verdict = s.column(s.select, 0);
    answer.same_tree = sqlite3_column_int(s.select.get(), 1) != 0;
    answer.by = s.column(s.select, 2);
    answer.seconds = sqlite3_column_double(s.select.get(), 3);
    const std::string witness = s.column(s.select, 4);
    sqlite3_reset(s.select.get());
    const std::string which = sentence("has a wrong answer for the trees ", first, " and ", second, ": ");
    if (verdict == name(Verdict::equivalent)) {
        answer.verdict = Verdict::equivalent;
        return answer;
    }
    if (verdict != name(Verdict::different)) s.fail(which + "the verdict " + excerpt(verdict) + "; remove the store");
    answer.verdict = Verdict::different;
    Vector vector;
    try {
        vector = vectors_from(question.first, witness).front();
    } catch (const Error& error) {
        s.fail(which + error.what() + "; remove the store");
    }
    const Replay r = replay(Pair(question), vector.inputs());
    if (!r.models_agree || !r.different) s.fail(which + "its witness does not tell them apart; remove the store");
    vector.d = {r.d1, r.d2};
    vector.d_is_list = true;
    answer.witnesses.push_back(std::move(vector));
    return answer;
}

void Store::keep(const Question& question, const Answer& answer) {
    if (answer.verdict == Verdict::unknown) return;
    Impl& s = *impl_;
    std::string first = hash_text(question.first), second = hash_text(question.second);
    if (second < first) std::swap(first, second);
    sqlite3_reset(s.insert.get());
    s.bind(s.insert, 1, first);
    s.bind(s.insert, 2, second);
    s.bind(s.insert, 3, limits_text(question.limits));
    s.bind(s.insert, 4, std::string(name(answer.verdict)));
    s.require(sqlite3_bind_int(s.insert.get(), 5, answer.same_tree ? 1 : 0), "written");
    s.bind(s.insert, 6, answer.by);
    s.require(sqlite3_bind_double(s.insert.get(), 7, answer.seconds), "written");
    s.bind(s.insert, 8, answer.witnesses.empty() ? "" : witness_text(question.first, answer.witnesses.front()));
    const int code = sqlite3_step(s.insert.get());
    sqlite3_reset(s.insert.get());
    s.require(code, "written");
}

std::optional<JointAnswer> Store::find(const JointQuestion& question, double seconds) {
    Impl& s = *impl_;
    sqlite3_reset(s.select_joint.get());
    s.bind(s.select_joint, 1, units_text(question));
    s.bind(s.select_joint, 2, limits_text(question.limits));
    s.bind_number(s.select_joint, 3, question.count);
    const int code = sqlite3_step(s.select_joint.get());
    s.require(code, "read");
    if (code == SQLITE_DONE) return std::nullopt;
    const std::string outcome = s.column(s.select_joint, 0), vectors = s.column(s.select_joint, 2);
    const double spent = sqlite3_column_double(s.select_joint.get(), 1);
    sqlite3_reset(s.select_joint.get());
    JointAnswer answer;
    for (const Outcome known : {Outcome::sat, Outcome::unsat, Outcome::unknown})
        if (outcome == name(known)) answer.outcome = known;
    if (answer.outcome == Outcome::unknown && spent < seconds) return std::nullopt; // there is more time now
    if (answer.outcome != Outcome::sat) return answer;
    try {
        answer.vectors = vectors_from(question.units.front(), vectors);
    } catch (const Error& error) {
        s.fail(std::string("has a wrong answer about several units: ") + error.what() + "; remove the store");
    }
    return answer;
}

void Store::keep(const JointQuestion& question, const JointAnswer& answer, double seconds) {
    Impl& s = *impl_;
    std::string vectors;
    for (const Vector& v : answer.vectors)
        vectors += (vectors.empty() ? "" : "\n") + witness_text(question.units.front(), v);
    sqlite3_reset(s.insert_joint.get());
    s.bind(s.insert_joint, 1, units_text(question));
    s.bind(s.insert_joint, 2, limits_text(question.limits));
    s.bind_number(s.insert_joint, 3, question.count);
    s.bind(s.insert_joint, 4, std::string(name(answer.outcome)));
    s.require(sqlite3_bind_double(s.insert_joint.get(), 5, seconds), "written");
    s.bind(s.insert_joint, 6, vectors);
    const int code = sqlite3_step(s.insert_joint.get());
    sqlite3_reset(s.insert_joint.get());
    s.require(code, "written");
}

std::uint64_t Store::size() {
    Impl& s = *impl_;
    sqlite3_reset(s.number.get());
    s.require(sqlite3_step(s.number.get()), "read");
    const auto size = static_cast<std::uint64_t>(sqlite3_column_int64(s.number.get(), 0));
    sqlite3_reset(s.number.get());
    return size;
}

bool Store::available() { return true; }

} // namespace discern

#else

namespace discern {

struct Store::Impl {};

namespace {

[[noreturn]] void fail() { throw Error("this build has no SQLite (libsqlite3-dev), and so no store"); }

} // namespace

Store::Store(const std::string&, bool) { fail(); }
std::optional<Answer> Store::find(const Question&) { fail(); }
void Store::keep(const Question&, const Answer&) { fail(); }
std::optional<JointAnswer> Store::find(const JointQuestion&, double) { fail(); }
void Store::keep(const JointQuestion&, const JointAnswer&, double) { fail(); }
std::uint64_t Store::size() { fail(); }
bool Store::available() { return false; }

} // namespace discern

#endif

namespace discern {

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

} // namespace discern
