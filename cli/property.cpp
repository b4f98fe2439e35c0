// `discern property`: properties of a unit for all its inputs, each proved, refuted with a vector, or unknown.
#include "analysis/property/property.hpp"

#include "cli/base/colour.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/files.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/files/products.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"
#include "solver/question/cross_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace discern::cli {

namespace {

using property::Property;

constexpr double seconds_a_property = 60;
constexpr const char* no_cross_check = "none";

struct PropertyAnswer {
    const Property* property;
    property::Finding finding;
};

/// A property that says nothing of the unit, and why.
struct NotAsked {
    const Property* property;
    std::string why;
};

/// A bound, with the fewest digits that tell it from all others.
Json bound(double value) { return number(value, "{}"); }

Json as_json(const PropertyAnswer& answer, const Shape& shape) {
    const property::Finding& f = answer.finding;
    Json object = {{"name", answer.property->name},
                   {"says", answer.property->sentence},
                   {"verdict", name(f.verdict)},
                   {"vector", f.vector ? json_of(shape, *f.vector) : Json(nullptr)}};
    if (f.other) object["other"] = json_of(f.other_shape, *f.other);
    if (!f.what.empty()) object["where"] = f.what;
    object["value"] = f.value ? bound(*f.value) : Json(nullptr);
    if (f.limit) object["shown"] = bound(*f.limit);
    object["by"] = f.by;
    put_ground(object, f.ground);
    object["seconds"] = number(f.seconds, "{:.4f}");
    return object;
}

void print_json(const std::string& unit, const Shape& shape, const std::vector<PropertyAnswer>& answers,
                const std::vector<NotAsked>& not_asked, std::ostream& out) {
    print_line(out, {{"unit", unit},
                     {"properties", list_of(answers, [&](const PropertyAnswer& one) { return as_json(one, shape); })},
                     {"not_asked", list_of(not_asked, [](const NotAsked& one) {
                          return Json{{"name", one.property->name}, {"why", one.why}};
                      })}});
}

/// The meaning of a property's value.
std::string said_of_value(const PropertyAnswer& answer) {
    const property::Finding& f = answer.finding;
    const std::string_view property = answer.property->name;
    const bool is_region = property == "exact-region", is_error = property == "max-error";
    if (!is_region && !is_error && property != "error-of-terms") return "";
    if (is_error && f.verdict == property::Verdict::refuted)
        return f.value ? fmt::format("{} in this vector", *f.value) : "infinite in this vector";
    std::vector<std::string> said;
    if (f.value && (!is_error || f.verdict == property::Verdict::proved))
        said.push_back(fmt::format("{} = {}", is_region ? "n" : "k", *f.value));
    if (f.limit && (!is_error || f.limit != f.value))
        said.push_back(fmt::format("{}{}", is_region ? "not for n = " : "at least ", *f.limit));
    return fmt::format("{}", fmt::join(said, ", "));
}

/// What proved it; of an argument that stands alone it is said that nothing else does.
std::string said_of_proof(const property::Finding& f) {
    return f.ground.alone ? fmt::format("by an argument alone ({})", f.by) : "by " + f.by;
}

void print_text(const PropertyAnswer& answer, const Shape& shape, const Colours& colours, std::ostream& out) {
    const property::Finding& f = answer.finding;
    const std::string verdict = fmt::format("{:<8}", name(f.verdict));
    out << fmt::format("{:<20} {}  {}", answer.property->name,
                       f.verdict == property::Verdict::proved    ? colours.good(verdict)
                       : f.verdict == property::Verdict::refuted ? colours.bad(verdict)
                                                                 : colours.open(verdict),
                       answer.property->sentence);
    for (const std::string& more :
         {said_of_value(answer), f.verdict == property::Verdict::proved ? said_of_proof(f) : f.what})
        if (!more.empty()) out << "; " << more;
    out << '\n';
    const auto print = [&](const Shape& of, const Vector& v) {
        out << fmt::format("    {}\n        gives {}\n", shown_inputs(of, v), described(format(of.d), v.d.front()));
    };
    if (f.vector) print(shape, *f.vector);
    if (f.other) print(f.other_shape, *f.other);
}

/// The questions speak of signs, exponents and infinities.
void require_exponents(const Unit& unit) {
    for (const FormatId id : {unit.a, unit.b, unit.c.value_or(unit.d), unit.d})
        if (format(id).is_fixed_point())
            throw Error(
                sentence("property: ", format(id).name,
                         " is fixed point, of which no property is asked yet; a unit of floating point is right"));
}

std::string why_no_second_solver(const std::string& solver) {
    return error_of([&] {
        if (solver != no_cross_check) second_solver(solver, backends().empty() ? "" : backends().front().name);
    });
}

int run_property(const Command& self, Arguments arguments, const Streams& io) {
    std::string unit_name, wanted, out, cross_check = no_cross_check;
    bool as_json = false;
    double timeout = std::numeric_limits<double>::infinity();
    property::Options options;
    CommandLine line(self);
    line.add_option("UNIT", unit_name, "the unit").required();
    std::vector<std::string> names;
    for (const Property& p : property::properties()) names.emplace_back(p.name);
    line.add_option("NAME", wanted,
                    fmt::format("one property, without which all are asked about: {}", fmt::join(names, ", ")));
    line.offer("NAME", names);
    line.add_shared("--timeout", timeout, "shared by all that is asked about; without it 60 for each property");
    line.add_shared("--seed", options.seed, "a solver may still give another vector");
    line.add_option("--cross-check", cross_check,
                    "a second solver, which must confirm every unsat that a proof rests on; auto: the first one that "
                    "does not answer")
        .type_name("SOLVER")
        .check(why_no_second_solver);
    bool no_theorems = false;
    line.add_flag("--no-theorems", no_theorems,
                  "what the tree alone proves is asked of terms and solvers, too: slower, and a check of it");
    line.add_shared("--json", as_json, "one object");
    line.add_shared("-o", out);
    std::vector<std::string> launches;
    line.add_shared("--launch", launches);
    if (const auto ended = line.read(arguments, io)) return *ended;

    put_schedules(std::array{&unit_name}, launches, io);
    const Unit unit = resolve_unit(unit_name);
    require_exponents(unit);
    std::vector<PropertyAnswer> answers;
    std::vector<NotAsked> not_asked;
    for (const Property& p : property::properties()) {
        if (!wanted.empty() && property::require_property(wanted).name != p.name) continue;
        const std::string why = p.why_not(unit);
        if (why.empty())
            answers.push_back({&p, {}});
        else
            not_asked.push_back({&p, why});
    }
    std::optional<BackendKind> second;
    if (cross_check != no_cross_check) second = second_solver(cross_check, backends().front().name);
    options.second = second ? &*second : nullptr;
    options.theorems = !no_theorems;

    OutputFile output(out, io);
    Interrupt interrupt(io, timeout);
    options.stop = interrupt.token();
    Progress progress(io);
    const Limit limit = Limit::after(timeout);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const Property& p = *answers[i].property;
        if (progress.is_wanted()) progress.show(std::string(p.name));
        const auto start = Limit::Clock::now();
        const auto left = static_cast<double>(answers.size() - i);
        // A term under construction is not stopped at once when the time is over, and must not cost the answers that
        // are there.
        const double spare = std::min(2.0, timeout / 10);
        options.timeout = timeout < 3e7 ? std::max(0.0, (limit.seconds_left() - spare) / left) : seconds_a_property;
        if (!options.stop.stop_requested()) answers[i].finding = p.ask(p, unit, options);
        answers[i].finding.seconds = seconds_since(start);
    }
    interrupt.work_is_done();
    progress.clear();
    if (interrupt.requested()) io.err << "discern: interrupted; this is what is known\n";

