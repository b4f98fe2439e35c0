// Stores of answers: several as one, and whether one is in order.
#include "analysis/store/merge.hpp"
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/options/options.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

namespace discern::cli {

namespace {

/// The work is ended before its end.
struct Over {
    std::string reason;
};

constexpr const char* beside[] = {"-journal", "-wal", "-shm"}; ///< of SQLite's, of a store that is in use

struct StoreWanted {
    std::string action;
    std::vector<std::string> files;
    const Interrupt* interrupt = nullptr;
    std::size_t vectors = 1000;
    double timeout = std::numeric_limits<double>::infinity();
    bool json = false;
};

Json as_json(const StoreCounts& counts) {
    return {{"units", counts.units}, {"answers", counts.answers}, {"joint", counts.joint}, {"cells", counts.cells}};
}

std::string as_text(const StoreCounts& counts) {
    return fmt::format("{}, {}, {}, {}", counted(counts.units, "unit"), counted(counts.answers, "answer"),
                       counted(counts.cells, "cell"), counted(counts.joint, "joint answer"));
}

/// What is being done; it ends when the work is to stop.
std::function<void(const std::string&)> shown(Progress& progress, const Interrupt& interrupt) {
    return [&progress, &interrupt](const std::string& what) {
        if (interrupt.stopped()) throw Over{interrupt.reason()};
        if (progress.is_wanted()) progress.show(what);
    };
}

/// Without files that SQLite keeps beside a store that is named, too, as patterns of shells name them.
std::vector<std::string> stores_among(const std::vector<std::string>& files) {
    std::vector<std::string> stores;
    const std::set<std::string> named(files.begin(), files.end());
    for (const std::string& file : files) {
        const auto belongs = [&](std::string_view suffix) {
            return file.ends_with(suffix) && named.contains(file.substr(0, file.size() - suffix.size()));
        };
        if (!std::any_of(std::begin(beside), std::end(beside), belongs)) stores.push_back(file);
    }
    return stores;
}

int merge(StoreWanted wanted, const Streams& io) {
    wanted.files = stores_among(wanted.files);
    if (wanted.files.size() < 2)
        throw Error("store merge: a file to merge into, and one store or more, are right: discern store merge OUT IN");
    for (const std::string& file : wanted.files) note_input(file, io);
    // A store that was not there is not left behind if nothing was merged into it.
    const std::string& out = wanted.files.front();
    struct Removing {
        std::string file;
        ~Removing() {
            std::error_code failed;
            if (file.empty()) return;
            std::filesystem::remove(file, failed);
            for (const char* suffix : beside) std::filesystem::remove(file + suffix, failed);
        }
    } removing{is_there(out) ? "" : out};
    Progress progress(io);
    const MergeReport report =
        merge_stores(wanted.files.front(), std::span(wanted.files).subspan(1), shown(progress, *wanted.interrupt));
    if (report.contradictions.empty()) removing.file.clear();
    progress.clear();
    if (wanted.json) {
        print_line(io.out, {{"merged", report.contradictions.empty()},
                            {"before", as_json(report.before)},
                            {"after", as_json(report.after)},
                            {"contradictions", report.contradictions}});
    } else if (report.contradictions.empty()) {
        io.out << fmt::format("{}: {} (before: {})\n", wanted.files.front(), as_text(report.after),
                              as_text(report.before));
    } else {
        for (const std::string& one : report.contradictions) io.out << "contradiction: " << one << '\n';
        io.out << "nothing was merged\n";
    }
    return report.contradictions.empty() ? status::done : status::different;
}

int look_into(const StoreWanted& wanted, const Streams& io) {
    if (wanted.files.size() != 1) throw Error("store check: one store is right: discern store check FILE");
    note_input(wanted.files.front(), io);
    Progress progress(io);
    const StoreCheck check = check_store(wanted.files.front(), wanted.vectors, shown(progress, *wanted.interrupt));
    progress.clear();
    if (wanted.json) {
        print_line(io.out, {{"in_order", check.wrong.empty()},
                            {"counts", as_json(check.counts)},
                            {"same", check.same},
                            {"different", check.different},
                            {"replayed", check.replayed},
                            {"tried", check.tried},
                            {"without_units", check.without_units},
                            {"wrong", check.wrong}});
    } else {
        for (const std::string& one : check.wrong) io.out << "wrong: " << one << '\n';
        io.out << fmt::format("{}; {} replayed, {} of equal units tried on {}\n", as_text(check.counts),
                              counted(check.replayed, "vector"), counted(check.tried, "pair"),
                              counted(wanted.vectors, "random vector"));
        if (check.without_units > 0)
            io.out << fmt::format("{} of an earlier version, whose units are not written down, could not be tried\n",
                                  counted(check.without_units, "answer"));
    }
    return check.wrong.empty() ? status::done : status::different;
}

int run_store(const Command& self, Arguments arguments, const Streams& io) {
    StoreWanted wanted;
    CommandLine line(self);
    line.add_option("ACTION", wanted.action, "merge OUT IN…: one store of several; check FILE: is it in order?");
    line.offer("ACTION", {"merge", "check"});
    line.add_option("FILE", wanted.files, "stores that 'suite --store' made");
    line.add_shared("-n", wanted.vectors, "check: for each two units that are said to be the same");
    line.add_shared("--timeout", wanted.timeout);
    line.add_shared("--json", wanted.json, "instead of text");
    if (const auto ended = line.read(arguments, io)) return *ended;
    Interrupt interrupt(io, wanted.timeout);
    wanted.interrupt = &interrupt;
    try {
        if (wanted.action == "merge") return merge(wanted, io);
        if (wanted.action == "check") return look_into(wanted, io);
    } catch (const Over& over) {
        io.err << "discern: " << over.reason << "; nothing is said of the stores, and nothing was merged\n";
        return status::unknown;
    }
    throw Error("store: " + excerpt(wanted.action) + " is neither merge nor check");
}

} // namespace

extern constinit const Command store_command{
    .name = "store",
    .usage = "ACTION FILE…",
    .summary = "stores of answers: several as one, and whether one is in order",
    .example = "  discern store merge answers answers.1 answers.2 answers.3\n"
               "      what several machines found; again after more was found, as often as wanted\n"
               "  discern store check answers\n"
               "      witnesses are replayed, equal units tried on random vectors",
    .run = of_a_machine<run_store>,
    .docs = {.group = "Questions", .page = "suites", .schemas = {"store"}}};

} // namespace discern::cli
