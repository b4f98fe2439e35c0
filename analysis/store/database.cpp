// The only file that includes SQLite's header. In a build without SQLite every database is an Error.
#include "database.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#ifdef DISCERN_HAVE_SQLITE

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sqlite3.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace discern::store {

namespace {

constexpr int application = 0x64736372; // "dscr", in the header of the file
constexpr int first_version = 1;        // which had neither units nor cells; those before the fourth no checksums
constexpr int patience = 60'000;        // milliseconds that another run may keep the file to itself

struct Table {
    std::string_view name, key, rest; ///< the columns of the key, and all others
    std::string_view types, options;  ///< of all columns; and what follows them
    /// Of a source of an earlier version what can be computed again, as today's columns; empty: nothing.
    std::string_view of_earlier, where;
    int since;
    std::string_view where_both_have = "NOTHING"; ///< what is done with a row that another store has, too

    std::string columns() const { return sentence(key, ", ", rest); }
};

constexpr Table tables[] = {
    {"units", "hash", "line", "hash TEXT NOT NULL, line TEXT NOT NULL", " WITHOUT ROWID", "hash, line", "1", 2},
    {"answers", "first, second, limits", "verdict, same_tree, answered_by, seconds, witness, ground",
     "first TEXT NOT NULL, second TEXT NOT NULL, limits TEXT NOT NULL, verdict TEXT NOT NULL, same_tree INTEGER NOT "
     "NULL, answered_by TEXT NOT NULL, seconds REAL NOT NULL, witness TEXT NOT NULL, ground TEXT NOT NULL",
     " WITHOUT ROWID", "first, second, limits, verdict, same_tree, answered_by, seconds, witness, ''",
     "verdict = 'different'", 1},
    {"joint", "units, limits, count", "outcome, seconds, vectors",
     "units TEXT NOT NULL, limits TEXT NOT NULL, count INTEGER NOT NULL, outcome TEXT NOT NULL, seconds REAL NOT NULL, "
     "vectors TEXT NOT NULL",
     " WITHOUT ROWID", "", "", 1,
     // What is known replaces what is not, and more time that was not enough less.
     "UPDATE SET outcome=excluded.outcome, seconds=excluded.seconds, vectors=excluded.vectors, "
     "checksum=excluded.checksum WHERE joint.outcome = 'unknown' AND (excluded.outcome <> 'unknown' OR "
     "excluded.seconds > joint.seconds)"},
    {"cells", "units, limits", "classes, vectors, answered_by, terms, grounds",
     "units TEXT NOT NULL, limits TEXT NOT NULL, classes TEXT NOT NULL, vectors TEXT NOT NULL, answered_by TEXT NOT "
     "NULL, terms INTEGER NOT NULL, grounds TEXT NOT NULL",
     "", "units, limits, classes, vectors, answered_by, terms, ''", "instr(classes, ' ') = 0", 2}, // of one unit each
    {"first_cells", "request, limits, part", "made, complete, content",
     "request TEXT NOT NULL, limits TEXT NOT NULL, part INTEGER NOT NULL, made INTEGER NOT NULL, complete INTEGER NOT "
     "NULL, content TEXT NOT NULL",
     "", "", "", 4, // which stores of version 4 may lack
     // The more vectors were run, the better.
     "UPDATE SET made=excluded.made, complete=excluded.complete, content=excluded.content, checksum=excluded.checksum "
     "WHERE (excluded.complete, excluded.made) > (first_cells.complete, first_cells.made)"},
};

const Table& table_of(std::string_view name) {
    for (const Table& table : tables)
        if (table.name == name) return table;
    throw std::logic_error("a store has no such table");
}

/// "?1, ?2, ?3", one of each column.
std::string parameters(std::string_view columns) {
    std::string values = "?1";
    for (int last = 1; const char c : columns)
        if (c == ',') values += sentence(", ?", ++last);
    return values;
}

/// Of values, their types and lengths: FNV-1a. A change of one byte changes it for certain.
class Checksum {
  public:
    void add(std::string_view bytes) {
        for (const char c : bytes) sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }
    void add(sqlite3_value* value) {
        const int type = sqlite3_value_type(value);
        char number[sizeof(std::int64_t)] = {};
        std::string_view bytes(number, sizeof number);
        if (type == SQLITE_INTEGER) {
            const std::int64_t x = sqlite3_value_int64(value);
            std::memcpy(number, &x, sizeof x);
        } else if (type == SQLITE_FLOAT) {
            const double x = sqlite3_value_double(value);
            std::memcpy(number, &x, sizeof x);
        } else if (const void* const text = sqlite3_value_blob(value); text != nullptr) {
            bytes = {static_cast<const char*>(text), static_cast<std::size_t>(sqlite3_value_bytes(value))};
        }
        add(std::to_string(type) + " " + std::to_string(bytes.size()) + " ");
        add(bytes);
    }
    std::int64_t value() const { return static_cast<std::int64_t>(sum_); }

  private:
    std::uint64_t sum_ = 0xcbf29ce484222325ull;
};

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
    Checksum sum;
    for (int i = 0; i < count; ++i) sum.add(values[i]);
    sqlite3_result_int64(context, sum.value());
}

/// The rows of a table of an earlier version in the form of today; nothing that cannot be computed again.
std::string rows(const Table& table, int version) {
    if (version < table.since || table.of_earlier.empty()) {
        std::string nothing = "SELECT NULL";
        for (const char c : table.columns()) nothing += c == ',' ? ", NULL" : "";
        return nothing + ", NULL WHERE 0";
    }
    return sentence("SELECT ", table.of_earlier, ", row_check('", table.name, "', ", table.of_earlier, ") FROM main.",
                    table.name, " WHERE ", table.where);
}

/// The file and its folder, in which SQLite keeps two files beside it.
bool may_be_written(const std::string& file) {
    const auto folder = std::filesystem::path(file).parent_path().string();
    return access(file.c_str(), W_OK) == 0 && access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

/// The name as SQLite's URI of a file that nothing changes, which it then reads without locks and without files beside
/// it (www.sqlite.org/uri.html).
std::string as_unchanging(const std::string& file) {
    std::string uri = "file:";
    for (const char c : file)
        if (c == '%' || c == '?' || c == '#')
            uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
        else
            uri += c;
    return uri + "?immutable=1";
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Statement& Statement::bind(int at, std::string_view text) {
    database_->require(
        sqlite3_bind_text(statement_.get(), at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT), "read");
    return *this;
}

Statement& Statement::bind(int at, std::int64_t number) {
    database_->require(sqlite3_bind_int64(statement_.get(), at, number), "read");
    return *this;
}

Statement& Statement::bind(int at, double number) {
    database_->require(sqlite3_bind_double(statement_.get(), at, number), "read");
    return *this;
}

Statement& Statement::bind(const Statement& row) {
    for (int i = 0; i < sqlite3_column_count(row.statement_.get()); ++i)
        database_->require(sqlite3_bind_value(statement_.get(), i + 1, sqlite3_column_value(row.statement_.get(), i)),
                           "written");
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    database_->require(code, "read");
    return code == SQLITE_ROW;
}

void Statement::run() {
    const int code = sqlite3_step(statement_.get());
    reset();
    database_->require(code, "written");
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
    const auto* text = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text), size);
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

Database::Database(const std::string& file, Open how) : file_(file) {
    if (file.empty()) throw Error("the name of the store is empty");
    open(how);
    run("BEGIN", "read"); // what is read next is of one moment, also while another run makes the tables
    const auto found = number("PRAGMA application_id");
    const bool is_empty = number("SELECT count(*) FROM sqlite_master") == 0;
    const auto has = number("PRAGMA user_version");
    if (found != application && !(found == 0 && is_empty))
        fail("is another program's database; a file that discern made, or a new name, is right");
    if (!is_empty && (has < first_version || has > today))
        fail(sentence("is of version ", has, ", and this program reads version ", today, ", and takes over from ",
                      first_version, " to ", today - 1));
    version_ = is_empty ? today : static_cast<int>(has);
    if (!is_of_today() && how != Open::source)
        fail(sentence(
            "is of version ", has,
            ", in which a changed bit is not noticed; 'discern store merge NEW FILE' takes over what its vectors "
            "show, and the rest is asked again"));
    run("COMMIT", "read");
    require(sqlite3_create_function(database_.get(), "row_check", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                    checksum, nullptr, nullptr),
            "opened");
    const auto lacks = [&](const Table& table) {
        return number(sentence("SELECT count(*) FROM sqlite_master WHERE name='", table.name, "'")) == 0;
    };
    bool is_whole = true;
    for (const Table& table : tables) {
        const bool is_there = !lacks(table);
        is_whole = is_whole && is_there;
        if (is_of_today() && (is_there || !is_only_read_)) continue;
        run(sentence("CREATE TEMP VIEW ", table.name, "(", table.columns(), ", checksum) AS ",
                     rows(table, is_of_today() ? 0 : version_)),
            "read"); // which is found before the file's own
    }
    if (is_only_read_) {
        if (is_empty) fail("has no answers, and may not be written; a store that discern made is right");
        run("PRAGMA query_only=1", "read");
        return;
    }
    run_patiently("PRAGMA journal_mode=WAL", "opened");
    run("PRAGMA synchronous=NORMAL", "opened"); // a killed process loses nothing; a power failure may lose the last
    if (!is_whole) make_tables();
}

/// What is only read and may be written is opened for both, since SQLite then takes away at the end what it put beside
/// it. A log of a run that was killed stays as it is, and is read.
void Database::open(Open how) {
    std::error_code ignored;
    const bool exists = std::filesystem::exists(file_, ignored), writes = !exists || may_be_written(file_);
    if (how != Open::make && !exists) fail("does not exist");
    const bool has_log = std::filesystem::exists(file_ + "-wal", ignored);
    is_only_read_ = !writes || how == Open::reading || how == Open::resting || how == Open::source;
    const bool is_unchanging = !has_log && (!writes || how == Open::resting);
    const int flags = writes && !is_unchanging ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(is_unchanging ? as_unchanging(file_).c_str() : file_.c_str(), &database,
                                       flags | (how == Open::make && writes ? SQLITE_OPEN_CREATE : 0) |
                                           (is_unchanging ? SQLITE_OPEN_URI : 0),
                                       nullptr);
    database_.reset(database);
    if (opened != SQLITE_OK) fail("cannot be opened: " + std::string(sqlite3_errstr(opened)));
    require(sqlite3_busy_timeout(database, patience), "opened");
    if (is_only_read_ && has_log) sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (!writes && has_log && sqlite3_exec(database, "PRAGMA schema_version", nullptr, nullptr, nullptr) != SQLITE_OK)
        fail(sentence("was left by a run that was killed, and what it wrote last is in ", excerpt(file_ + "-wal", 200),
                      "; a copy of both in a folder that may be written is right"));
}

void Database::make_tables() const {
    run("BEGIN IMMEDIATE", "written");
    for (const Table& table : tables)
        run(sentence("CREATE TABLE IF NOT EXISTS ", table.name, " (", table.types,
                     ", checksum INTEGER NOT NULL, PRIMARY KEY (", table.key, "))", table.options),
            "written");
    run(sentence("PRAGMA application_id=", application, "; PRAGMA user_version=", today, "; COMMIT"), "written");
}

void Database::roll_back() const noexcept { sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr); }

void Database::add_rows_of(const Database& source) const {
    for (const Table& table : tables) {
        Statement from = source.prepare(sentence("SELECT ", table.columns(), ", checksum FROM ", table.name));
        Statement into = prepare(sentence("INSERT INTO ", table.name, " VALUES (", parameters(table.columns()),
                                          ", ?) ON CONFLICT DO ", table.where_both_have));
        while (from.step()) into.bind(from).run();
    }
}

void Database::make_whole() const {
    const int code = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (code == SQLITE_OK || code == SQLITE_BUSY) return;
    fail(sentence("has all of it, but in ", excerpt(file_ + "-wal", 200), " beside it, since it cannot be written: ",
                  sqlite3_errmsg(database_.get()), "; the same command again, once it can, makes the file whole"));
}

std::int64_t Database::damaged_rows(std::string_view name) const {
    return number(sentence("SELECT count(*) FROM ", name, " WHERE checksum IS NOT row_check('", name, "', ",
                           table_of(name).columns(), ")"));
}

void Database::require_intact() const {
    if (is_of_today())
        for (const Table& table : tables)
            if (const std::int64_t damaged = damaged_rows(table.name); damaged != 0)
                fail(sentence("is damaged: ", damaged, " of its rows about ", table.name,
                              " are not what was written; remove it to begin anew"));
}

void Database::require(int code, std::string_view doing) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    const int now = sqlite3_errcode(database_.get()) & 0xff;
    if (now == SQLITE_NOTADB) fail("is another kind of file; a file that discern made, or a new name, is right");
    if (now == SQLITE_CORRUPT) fail("is damaged; remove it to begin anew");
    if (now == SQLITE_BUSY) fail("is kept busy by another program");
    fail(sentence("cannot be ", doing, ": ", sqlite3_errmsg(database_.get())));
}

