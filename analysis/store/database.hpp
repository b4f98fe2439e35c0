// A file of answers as an SQLite database (www.sqlite.org): what is opened, what is asked, and sentences for what
// fails.
//
// Every row has a checksum of all that is in it, so that a bit which changed on a disk or on a wire is noticed before
// anything rests on it: SQLite has none. It is computed over the values that are asked for, and not over those found in
// the row, since an index may lead to the wrong one.
//
// The write-ahead log of SQLite is shared memory of one machine. So several runs of one machine may share a file, and
// runs of several machines may not: each has its own, and they are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace discern::store {

class Database;

/// A prepared statement. Parameters and columns count from 1 and from 0, as SQLite's do.
class Statement {
  public:
    Statement& bind(int at, std::string_view text);
    Statement& bind(int at, std::int64_t number);
    Statement& bind(int at, double number);
    /// All columns of another's row.
    Statement& bind(const Statement& row);
    /// The next row; false after the last. @throws Error
    bool step();
    /// Runs a statement that gives no row, and resets it.
    void run();
    /// Ready for the next; parameters have to be bound again.
    void reset();
    std::string text(int column) const;
    std::int64_t number(int column) const;
    double real(int column) const;

  private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(const Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
    const Database* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
  public:
    enum class Open : std::uint8_t {
        make,     ///< if there is none
        existing, ///< which must be there
        reading,  ///< which must be there, and not a byte of it changes
        resting,  ///< the same of one that no run writes, so that several machines may read it at once
        source,   ///< the same, to take over what is in it; it may be of an earlier version
    };

    /// Makes the tables of a new file. A file that may not be written, or whose folder may not, is opened for reading.
    /// A source of an earlier version is read as if it had those of today, and only what can be computed again: vectors
    /// that tell units apart.
    /// @throws Error if the file is something else, damaged, of another version, or cannot be opened; or if this build
    ///         has no SQLite
    Database(const std::string& file, Open how);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    Statement prepare(std::string_view sql) const;
    /// A row of a table, whose columns are bound in their order; of one that is there already, what merging makes.
    Statement inserting(std::string_view table) const;
    /// The row of a key, whose columns are bound in their order: whether it is the one that was written for this key,
    /// as a number, then the columns behind the key.
    Statement selecting(std::string_view table) const;
    /// The number that a statement gives.
    std::int64_t number(std::string_view sql) const;
    void run(const std::string& sql, std::string_view doing) const;
    /// All that `work` writes as one transaction, or nothing of it if it throws. It may read, too.
    template <class Work>
    void together(const Work& work) const {
        run("BEGIN IMMEDIATE", "written");
        try {
            work();
            run("COMMIT", "written");
        } catch (...) {
            roll_back();
            throw;
        }
    }
    /// From now on what is read is of one moment, also while other runs write.
    void stand_still() const { run("BEGIN", "read"); }
    const std::string& file() const { return file_; }
    bool is_only_read() const { return is_only_read_; }
    /// Copies the rows that are not there from the tables of a source, in a transaction of the caller's.
    void add_rows_of(const Database& source) const;
    /// Puts what is in the write-ahead log into the file, so that it is whole without the files beside it, unless
    /// another run has it open, which does that when it ends.
    void make_whole() const;
    /// How many rows of a table have another checksum than their own.
    std::int64_t damaged_rows(std::string_view table) const;
    /// @throws Error if any has
    void require_intact() const;
    [[noreturn]] void fail(const std::string& what) const;

    /// Whether this build has SQLite.
    static bool available();

  private:
    friend class Statement;
    struct Close {
        void operator()(sqlite3* database) const;
    };
    void require(int code, std::string_view doing) const;
    void open(Open how);
    /// Ends a transaction in which something failed, if SQLite has not done so itself, as where a disk is full.
    void roll_back() const noexcept;
    void run_patiently(const std::string& sql, std::string_view doing) const;
    void make_tables() const;
    bool is_of_today() const { return version_ == today; }

    static constexpr int today = 4; ///< of the tables, of the notation whose hashes are its keys, and of the answers
    std::string file_;
    int version_ = today;
    bool is_only_read_ = false;
    std::unique_ptr<sqlite3, Close> database_;
};

} // namespace discern::store
