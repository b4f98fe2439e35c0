// Small sets of vectors that distinguish all units of a family, up to equivalence.
#include "cli/base/interrupt.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/products.hpp"
#include "cli/options/input_limits.hpp"
#include "cli/question/certify.hpp"
#include "cli/question/common.hpp"
#include "cli/rtl/design_members.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/space.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"
#include "shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace discern::cli {

namespace {

struct Wanted {
    std::vector<std::string> units, designs, spaces;
    DesignOptions design;
    bool all = false, questions = false, around = false, json = false, resume = false, cells = false;
    std::string out, html, folder, store, certificate, shard, from, scheduler, d;
    std::optional<CommonForm> common{}; ///< of units of different shapes
    std::size_t shards = 100;
    LimitWords limits;
};

/// Units of different shapes on inputs of all of them.
Members in_common(Wanted& wanted, Members units) {
    std::vector<std::pair<std::string, Unit>> sides;
    for (std::size_t i = 0; i < units.size(); ++i) sides.emplace_back(units.text(i), units.unit(i));
    if (sides.size() < 2) return units;
    CommonUnits common = common_units(sides, conversion_of(wanted.d));
    if (common.form.assumed.empty()) return units;
    Members all;
    for (std::size_t i = 0; i < sides.size(); ++i) all.add({sides[i].first, std::move(common.units[i])});
    wanted.common = std::move(common.form);
    return all;
}

/// The units as lines of the notation that compute the suite's vectors.
Json read_as(const Suite& suite) {
    Json list = Json::array();
    for (std::size_t unit = 0; unit < suite.units.size(); ++unit) list.push_back(to_string(suite.units.unit(unit)));
    return list;
}

/// Each unit gives, on its own operands, the results that the suite has of its class.
void require_own_results(const CommonForm& form, const Suite& suite) {
    for (const Vector& vector : suite.vectors)
        for (std::size_t unit = 0; unit < suite.units.size(); ++unit)
            require_own_result(form, unit, vector, vector.d.at(suite.class_of[unit]));
}

Asked wanted_units(Wanted& wanted, unsigned threads) {
    Members units;
    const auto compare = [first = std::make_shared<std::optional<Member>>()](const Member& member) {
        if (!*first) *first = member;
        const std::string why = incomparable((*first)->unit, member.unit);
        if (!why.empty()) throw Error("suite: " + (*first)->text + " and " + member.text + ": " + why);
    };
    decide_products(each_word(wanted.units));
    if (wanted.all) {
        for (const CatalogueEntry& entry : catalogue()) units.add({entry.name, entry.unit});
        return units;
    }
    for (const std::string& unit : wanted.units)
        if (wanted.around)
            for (Member& member : members_around(unit)) units.add(std::move(member));
        else
            units.add({unit, resolve_unit(unit)});
    if (wanted.spaces.empty() && wanted.designs.empty() && !wanted.around)
        units = in_common(wanted, units);
    else if (!wanted.d.empty())
        throw Error("suite: --d is of units alone, without spaces, designs and --around");
    Asked asked(std::move(units));
    for (const std::string& space : wanted.spaces)
        for (Space& one : read_spaces(space)) asked.spaces.push_back(std::move(one));
    asked.threads = threads;
    asked.look = compare;
    asked.look_at_all = [&wanted](std::size_t count) {
        if (count + wanted.designs.size() >= 2) return;
        throw Error(sentence("suite: there is one unit only; two or more are right",
                             wanted.units.size() == 1
                                 ? sentence(", or discern suite ", quoted_word(wanted.units.front()),
                                            " --around, which has those next to it")
                                 : std::string()));
    };
    // What is wrong is said before a store is made; one that is there may know the members.
    if (wanted.from.empty() && (wanted.store.empty() || !is_there(wanted.store))) asked.members();
    return asked;
}

/// Sets apart what is written as a space: a unit with a choice of values.
void take_spaces(Wanted& wanted) {
    const auto first = std::stable_partition(wanted.units.begin(), wanted.units.end(), [](const std::string& word) {
        return !has_choices(word) || is_design(word);
    });
    wanted.spaces.insert(wanted.spaces.end(), first, wanted.units.end());
    wanted.units.erase(first, wanted.units.end());
}

/// Sets apart what is written as a design.
void take_designs(Wanted& wanted) {
    const auto first = std::stable_partition(wanted.units.begin(), wanted.units.end(),
                                             [](const std::string& word) { return !is_design(word); });
    wanted.designs.assign(first, wanted.units.end());
    wanted.units.erase(first, wanted.units.end());
    if (wanted.designs.empty() && wanted.design.any())
        throw Error("suite: --top, --map and the like are of designs, rtl:FILE.sv, and there is none");
    if (!wanted.designs.empty() && !wanted.certificate.empty())
        throw Error("suite: --certificate: there are certificates of units, and not of designs");
    if (!wanted.designs.empty() && wanted.units.empty())
        throw Error("suite: designs are compared with units: discern suite UNIT rtl:FILE.sv");
}

void print_summary(std::ostream& out, const std::vector<Suite>& suites, bool has_store) {
    std::size_t units = 0, classes = 0, trees = 0, terms = 0, open = 0, questions = 0, stored = 0, proofs = 0;
    double seconds = 0;
    for (const Suite& suite : suites) {
        units += suite.units.size();
        classes += suite.classes.size();
        trees += suite.trees;
        terms += suite.terms;
        open += suite.open_pairs();
        questions += suite.questions;
        stored += suite.stored;
        proofs += suite.proofs;
        seconds += suite.seconds;
    }
    out << fmt::format("{}, {}, {} when folded, {}{}; {}", counted(units, "unit"), counted(trees, "tree"), terms,
                       sentence(classes, classes == 1 ? " class" : " classes"), open == 0 ? ", all settled" : "",
                       open == 0 ? "" : counted(open, "pair") + " of classes open; ");
    out << counted(questions, "question");
    if (questions > 0) out << fmt::format(", {} proved equivalent", proofs);
    if (has_store) out << fmt::format(", {} answered by the store", stored);
    out << fmt::format("; {:.1f} s\n", seconds);
}

/// What the vectors are worth as tests of the first unit.
void print_around(std::ostream& out, const Suite& suite) {
    std::size_t same = 0, open = 0;
    for (std::size_t unit = 1; unit < suite.units.size(); ++unit) {
        const Relation relation = suite.relation(0, unit);
        same += relation == Relation::same_tree || relation == Relation::proved ? 1 : 0;
        open += relation == Relation::unknown ? 1 : 0;
    }
    const std::size_t others = suite.units.size() - 1;
    out << fmt::format(
        "of {} with one other parameter, {} give other results on these vectors, {} the same results for "
        "all inputs{}\n",
        counted(others, "unit"), others - same - open, same,
        open == 0 ? "" : fmt::format(", and of {} it is open", open));
}

/// @param interrupted  files stay as they were
void print(const std::vector<Suite>& suites, const Wanted& wanted, const std::string& command, std::uint64_t seed,
           bool interrupted, const Streams& io) {
    const std::vector<std::string> assumed = wanted.common ? wanted.common->assumed : std::vector<std::string>();
    if (!wanted.html.empty()) {
        OutputFile page(wanted.html, io);
        print_page(page.stream(), suites, command, assumed);
        finish_unless(interrupted, page, wanted.html, io);
    }
    if (!wanted.folder.empty() && !interrupted) {
        const std::size_t files = wanted.questions ? write_questions(wanted.folder, suites, seed, io)
                                                   : write_folder(wanted.folder, suites, seed, io);
        io.err << fmt::format("discern: {} written to {}\n", counted(files, "file"), wanted.folder);
    }
    if (!wanted.out.empty()) {
        OutputFile file(wanted.out, io);
        write_vectors(file.stream(), suites.front(), command, seed, assumed);
        finish_unless(interrupted, file, wanted.out, io);
        if (wanted.out == "-") return;
    }
    if (wanted.json) {
        if (wanted.all || wanted.questions)
            io.out << R"({"suites":)" << to_lines(list_of(suites, [](const Suite& suite) { return json_of(suite); }))
                   << "}\n";
        else {
            Json object = json_of(suites.front());
            put_assumed(object, assumed);
            if (wanted.common) object["read_as"] = read_as(suites.front());
            print_line(io.out, object);
        }
        return;
    }
    for (const Suite& suite : suites) print_suite(io.out, suite);
    if (wanted.around) print_around(io.out, suites.front());
    print_assumed(io.out, assumed);
    print_summary(io.out, suites, !wanted.store.empty());
}

SameUnits same_units(const std::vector<Suite>& suites) {
    SameUnits same;
    for (const Suite& suite : suites)
        for (const auto& units : suite.classes) {
            auto& one = same.classes.emplace_back();
            for (const std::size_t index : units) one.push_back(suite.units.unit(index));
        }
    return same;
}

/// The command line without the options that divide the work, and with the limit of time that each shard has.
std::string command_of_shards(Arguments arguments, double timeout) {
    std::vector<std::string> words;
    bool has_timeout = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string name = arguments[i].substr(0, arguments[i].find('='));
        has_timeout = has_timeout || name == "--timeout";
        if (name != "--as" && name != "--shards" && name != "--store" && name != "--threads")
            words.push_back(arguments[i]);
        else if (name == arguments[i])
            ++i; // its value
    }
    if (!has_timeout) words.insert(words.end(), {"--timeout", fmt::format("{}", timeout)});
    return quoted_command("suite", words);
}