void Database::run(const std::string& sql, std::string_view doing) const {
    require(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr), doing);
}

/// For what SQLite refuses at once, without the wait of its own, while another run begins with the same file.
void Database::run_patiently(const std::string& sql, std::string_view doing) const {
    constexpr int pause = 5; // milliseconds
    for (int waited = 0; waited < patience; waited += pause) {
        if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_BUSY) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    }
    run(sql, doing);
}

Statement Database::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    require(sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr), "read");
    return {*this, statement};
}

Statement Database::inserting(std::string_view name) const {
    const Table& table = table_of(name);
    const std::string values = parameters(table.columns()); // each stands twice
    return prepare(sentence("INSERT INTO ", name, " VALUES (", values, ", row_check('", name, "', ", values,
                            ")) ON CONFLICT DO ", table.where_both_have));
}

Statement Database::selecting(std::string_view name) const {
    const Table& table = table_of(name);
    const std::string key = parameters(table.key);
    return prepare(sentence("SELECT checksum IS row_check('", name, "', ", key, ", ", table.rest, "), ", table.rest,
                            " FROM ", name, " WHERE (", table.key, ") = (", key, ")"));
}

std::int64_t Database::number(std::string_view sql) const {
    Statement statement = prepare(sql);
    statement.step();
    return statement.number(0);
}

