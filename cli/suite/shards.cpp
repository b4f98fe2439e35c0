// The scripts are one template a scheduler: run every shard, merge the stores, write the suite.
#include "shards.hpp"

#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace discern::cli {

namespace {

std::string before(const std::string& work, const std::string& store) {
    return fmt::format("# Before, so that not every shard has to find the cells:\n"
                       "#   {} --store {} --cells\n",
                       work, quoted_word(store));
}

std::string afterwards(const std::string& work, const std::string& store) {
    return fmt::format("# When all have ended:\n"
                       "#   discern store merge {0} {0}.*[0-9]\n"
                       "#   {1} --store {0}\n",
                       quoted_word(store), work);
}

/// The cells are taken from the store that is to be merged into, if it is there.
std::string from(const std::string& store) {
    return fmt::format("set --\n[ ! -e {0} ] || set -- --from {0}\n", quoted_word(store));
}

std::string slurm(const std::string& work, const std::string& store, std::size_t shards) {
    return fmt::format("#!/bin/sh\n"
                       "#SBATCH --job-name=discern\n"
                       "#SBATCH --array=1-{}\n"
                       "#SBATCH --cpus-per-task=2\n"
                       "#SBATCH --requeue\n",
                       shards) +
           before(work, store) +
           fmt::format(
               "# Each task settles its part and keeps it in a store of its own. One that was killed goes on with\n"
               "# what is in it: submit the script again, with --array=NUMBERS of those that failed. What is open\n"
               "# after --timeout seconds ends a task with status 3, and is gone on with in the same way.\n"
               "{3}{1} --shard \"$SLURM_ARRAY_TASK_ID/{0}\" --store {2}.\"$SLURM_ARRAY_TASK_ID\" \\\n"
               "    --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" \"$@\"\n",
               shards, work, quoted_word(store), from(store)) +
           afterwards(work, store);
}

std::string parallel(const std::string& work, const std::string& store, std::size_t shards) {
    const std::string one = fmt::format("{} --shard {{}}/{} --store {}.{{}} --threads 1 --from {}", work, shards,
                                        quoted_word(store), quoted_word(store));
    return fmt::format(
               "#!/bin/sh\n"
               "# GNU parallel starts as many at once as there are cores; what was killed is done again by the same\n"
               "# command, and goes on with what is in its store; so is what was open after --timeout seconds.\n"
               "{} --store {} --cells\n"
               "seq {} | parallel --joblog {} --resume-failed {}\n",
               work, quoted_word(store), shards, quoted_word(store + ".joblog"), quoted_word(one)) +
           afterwards(work, store);
}

struct Scheduler {
    const char* name;
    std::string (*script)(const std::string& work, const std::string& store, std::size_t shards);
};

constexpr auto schedulers_table = std::to_array<Scheduler>({{"slurm", slurm}, {"parallel", parallel}});

} // namespace

void print_shard(std::ostream& out, const std::optional<Shard>& shard, const ShardReport& report, bool json) {
    if (!shard) {
        if (json)
            print_line(out, {{"units", report.units},
                             {"cells", report.cells},
                             {"found", report.found},
                             {"interrupted", report.interrupted},
                             {"seconds", report.seconds}});
        else
            out << fmt::format("{} of {}{}; {:.1f} s\n", counted(report.cells, "cell"), counted(report.units, "unit"),
                               report.interrupted ? " so far"
                               : report.found     ? ", known before"
                                                  : "",
                               report.seconds);
        return;
    }
    const std::string name = fmt::format("{}/{}", shard->index, shard->count);
    if (json) {
        print_line(out, {{"shard", name},
                         {"units", report.units},
                         {"cells", report.cells},
                         {"mine", report.mine},
                         {"trees", report.trees},
                         {"classes", report.classes},
                         {"known", report.known},
                         {"questions", report.questions},
                         {"open", report.open},
                         {"interrupted", report.interrupted},
                         {"found", report.found},
                         {"cells_seconds", number(report.cells_seconds, "{:.3f}")},
                         {"seconds", report.seconds}});
        return;
    }
    out << fmt::format("shard {}: {} of {} of {}, {} in {}{}; {} known, {}; {:.1f} s\n", name, report.mine,
                       counted(report.cells, "cell"), counted(report.units, "unit"), counted(report.trees, "tree"),
                       sentence(report.classes, report.classes == 1 ? " class" : " classes"),
                       report.settled() ? ", all settled" : ", " + counted(report.open, "pair") + " of classes open",
                       counted(report.known, "cell"), counted(report.questions, "question"), report.seconds);
}

std::vector<std::string> schedulers() {
    std::vector<std::string> names;
    for (const Scheduler& one : schedulers_table) names.emplace_back(one.name);
    return names;
}

std::string shard_script(const std::string& work, const std::string& store, std::size_t shards,
                         const std::string& scheduler) {
    const auto* const found = std::find_if(schedulers_table.begin(), schedulers_table.end(),
                                           [&](const Scheduler& one) { return one.name == scheduler; });
    if (found == schedulers_table.end()) throw Error("there is no scheduler " + excerpt(scheduler));
    return found->script(work, store, shards);
}

} // namespace discern::cli
