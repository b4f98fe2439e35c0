// Names and ranges are looked up among the words that the reader names.
#include "named_net.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <charconv>
#include <string>

namespace discern::rtl {

namespace {

/// "[7:4]" or "[3]" behind a net's name. @throws Error if it is nothing of that kind
std::pair<int, int> range_of(const std::string& text, const std::string& whole, const char* option) {
    int high = 0, low = 0;
    const char *at = text.data() + 1, *const end = text.data() + text.size() - 1;
    auto read = std::from_chars(at, end, high);
    low = high;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == ':') read = std::from_chars(read.ptr + 1, end, low);
    if (read.ec != std::errc() || read.ptr != end || text.back() != ']' || low > high || low < 0)
        throw Error(sentence(option, ": ", excerpt(whole), " has no range such as [7:0]"));
    return {high, low};
}

} // namespace

std::vector<Net> bits_of_net(const Design& design, const std::string& text, const char* option) {
    const auto bracket = text.ends_with(']') ? text.rfind('[') : std::string::npos;
    auto found = design.words.find(text); // names may have brackets of their own
    if (found != design.words.end()) return found->second;
    found = design.words.find(text.substr(0, bracket));
    if (found == design.words.end()) {
        std::vector<std::string> names;
        for (const auto& [name, bits] : design.words) names.push_back(name);
        throw Error(sentence(option, ": the design has no net ", excerpt(text), did_you_mean(text, names)));
    }
    const auto [high, low] = range_of(text.substr(bracket), text, option);
    if (high >= static_cast<int>(found->second.size()))
        throw Error(sentence(option, ": net ", excerpt(found->first), " has ", counted(found->second.size(), "bit"),
                             ", and not those of ", excerpt(text)));
    return {found->second.begin() + low, found->second.begin() + high + 1};
}

} // namespace discern::rtl
