// The only file that includes SQLite's header. In a build without SQLite every database is an Error.
#include "database.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#ifdef DISCERN_HAVE_SQLITE

#include <chrono>
#include <filesystem>
#include <sqlite3.h>
#include <thread>

namespace discern::store {

namespace {

constexpr int application = 0x64736372; // "dscr", in the header of the file
constexpr int version = 3;              // of the tables, and of the notation whose hashes are its keys
constexpr int first_version = 1;        // which had neither units nor cells; the second one had no grounds
constexpr int patience = 60'000;        // milliseconds that another run may keep the file to itself

constexpr const char* tables =
    "CREATE TABLE IF NOT EXISTS units (hash TEXT PRIMARY KEY, line TEXT NOT NULL) WITHOUT ROWID; "
    "CREATE TABLE IF NOT EXISTS answers (first TEXT NOT NULL, second TEXT NOT NULL, limits TEXT NOT NULL, "
    "verdict TEXT NOT NULL, same_tree INTEGER NOT NULL, answered_by TEXT NOT NULL, seconds REAL NOT NULL, "
    "witness TEXT NOT NULL, ground TEXT NOT NULL DEFAULT '', PRIMARY KEY (first, second, limits)) WITHOUT ROWID; "
    "CREATE TABLE IF NOT EXISTS joint (units TEXT NOT NULL, limits TEXT NOT NULL, count INTEGER NOT NULL, "
    "outcome TEXT NOT NULL, seconds REAL NOT NULL, vectors TEXT NOT NULL, "
    "PRIMARY KEY (units, limits, count)) WITHOUT ROWID; "
    "CREATE TABLE IF NOT EXISTS cells (units TEXT NOT NULL, limits TEXT NOT NULL, classes TEXT NOT NULL, "
    "vectors TEXT NOT NULL, answered_by TEXT NOT NULL, terms INTEGER NOT NULL, grounds TEXT NOT NULL DEFAULT '', "
    "PRIMARY KEY (units, limits))";

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
    std::error_code ignored;
    if (how != Open::make && !std::filesystem::exists(file, ignored)) fail("does not exist");
    sqlite3* database = nullptr;
    const int opened = sqlite3_open_v2(file.c_str(), &database,
                                       SQLITE_OPEN_READWRITE | (how == Open::make ? SQLITE_OPEN_CREATE : 0), nullptr);
    database_.reset(database);
    if (opened != SQLITE_OK) fail("cannot be opened: " + std::string(sqlite3_errstr(opened)));
    require(sqlite3_busy_timeout(database, patience), "opened");
    run("BEGIN", "read"); // what is read next is of one moment, also while another run makes the tables
    const auto found = pragma("PRAGMA application_id");
    const bool is_empty = pragma("SELECT count(*) FROM sqlite_master") == 0;
    const auto has = pragma("PRAGMA user_version");
    if (found != application && !(found == 0 && is_empty))
        fail("is another program's database; a file that discern made, or a new name, is right");
    if (!is_empty && (has < first_version || has > version))
        fail(sentence("is of version ", has, ", and this program reads versions ", first_version, " to ", version));
    run("COMMIT", "read");
    run_patiently("PRAGMA journal_mode=WAL", "opened");
    run("PRAGMA synchronous=NORMAL", "opened"); // a killed process loses nothing; a power failure may lose the last
    if (is_empty || has < version) make_tables();
}

/// Tables that are not there, and columns that earlier versions had not: the last ones, so that rows have the same
/// columns.
void Database::make_tables() const {
    run("BEGIN IMMEDIATE", "written");
    const auto has = pragma("PRAGMA user_version"); // another run may have come first
    if (has == 1 || has == 2) run("ALTER TABLE answers ADD COLUMN ground TEXT NOT NULL DEFAULT ''", "written");
    if (has == 2) run("ALTER TABLE cells ADD COLUMN grounds TEXT NOT NULL DEFAULT ''", "written");
    run(std::string(tables) + "; PRAGMA application_id=" + std::to_string(application) +
            "; PRAGMA user_version=" + std::to_string(version) + "; COMMIT",
        "written");
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

std::int64_t Database::pragma(std::string_view sql) const {
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
bool Statement::step() { nothing(); }
void Statement::run() { nothing(); }
void Statement::reset() { nothing(); }
std::string Statement::text(int) const { nothing(); }
std::int64_t Statement::number(int) const { nothing(); }
double Statement::real(int) const { nothing(); }
Database::Database(const std::string& file, Open /*how*/) : file_(file) { nothing(); }
Statement Database::prepare(std::string_view) const { nothing(); }
void Database::run(const std::string&, std::string_view) const { nothing(); }
bool Database::available() { return false; }

} // namespace discern::store

#endif

namespace discern::store {

void Database::fail(const std::string& what) const { throw Error("the store " + excerpt(file_, 200) + " " + what); }

} // namespace discern::store
