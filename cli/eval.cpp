// `discern eval`: d for every vector of a file, a comparison with the d in the file, or one vector in full.
#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/exactness.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/products.hpp"
#include "cli/files/vector_file.hpp"
#include "cli/options/options.hpp"
#include "cli/options/status_flags.hpp"
#include "cli/options/values.hpp"
#include "cli/question/certify.hpp"
#include "cli/rtl/design_model.hpp"
#include "cli/suite/owners.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"
#include "models/hex.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

namespace discern::cli {

namespace {

struct EvalSettings {
    std::string unit, file, out, wanted_class;
    OneVector one;
    DataOptions data;
    int K = 0;
    bool check = false, oracle = false, text = false, binary = false, json = false;
    FlagOptions flags;
    std::size_t show = 10;
    DesignOptions design; ///< of rtl:FILE
    double timeout = std::numeric_limits<double>::infinity();
};

/// A unit, or a kernel, with the evaluator that was asked for; or a design.
struct Model {
    std::string text; ///< as the user wrote it, with its length
    KernelEvaluator fast;
    bool exact;
    std::unique_ptr<DesignModel> design;

    Model(const std::string& name, int K, bool oracle)
        : text(K == 0 ? name : with_length(name, K)), fast(resolve_kernel(text)), exact(oracle) {}
    /// Of the unit that stands for the design only its formats and K count.
    Model(const std::string& name, std::unique_ptr<DesignModel> of)
        : text(name), fast(resolve_kernel(to_string(of->any_unit()))), exact(false), design(std::move(of)) {}
    const Kernel& kernel() const { return fast.kernel(); }
    /// No more than its instruction.
    bool is_unit() const { return !design && !has_schedule(text); }
    bool nan_any() const { return kernel().d() != kernel().unit.d || kernel().unit.nan.kind == NanRule::Kind::any; }
    std::uint64_t operator()(const Inputs& inputs) const {
        if (design) return (*design)(inputs);
        return exact ? evaluate_exactly(kernel(), inputs) : fast(inputs);
    }
    ReadAs read_as() const { return {.unit = text, .shape = shape_of(kernel())}; }
};

// ---- files

/// The header of predictions: they are the unit's, so what the inputs' header says about a target is only quoted.
Header prediction_header(const Model& model, const Header& inputs, const std::string& command) {
    Header header;
    if (model.design) { // which no reader finds among units
        header.shape = model.design->shape();
        header.target = model.text;
    } else {
        header.unit = model.text;
    }
    header.other.emplace_back("command", json_string(command));
    const bool says_something = !inputs.unit.empty() || !inputs.target.empty() || !inputs.other.empty();
    if (says_something) header.other.emplace_back("inputs", to_json(inputs));
    return header;
}

/// The report of --check about vectors whose result differs from the unit's.
class Mismatches {
  public:
    Mismatches(const EvalSettings& options, const VectorFile& file, OutputFile& output)
        : options_(options), shape_(file.shape()), about_digits_(file.about_digits()),
          digits_(file.ranges().d.empty() ? -1 : file.ranges().d_digits), output_(output) {}

    /// @param place   "FILE:LINE"
    /// @param vector  with the d that the file has
    /// @param flags   that the unit raises, if they are compared
    void add(const std::string& place, const Vector& vector, std::uint64_t given,
             std::optional<StatusFlags> flags = std::nullopt) {
        if (++count_ > options_.show) return;
        const Format& d = format(shape_.d);
        if (options_.json) {
            Json one = json_with_expected(shape_, vector, given);
            one["unit_gives"] = to_hex(d, given);
            one["file_has"] = to_hex(d, vector.d.front());
            if (flags) one["unit_raises"] = flag_digits(*flags);
            first_.push_back(std::move(one));
            return;
        }
        const std::string raised =
            !flags ? "" : fmt::format("; it raises {}, the file has {}", described(*flags), described(*vector.flags));
        output_.stream() << fmt::format("{}: the unit gives {}, the file has {}{}\n  {}\n", place, described(d, given),
                                        described(d, vector.d.front()), raised, to_json(shape_, vector));
        output_.require_good();
    }
    /// @return the exit status
    int finish(std::uint64_t checked, const std::string& not_observed, const Colours& colours) {
        if (options_.json) {
            Json object = {{"checked", checked}, {"mismatches", count_}, {"first", first_}};
            if (digits_ >= 0) object["digits"] = digits_;
            print_line(output_.stream(), object);
        } else {
            if (count_ > options_.show)
                output_.stream() << fmt::format("… and {} more; --show N shows more\n", count_ - options_.show);
            const std::string all = fmt::format("checked {}, mismatches {}", checked, count_);
            if (!about_digits_.empty()) output_.stream() << about_digits_ << '\n';
            output_.stream() << not_observed << (count_ == 0 ? colours.good(all) : colours.bad(all)) << '\n';
        }
        output_.finish();
        return count_ == 0 ? status::done : status::different;
    }