void require_useful(const Wanted& wanted) {
    if (wanted.resume && wanted.store.empty()) throw Error("suite: --resume needs --store FILE, which has the answers");
    const auto given = [](bool is_given) { return is_given ? 1 : 0; };
    if (given(wanted.all) + given(wanted.questions) + given(!wanted.units.empty() || !wanted.spaces.empty()) != 1)
        throw Error("suite: two units or more, or --space SPACE, or UNIT --around, or --all, or --questions is right");
    if (wanted.around && (wanted.units.size() != 1 || !wanted.spaces.empty()))
        throw Error("suite: --around is of one UNIT");
    if ((wanted.all || wanted.questions) && !wanted.out.empty())
        throw Error("suite: -o writes one file; with --all or --questions, which make many, --write FOLDER is right");
    if (!wanted.from.empty() && wanted.shard.empty())
        throw Error("suite: --from names a store with cells for a shard; --shard I/N beside it is right");
    if (wanted.cells && !(wanted.shard + wanted.scheduler).empty())
        throw Error("suite: --cells finds the cells of all shards; it is right before them, without --shard and --as");
    if (wanted.shard.empty() && wanted.scheduler.empty() && !wanted.cells) return;
    const std::string option = wanted.cells ? "--cells" : wanted.shard.empty() ? "--as" : "--shard";
    if (!wanted.shard.empty() && !wanted.scheduler.empty())
        throw Error("suite: --as writes a script that gives each shard its --shard; one of the two is right");
    if (wanted.store.empty()) throw Error("suite: " + option + " needs --store FILE, which keeps what was settled");
    if (wanted.questions) throw Error("suite: " + option + " is not for --questions, which takes seconds");
    if (!wanted.designs.empty()) throw Error("suite: " + option + " is for units; a design is asked about by itself");
    if (!(wanted.out + wanted.html + wanted.folder + wanted.certificate).empty())
        throw Error("suite: " + option +
                    " settles a part; -o, --html, --write and --certificate are right when the "
                    "stores are merged");
}

