#include "common.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

void add_result_format(CommandLine& line, std::string& d) {
    line.add_option("--d", d, "what results of different formats are rounded to, as f16:rne").type_name("FORMAT:MODE");
}

std::optional<Conversion> conversion_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    if (text.find_first_of(" \t,[]") != std::string::npos)
        throw Error(sentence("--d: ", excerpt(text), " is wrong; FORMAT:MODE is right, as in f16:rne"));
    return parse_schedule("d=" + text).first.result;
}

void print_assumed(std::ostream& out, const std::vector<std::string>& assumed) {
    for (const std::string& one : assumed) out << "assumed: " << one << '\n';
}

void put_assumed(Json& object, const std::vector<std::string>& assumed) {
    if (!assumed.empty()) object["assumed"] = assumed;
}

} // namespace discern::cli