  private:
    const EvalSettings& options_;
    Shape shape_;
    std::string about_digits_;
    int digits_; ///< of d, if they leave it open; -1: they do not
    OutputFile& output_;
    std::uint64_t count_ = 0;
    Json first_ = Json::array();
};

/// Of what goes to the screen.
Colours colours_of(const EvalSettings& options, const Streams& io) {
    return options.out.empty() || options.out == "-" ? Colours::of(io) : Colours(false);
}

int fill_in(const EvalSettings& options, const Model& model, const std::string& command, const Streams& io) {
    const auto flags = options.flags.model(model.kernel(), model.text);
    VectorFile file(options.file, model.read_as(), options.data, io);
    OutputFile output(options.out, io, options.file);
    VectorWriter writer(output.stream(), file.shape(), prediction_header(model, file.header(), command),
                        options.binary ? VectorWriter::Form::binary
                        : options.text ? VectorWriter::Form::text
                                       : VectorWriter::Form::json_lines);
    Vector vector;
    Counter counter(io, "evaluated");
    // A signal ends this as it ends any program that writes: complete lines have been written, or the file is kept.
    const auto end = deadline_in(options.timeout);
    for (std::uint64_t done = 0; file.next(vector); ++done) {
        if (done % 64 == 0 && std::chrono::steady_clock::now() > end) {
            counter.clear();
            io.err << fmt::format("discern: the time is over; {} vectors were evaluated\n", done);
            return status::unknown;
        }
        counter.at(done);
        vector.clear_results();
        vector.d.assign(1, model(vector.inputs()));
        if (flags) vector.flags = flags(vector.inputs());
        writer.write(vector);
        if (!file.has_more_at_once())
            output.stream().flush(); // the program that writes our input may wait for the answer
        output.require_good();
    }
    output.finish();
    return status::done;
}

/// Binary records, many at once: copies a field of all of them into a row.
class FieldColumn {
  public:
    FieldColumn(const RecordLayout& layout, char field) : part_(layout.find(field)), record_(layout.bytes) {}
    Patterns of(std::span<const std::byte> records) {
        if (part_ == nullptr) return {};
        const std::size_t count = records.size() / record_, bytes = part_->count * part_->word;
        words_.resize(count * bytes);
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(words_.data() + i * bytes, records.data() + i * record_ + part_->offset, bytes);
        return {words_.data(), count * part_->count, part_->word};
    }