int run_suite(const Command& self, Arguments arguments, const Streams& io) {
    Wanted wanted;
    SuiteOptions options;
    CommandLine line(self);
    line.add_option("UNIT", wanted.units,
                    "two units or more; or units and designs, rtl:FILE.sv, "
                    "with parameters of a design as rtl:FILE.sv{NAME=VALUE}");
    line.add_shared("--space", wanted.spaces).one_each_time();
    line.add_flag("--around", wanted.around,
                  "of one UNIT: and all units that differ from it in one parameter, which has a value next to its own");
    line.add_flag("--all", wanted.all, "the whole catalogue, one suite for each formats, scale blocks and K");
    line.add_flag("--questions", wanted.questions,
                  "the readings of each point that is open about the catalogue's units");
    line.add_option("--store", wanted.store, "a file that keeps answers, so that no question is asked twice");
    line.add_flag("--resume", wanted.resume, "go on with a store that must be there, and say how much is in it");
    line.add_option("--shard", wanted.shard, "settle the I-th of N parts, and keep it in the store").type_name("I/N");
    line.add_flag("--cells", wanted.cells, "only find the cells of a space, and keep them in the store");
    line.add_option("--from", wanted.from, "of a shard: a store that has the cells, so that they are not found again");
    line.add_option("--as", wanted.scheduler, "print a script that settles all shards").one_of(schedulers());
    line.add_whole("--shards", wanted.shards, "of the script", {.least = 1, .most = 1'000'000});
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    line.add_shared("--threads", options.threads, "the classes are the same");
    line.add_shared("--timeout", options.timeout, "what is then unknown stays open");
    line.add_seconds("--question", options.solving.timeout, "for each question that goes to a solver");
    line.add_shared("--seed", options.solving.seed);
    line.add_shared("--solver", options.solving.solver, "as of prove");
    add_input_limits(line, wanted.limits);
    add_result_format(line, wanted.d);
    add_design_options(line, wanted.design);
    line.add_shared("-o", wanted.out, "the vectors, with the results of all classes ('-': instead of tables)");
    line.add_shared("--html", wanted.html, "with the classes, the matrix and the vectors");
    line.add_option("--write", wanted.folder, "write all files of vectors, their matrices and a table of them there");
    add_certificate_option(line, wanted.certificate);
    line.add_shared("--json", wanted.json, "instead of tables");
    if (const auto ended = line.read(arguments, io)) return *ended;
    take_designs(wanted);
    take_spaces(wanted);
    require_useful(wanted);
    const Asked asked = wanted.questions ? Members{} : wanted_units(wanted, options.threads);
    for (const std::string& space : wanted.spaces) note_space(space, io);
    if (!wanted.scheduler.empty()) {
        asked.members();
        io.out << shard_script(command_of_shards(arguments, options.timeout), wanted.store, wanted.shards,
                               wanted.scheduler);
        return status::done;
    }
    std::optional<Shard> shard;
    if (!wanted.shard.empty()) shard = parse_shard(wanted.shard);
    if (!wanted.store.empty()) note_input(wanted.store, io);
    options.solving.limits = limits_of_question(wanted.limits);
    const bool has_solver = options.solving.solver != "portfolio" && options.solving.solver != "random";
    if (has_solver) require_backend(options.solving.solver);
    std::optional<Store> store, from;
    if (!wanted.from.empty()) {
        note_input(wanted.from, io);
        from.emplace(Store::reading(wanted.from));
        options.cells_from = &*from;
    }
    if (!wanted.store.empty()) {
        store.emplace(wanted.store, wanted.resume);
        options.store = &*store;
        if (store->is_only_read())
            io.err << "discern: the store may not be written: what is in it is used, and what is found is not kept\n";
        if (wanted.resume) io.err << fmt::format("discern: the store has {}\n", counted(store->size(), "answer"));
    }
    const auto deadline = deadline_in(options.timeout);
    Interrupt interrupt(io, options.timeout);
    options.solving.stop = interrupt.token();
    Progress progress(io);
    if (progress.is_wanted()) options.progress = [&progress](const std::string& what) { progress.show(what); };
    options.over = [&interrupt] { interrupt.work_is_done(); };
    if (shard || wanted.cells) {
        const ShardReport report = work_on(shard, asked, options);
        interrupt.work_is_done();
        progress.clear();
        print_shard(io.out, shard, report, wanted.json);
        return report.settled() ? status::done : status::unknown;
    }
    std::vector<Suite> suites = wanted.questions ? question_suites(options) : make_suites(asked, options);
    if (!wanted.designs.empty())
        add_designs(suites.front(), wanted.designs, wanted.design, options, {deadline, interrupt.token()});
    if (wanted.common) require_own_results(*wanted.common, suites.front());
    interrupt.work_is_done();
    progress.clear();
    const bool settled = std::all_of(suites.begin(), suites.end(), [](const Suite& s) { return s.settled(); });
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";
    print(suites, wanted, quoted_command("suite", arguments), options.solving.seed, interrupt.requested(), io);
    const bool certified =
        wanted.certificate.empty() || certify_classes(wanted.certificate, same_units(suites), options.solving.limits,
                                                      options.solving.seed, deadline, interrupt.token(), io);
    return settled && certified && !interrupt.requested() ? status::done : status::unknown;
}

} // namespace

extern constinit const Command suite_command{
    .name = "suite",
    .usage = "UNIT UNIT…",
    .summary = "a small set of vectors that tells all of the units apart",
    .example =
        "  discern suite ampere/mma.m16n8k16.f32.f16.f16.f32 hopper/wgmma.m64n8k16.f32.f16.f16 -o suite.jsonl\n"
        "      a file of vectors, with the result of each, that tells the two apart\n"
        "  discern suite --space 'hopper/wgmma.m64n8k16.f32.bf16.bf16{F={23..26},floor={none|-133|-132}}' --store "
        "answers\n"
        "      the classes of a space; what was answered is kept, and a run that was ended goes on with --resume\n"
        "  discern suite ampere/mma.m16n8k16.f32.f16.f16.f32 --around -o around.jsonl\n"
        "      vectors that tell a unit from every unit with one other parameter: tests for hardware or a simulator\n"
        "  discern suite --all --html suites.html\n"
        "      the whole catalogue, as a page",
    .run = run_suite,
    .units_and_files = true,
    .docs = {.group = "Questions", .page = "suites", .schemas = {"suite"}, .in_python = true}};

} // namespace discern::cli
