#include "owners.hpp"

#include "cli/base/json.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <algorithm>

namespace discern::cli {

std::vector<std::vector<std::string>> owners_of(const Header& header) {
    std::vector<std::vector<std::string>> owners;
    for (const auto& [name, text] : header.other) {
        if (name != "classes" && name != "units") continue;
        const Json list = Json::parse(text, nullptr, false);
        if (!list.is_array()) continue;
        for (const Json& one : list) {
            std::vector<std::string>& own = owners.emplace_back();
            if (one.is_string()) own.push_back(one);
            if (one.is_array())
                for (const Json& unit : one)
                    if (unit.is_string()) own.push_back(unit);
        }
        break;
    }
    return owners;
}

std::size_t require_class(const std::string& wanted, const std::vector<std::vector<std::string>>& owners) {
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (class_letter(i) == wanted || std::ranges::find(owners[i], wanted) != owners[i].end()) return i;
    if (owners.empty()) throw Error("--class: the header of the file names no classes or units; that of a suite does");
    throw Error(sentence("--class: there is no class ", excerpt(wanted), "; the classes are A to ",
                         class_letter(owners.size() - 1), ", and the names of their units are right too"));
}

std::optional<std::size_t> class_of(const std::string& unit, const std::vector<std::vector<std::string>>& owners) {
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (std::ranges::find(owners[i], unit) != owners[i].end()) return i;
    return std::nullopt;
}

void choose_result(const VectorFile& file, std::size_t index, Vector& vector) {
    if (vector.d.empty()) return;
    if (index >= vector.d.size())
        throw Error(file.at_line(sentence("field d: has ", counted(vector.d.size(), "result"), "; --class ",
                                          class_letter(index), " is none of them")));
    vector.d = {vector.d[index]};
    vector.d_is_list = false;
}

} // namespace discern::cli