    const Shape shape = shape_of(unit);
    const Colours colours = out.empty() ? Colours::of(io) : Colours(false);
    if (as_json) {
        print_json(unit_name, shape, answers, not_asked, output.stream());
    } else {
        for (const PropertyAnswer& answer : answers) print_text(answer, shape, colours, output.stream());
        for (const NotAsked& one : not_asked)
            output.stream() << fmt::format("{:<20} -         {}\n", one.property->name, one.why);
    }
    output.finish();
    const auto any = [&](property::Verdict verdict) {
        return std::ranges::any_of(answers, [&](const PropertyAnswer& a) { return a.finding.verdict == verdict; });
    };
    return any(property::Verdict::refuted)   ? status::different
           : any(property::Verdict::unknown) ? status::unknown
                                             : status::done;
}

} // namespace

extern constinit const Command property_command{
    .name = "property",
    .usage = "UNIT [NAME]",
    .summary = "what a unit can and cannot do for all inputs, proved or refuted",
    .example = "  discern property volta/mma.m8n8k4.f32.f16.f16.f32\n"
               "      all properties: those that hold, and a vector for each of the others\n"
               "  discern property ampere/mma.m16n8k8.f32.f16.f16.f32 monotonic --json\n"
               "      one of them, for programs",
    .run = run_property,
    .docs = {.group = "Questions", .page = "property", .schemas = {"property"}, .in_python = true}};

} // namespace discern::cli
