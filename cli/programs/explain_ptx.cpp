// How kernels that were read from their own code get to an element of a result: the value of each of their terms on a
// vector that `same-bits` has found.
#include "cli/base/json.hpp"
#include "cli/options/values.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "programs/compare/compare.hpp"
#include "programs/evaluate/evaluate.hpp"
#include "programs/fold/listing.hpp"
#include "ptx.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

namespace discern::cli {

namespace {

constexpr std::size_t most_vector = 4 << 20; ///< bytes

/// A file of `same-bits -o`, or nothing.
std::optional<Json> kernel_vector(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(most_vector, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    Json vector = Json::parse(text, nullptr, false);
    if (!vector.is_object() || !vector.contains("operands")) return std::nullopt;
    return vector;
}

/// One kernel's terms of the vector's element, with their values.
class ExplainedKernel {
  public:
    ExplainedKernel(std::string name, const std::string& launch, const Json& vector, const Streams& io)
        : name_(std::move(name)), reading_(read_ptx(name_, launch, terms_, io)) {
        const programs::ReadResult& result = result_of(vector);
        const programs::NodeId term = result.folded.elements[element_of(result.folded, vector)];
        for (programs::ListedTerm& line : listing_of(terms_, term))
            if (!line.name.empty()) lines_.push_back(std::move(line));
        std::vector<programs::NodeId> roots;
        for (const programs::ListedTerm& line : lines_) roots.push_back(line.term);
        const programs::Evaluation evaluation(terms_.graph, roots);
        stand_ins_ = evaluation.stand_ins();
        values_ = evaluation(values_of_leaves(evaluation.leaves(), vector));
    }

    /// Whether the launch has an array of an operand, "A[m,3]".
    bool knows(std::string_view operand) const {
        return std::ranges::any_of(reading_.kernel.launch.arrays, [&](const programs::ArraySpec& array) {
            return operand.starts_with(array.name + "[");
        });
    }
    const std::vector<std::string>& stand_ins() const { return stand_ins_; }

    void print(std::ostream& out) const {
        out << name_ << '\n';
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            out << "  " << lines_[i].text << '\n';
            const bool is_member = !lines_[i].text.starts_with(lines_[i].name + " =");
            out << "       " << (is_member ? lines_[i].name + " " : "") << "is " << value(i) << '\n';
        }
    }

    Json json() const {
        Json lines = Json::array();
        for (std::size_t i = 0; i < lines_.size(); ++i)
            lines.push_back({{"term", lines_[i].text}, {"of", lines_[i].name}, {"value", hex(i)}});
        return {{"kernel", name_}, {"terms", lines}, {"d", hex(lines_.size() - 1)}};
    }

  private:
    const programs::ReadResult& result_of(const Json& vector) const {
        const std::string wanted = vector.value("result", "");
        const auto found = std::ranges::find_if(reading_.results,
                                                [&](const programs::ReadResult& r) { return r.folded.name == wanted; });
        if (found == reading_.results.end())
            throw Error(fmt::format("explain: {} has no result {}, which the vector is of", name_, wanted));
        return *found;
    }

    std::uint64_t element_of(const programs::FoldedResult& result, const Json& vector) const {
        const Json place = vector.value("element", Json::array());
        const auto wrong = [&] {
            return Error(fmt::format("explain: the vector's element is none of {}", result.name));
        };
        if (!place.is_array() || place.size() != result.shape.size()) throw wrong();
        std::uint64_t element = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
            if (!place[axis].is_number_unsigned() || place[axis] >= result.shape[axis]) throw wrong();
            element = element * result.shape[axis] + place[axis].get<std::uint64_t>();
        }
        return element;
    }

    /// Those that the vector does not name are +0. Operands that only the other kernel has are left out.
    std::vector<std::uint64_t> values_of_leaves(const std::vector<programs::NodeId>& leaves, const Json& vector) const {
        std::vector<std::uint64_t> values;
        for (const programs::NodeId leaf : leaves) {
            const auto given = vector["operands"].find(leaf_name(terms_, leaf));
            const unsigned bits = 8u * terms_.graph[leaf].size;
            const auto pattern = given == vector["operands"].end() || !given->is_string()
                                     ? std::optional<std::uint64_t>(0)
                                     : parse_hex(given->get<std::string>());
            if (!pattern || (bits < 64 && *pattern >> bits != 0))
                throw Error(fmt::format("explain: the vector's {} is no pattern of {} hexadecimal digits",
                                        leaf_name(terms_, leaf), bits / 4));
            values.push_back(*pattern);
        }
        return values;
    }

    std::string hex(std::size_t line) const {
        return fmt::format("{:0{}x}", values_[line], 2 * terms_.graph[lines_[line].term].size);
    }

    /// With the number, where the name of the operation says the format of its result.
    std::string value(std::size_t line) const {
        const programs::Operation& operation = terms_.graph.operation_of(lines_[line].term);
        const auto id = format_of_result(operation);
        return id ? described(format(*id), values_[line]) : hex(line);
    }

    static std::optional<FormatId> format_of_result(const programs::Operation& operation) {
        if (operation.kind == programs::Kind::unit) return resolve_unit(operation.name).d;
        if (operation.kind != programs::Kind::function) return std::nullopt;
        std::string_view rest = operation.name; // cvt names its result's type before that of its operand
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('.'), rest.size());
            if (const auto id = format_from_name(rest.substr(0, end))) return id;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return std::nullopt;
    }

    std::string name_;
    programs::Terms terms_;
    programs::KernelReading reading_;
    std::vector<programs::ListedTerm> lines_;
    std::vector<std::uint64_t> values_;
    std::vector<std::string> stand_ins_;
};

} // namespace

bool is_kernel_vector(const std::string& path) { return kernel_vector(path).has_value(); }

int explain_ptx(const PtxExplanation& options, const Streams& io) {
    const std::optional<Json> vector = kernel_vector(options.vector);
    if (!vector || !(*vector)["operands"].is_object())
        throw Error(fmt::format(
            "explain: {} is no vector of kernels, as 'discern same-bits ptx:A ptx:B -o FILE' writes", options.vector));
    note_input(options.vector, io);
    OutputFile output(options.out, io);
    Json kernels = Json::array();
    std::vector<std::unique_ptr<ExplainedKernel>> explained;
    for (std::size_t i = 0; i < options.kernels.size(); ++i) {
        const std::string launch = i < options.launches.size() ? options.launches[i] : std::string();
        explained.push_back(std::make_unique<ExplainedKernel>(options.kernels[i], launch, *vector, io));
    }
    for (const auto& [operand, value] : (*vector)["operands"].items())
        if (std::ranges::none_of(explained, [name = operand](const auto& kernel) { return kernel->knows(name); }))
            throw Error(fmt::format("explain: the vector has {}, and no launch has such an operand", operand));
    for (const auto& each : explained) {
        const ExplainedKernel& kernel = *each;
        if (options.json)
            kernels.push_back(kernel.json());
        else
            kernel.print(output.stream());
        if (!kernel.stand_ins().empty())
            io.err << fmt::format("discern: PTX leaves {} to the machine; these are the values of a stand-in\n",
                                  fmt::join(kernel.stand_ins(), ", "));
    }
    if (options.json) print_line(output.stream(), {{"vector", *vector}, {"kernels", kernels}});
    output.finish();
    return status::done;
}

} // namespace discern::cli