  private:
    const RecordLayout::Part* part_;
    std::size_t record_;
    std::vector<std::byte> words_;
};

/// The indices of the records, counted from 0, whose d is not what the unit gives in the same bits.
template <class Report>
void differing_records(VectorReader& reader, const Model& model, const Interrupt& interrupt, Counter& counter,
                       std::uint64_t& checked, const Report& report) {
    constexpr std::size_t batch = 1 << 13;
    const Gemm gemm(model.kernel().unit);
    const RecordLayout layout = reader.layout();
    FieldColumn a(layout, 'a'), b(layout, 'b'), sa(layout, 'A'), sb(layout, 'B'), c(layout, 'c'), d(layout, 'd');
    const std::size_t word = word_bytes(model.kernel().unit.d);
    std::vector<std::byte> got(batch * word);
    for (auto records = reader.next_records(batch); !records.empty() && !interrupt.stopped();
         records = reader.next_records(batch)) {
        counter.at(checked);
        const std::size_t count = records.size() / layout.bytes;
        const Patterns expected = d.of(records);
        gemm.dots(count, a.of(records), b.of(records), c.of(records), {got.data(), count, word}, sa.of(records),
                  sb.of(records));
        const auto* want = static_cast<const std::byte*>(expected.data());
        if (std::memcmp(want, got.data(), count * word) != 0)
            for (std::size_t i = 0; i < count; ++i)
                if (std::memcmp(want + i * word, got.data() + i * word, word) != 0)
                    report(checked + i, records.subspan(i * layout.bytes, layout.bytes));
        checked += count;
    }
}

int check(const EvalSettings& options, const Model& model, const Streams& io) {
    VectorFile file(options.file, model.read_as(), options.data, io);
    VectorReader* const reader = file.reader();
    OutputFile output(options.out, io, options.file);
    const Format& d = format(file.shape().d);
    const bool nan_any = file.nan_any() || model.nan_any();
    const auto flags = options.flags.model(model.kernel(), model.text);
    const auto owners = owners_of(file.header());
    std::optional<std::size_t> only;
    if (!options.wanted_class.empty())
        only = require_class(options.wanted_class, owners);
    else
        only = class_of(options.unit, owners);
    std::uint64_t checked = 0, flags_left = 0;
    Mismatches mismatches(options, file, output);
    NotObserved not_observed;
    Vector vector;
    const Interrupt interrupt(io, options.timeout);
    Counter counter(io, "checked");
    if (reader != nullptr && reader->dialect() == Dialect::binary && reader->layout().find('d') != nullptr &&
        !model.exact && model.is_unit() && !flags) {
        const auto report = [&](std::uint64_t index, std::span<const std::byte> record) {
            vector = read_record(reader->shape(), reader->layout(), record);
            const std::uint64_t seen = vector.d.front(), given = model(vector.inputs());
            if (same_observation(d, nan_any, seen, given)) return;
            mismatches.add(fmt::format("{}: record {}", file.name(), index + 1), vector, given);
        };
        differing_records(*reader, model, interrupt, counter, checked, report);
    }
    while (!interrupt.stopped() && file.next(vector)) {
        counter.at(checked);
        if (only) choose_result(file, *only, vector);
        if (not_observed.count(vector)) continue;
        if (vector.d_is_list && !owners.empty())
            throw Error(file.at_line("field d: is a list, of the results of several classes; --class says which is "
                                     "compared, by a letter, as A, or a unit"));
        require_observation(file, vector, "--check compares");
        const std::uint64_t given = model(vector.inputs());
        ++checked;
        std::optional<StatusFlags> raised;
        if (flags && !vector.flags)
            throw Error(file.at_line("the vector has no field flags, which --check --flags compares"));
        if (flags) raised = flags(vector.inputs());
        if (vector.flags && !flags) ++flags_left;
        const bool same_flags = !raised || *raised == *vector.flags;
        if (is_observed(file, nan_any, vector, given, std::ref(model)) && same_flags) continue;
        mismatches.add(fmt::format("{}:{}", file.name(), file.line()), vector, given, raised);
    }
    counter.clear();
    if (interrupt.stopped())
        io.err << fmt::format("discern: {}; {} vectors were checked\n", interrupt.reason(), checked);
    else if (checked == 0)
        throw Error(file.name() + " has no vectors" + not_observed.but_those() + "; there is nothing to check");
    if (flags_left > 0)
        io.err << "discern: the flags of " << counted(flags_left, "vector") << " were not compared; --flags does\n";
    const int answer = mismatches.finish(checked, not_observed.summary(), colours_of(options, io));
    return answer == status::done && interrupt.stopped() ? status::unknown : answer;
}

// ---- one vector

std::string row(std::string_view label, const Format& format, std::uint64_t bits) {
    return fmt::format("{:<6} {:<16}  {:<22}  {}\n", label, to_hex(format, bits), hexfloat(format, bits),
                       decimal(format, bits));
}

int single(const EvalSettings& options, const Model& model, const Streams& io) {
    const Shape shape = shape_of(model.kernel());
    Vector vector = options.one.vector(shape, options.data, io);
    const std::uint64_t fast = model.design ? model(vector.inputs()) : model.fast(vector.inputs());
    const std::uint64_t exact = model.design ? fast : evaluate_exactly(model.kernel(), vector.inputs());
    const Format& d = format(shape.d);
    if (!same_result(model.kernel(), fast, exact))
        throw Error(sentence("internal error, please report it: the two evaluators disagree about ",
                             to_string(model.kernel()), " on ", to_json(shape, vector), ": in machine integers ",
                             to_hex(d, fast), ", exactly ", to_hex(d, exact)));
    const std::uint64_t result = options.oracle ? exact : fast;
    if (const auto flags = options.flags.model(model.kernel(), model.text)) vector.flags = flags(vector.inputs());
    std::optional<explain::Exactness> exactness; // of what one sum can hold
    if (shape.K <= explain::longest_exact) exactness = explain::exactness(shape, vector.inputs(), result);
    if (options.json) {
        vector.d = {result};
        Json object = json_of(shape, vector);
        if (exactness) put_exactness(object, *exactness);
        print_line(io.out, object);
        return status::done;
    }
    const auto rows = [&](std::string_view name, const Format& format, const std::vector<std::uint64_t>& list) {
        for (std::size_t i = 0; i < list.size(); ++i) io.out << row(fmt::format("{}[{}]", name, i), format, list[i]);
    };
    rows("a", format(shape.a), vector.a);
    rows("b", format(shape.b), vector.b);
    if (shape.scale) {
        rows("sa", format(shape.scale->format), vector.sa);
        rows("sb", format(shape.scale->format), vector.sb);
    }
    if (vector.c) io.out << row("c", format(*shape.c), *vector.c);
    if (vector.flags) io.out << "flags  " << described(*vector.flags) << '\n';
    // d stays the last line, for programs that read only that.
    if (exactness)
        io.out << fmt::format(
            "exact  {}\nerror  d is {}{}\n", exact_text(*exactness), distance_text(*exactness),
            exactness->is_correct ? "" : "; correctly rounded, it were " + described(d, exactness->correct));
    io.out << row("d", d, result);
    return status::done;
}

int run_eval(const Command& self, Arguments arguments, const Streams& io) {
    EvalSettings options;
    CommandLine line(self);
    line.add_option("UNIT", options.unit, "the unit, the kernel UNIT@[SCHEDULE], or a design, rtl:FILE.sv").required();
    const Option file = line.add_option("FILE", options.file, "a file of vectors, or - for standard input");
    line.add_shared("--K", options.K, "of a kernel");
    line.add_flag("--check", options.check, "compare with the d in FILE; exit status 1 if any differs");
    line.add_shared("--class", options.wanted_class, "with --check; UNIT's own without it");
    line.add_shared("--show", options.show, "mismatches");
    line.add_flag("--oracle", options.oracle, "evaluate in exact arithmetic, slowly");
    options.flags.add_to(line, "written, or with --check compared");
    line.add_flag("--binary", options.binary, "write records of little-endian words behind the header: faster to read");
    line.add_flag("--text", options.text, "write plain text, a line a vector, without header");
    line.add_shared("--json", options.json,
                    "of --check and of one vector: one object; files of vectors are JSON anyway");
    line.add_shared("--timeout", options.timeout);
    line.add_shared("-o", options.out);
    options.one.add_to(line, file, options.data);
    line.add_shared("--formats", options.data.formats,
                    "of FILE, where UNIT is a product alone, as A100, or of a design");
    line.add_shared("--scale", options.data.scale, "of a design");
    add_data_options(line, options.data, {.formats = true, .numbers = true});
    add_design_options(line, options.design, DesignUse::simulated);
    std::vector<std::string> launches;
    line.add_shared("--launch", launches);
    if (const auto ended = line.read(arguments, io)) return *ended;

    const bool one = options.one.is_given(line);
    if (!one && options.file.empty())
        throw Error("eval: a FILE of vectors is missing (- for standard input), or one vector as --a … --b … --c …");
    if (one && (options.check || options.text || options.binary || !options.out.empty()))
        throw Error("eval: --check, --text, --binary and -o are for files of vectors, not for one vector in options");
    if (!options.wanted_class.empty() && !options.check) throw Error("eval: --class is of --check");
    if (options.flags.wanted && (options.text || options.binary))
        throw Error("eval: --text and --binary have no place for --flags; JSON lines have");
    if (options.text && options.binary) throw Error("eval: --text and --binary are two forms; one can be written");
    put_schedules(std::array{&options.unit}, launches, io);
    if (is_product_alone(options.unit))
        decide_products_by_file(std::array{&options.unit}, options.file, options.data, io);
    const bool of_design = is_design(options.unit);
    if (one && !of_design && !options.data.formats.empty())
        throw Error("eval: --formats is of FILE, and none is given");
    if (!of_design && options.design.any()) throw Error(design_options_alone(options.unit));
    if (of_design && options.flags.wanted) throw Error("eval: --flags is of units; a design gives d alone");
    if (of_design && options.oracle) throw Error("eval: --oracle is of units, which have an exact evaluation");
    options.data.K = options.K;
    const Model model = of_design ? Model(options.unit, design_model(options.unit, options.design, options.file,
                                                                     options.data, options.timeout, io))
                                  : Model(options.unit, options.K, options.oracle);
    if (!of_design) require_formats(options.unit, shape_of(model.kernel()), options.data);
    if (one) return single(options, model, io);
    if (options.check) return check(options, model, io);
    return fill_in(options, model, quoted_command("eval", arguments), io);
}

} // namespace

extern constinit const Command eval_command{
    .name = "eval",
    .usage = "UNIT FILE|-",
    .summary = "what a unit computes, or whether it computes what FILE says",
    .example = "  discern eval hopper/wgmma.m64n8k16.f32.f16.f16 observed.jsonl --check\n"
               "      compares each d in observed.jsonl with what the unit gives\n"
               "  discern eval volta/mma.m8n8k4.f32.f16.f16.f32 --a 3c00,3c00,0000,0000 \\\n"
               "      --b 3c00,4000,0000,0000 --c 3f800000\n"
               "      one vector: 1*1 + 1*2 + 1",
    .run = run_eval,
    .docs = {.group = "Vectors", .page = "vectors", .schemas = {"eval"}}};

} // namespace discern::cli