bool Database::available() { return true; }

} // namespace discern::store

#else

struct sqlite3 {};
struct sqlite3_stmt {};

namespace discern::store {

namespace {

[[noreturn]] void nothing() { throw Error("this build has no SQLite (libsqlite3-dev), and so no store"); }

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* /*statement*/) const {}
void Database::Close::operator()(sqlite3* /*database*/) const {}
Statement& Statement::bind(int, std::string_view) { nothing(); }
Statement& Statement::bind(int, std::int64_t) { nothing(); }
Statement& Statement::bind(int, double) { nothing(); }
Statement& Statement::bind(const Statement&) { nothing(); }
bool Statement::step() { nothing(); }
void Statement::run() { nothing(); }
void Statement::reset() { nothing(); }
std::string Statement::text(int) const { nothing(); }
std::int64_t Statement::number(int) const { nothing(); }
double Statement::real(int) const { nothing(); }
Database::Database(const std::string& file, Open /*how*/) : file_(file) { nothing(); }
Statement Database::prepare(std::string_view) const { nothing(); }
Statement Database::inserting(std::string_view) const { nothing(); }
Statement Database::selecting(std::string_view) const { nothing(); }
void Database::run(const std::string&, std::string_view) const { nothing(); }
void Database::roll_back() const noexcept {}
void Database::add_rows_of(const Database&) const { nothing(); }
void Database::make_whole() const { nothing(); }
std::int64_t Database::damaged_rows(std::string_view) const { nothing(); }
void Database::require_intact() const { nothing(); }
std::int64_t Database::number(std::string_view) const { nothing(); }
bool Database::available() { return false; }

} // namespace discern::store

#endif

namespace discern::store {

void Database::fail(const std::string& what) const { throw Error("the store " + excerpt(file_, 200) + " " + what); }

} // namespace discern::store
