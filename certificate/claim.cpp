#include "claim.hpp"

#include "file.hpp"
#include "sha256.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace discern::certificate {

namespace {

using Json = nlohmann::json;

constexpr int deepest = 8; // levels of a claim; there are four

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 32 || letter == 127; }

/// A member of an object, of a type.
const Json& member(const Json& object, const char* name, bool (Json::*is_right)() const noexcept) {
    const auto found = object.find(name);
    if (found == object.end() || !((*found).*is_right)())
        refuse(std::string("claim.json: '") + name + "' is missing, or not of the right type");
    return *found;
}

/// A pattern as hexadecimal digits.
std::uint64_t pattern_in(const Json& object, const char* name) {
    const std::string& digits = text(object, name);
    std::uint64_t pattern = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pattern, 16);
    if (error != std::errc() || end != digits.data() + digits.size())
        refuse(std::string("claim.json: '") + name + "' is no pattern: " + digits);
    return pattern;
}
std::string in_hex(std::uint64_t pattern) {
    char digits[16];
    return {digits, std::to_chars(digits, digits + sizeof digits, pattern, 16).ptr};
}

void require_plain(const std::string& name) {
    if (name.empty() || name[0] == '.' || name.find_first_of("/\\") != std::string::npos ||
        std::any_of(name.begin(), name.end(), is_control))
        refuse("claim.json: a file has the name '" + name + "', which is no plain name");
}

} // namespace

void refuse(const std::string& sentence) { throw Error(sentence); }

Json parsed(const std::string& text, const std::string& where) {
    std::vector<std::set<std::string>> keys; // of the objects that are open
    std::string wrong;
    const auto look = [&](int depth, Json::parse_event_t event, const Json& value) {
        if (!wrong.empty()) return false;
        if (depth > deepest) wrong = " is nested too deep";
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
            wrong = " has '" + value.get<std::string>() + "' twice in one object";
        return wrong.empty();
    };
    Json json = Json::parse(text, look, false);
    if (!wrong.empty()) refuse(where + wrong);
    if (json.is_discarded() || !json.is_object()) refuse(where + " is not a JSON object");
    return json;
}

const std::string& text(const Json& object, const char* name) {
    return member(object, name, &Json::is_string).get_ref<const std::string&>();
}
bool flag(const Json& object, const char* name) { return member(object, name, &Json::is_boolean).get<bool>(); }
int number(const Json& object, const char* name) {
    const Json& value = member(object, name, &Json::is_number_integer);
    using Int = std::numeric_limits<int>;
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(Int::max())
                                                 : value.get<std::int64_t>() >= Int::min();
    if (!fits) refuse(std::string("claim.json: '") + name + "' is too large: " + value.dump());
    return value.get<int>();
}
const Json& list(const Json& object, const char* name) { return member(object, name, &Json::is_array); }
std::vector<std::string> texts(const Json& array) {
    if (!array.is_array()) refuse("claim.json: a list of texts is something else");
    std::vector<std::string> all;
    for (const Json& one : array) {
        if (!one.is_string()) refuse("claim.json: a list has something else than texts");
        all.push_back(one.get_ref<const std::string&>());
    }
    return all;
}
std::vector<std::string> texts(const Json& object, const char* name) { return texts(list(object, name)); }

Limits limits_of(const Json& claim) {
    const Json& json = member(claim, "limits", &Json::is_object);
    Limits limits;
    limits.finite = flag(json, "finite");
    limits.no_subnormals = flag(json, "no_subnormals");
    for (const Json& range : list(json, "ranges"))
        limits.ranges.push_back({text(range, "operand"), number(range, "low"), number(range, "high")});
    for (const Json& range : list(json, "numbers"))
        limits.numbers.push_back({text(range, "operand"), pattern_in(range, "low"), pattern_in(range, "high")});
    return limits;
}

nlohmann::ordered_json limits_json(const Limits& limits) {
    const auto bounds = [](const auto& ranges, const auto& written) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const auto& x : ranges)
            all.push_back(
                nlohmann::ordered_json{{"operand", x.operand}, {"low", written(x.low)}, {"high", written(x.high)}});
        return all;
    };
    return nlohmann::ordered_json{{"finite", limits.finite},
                                  {"no_subnormals", limits.no_subnormals},
                                  {"ranges", bounds(limits.ranges, [](int x) { return x; })},
                                  {"numbers", bounds(limits.numbers, in_hex)}};
}

namespace {

/// A number of edges.
int edges_in(const Json& object, const char* name) {
    const int edges = number(object, name);
    if (edges < 0 || edges > most_edges_of_a_claim)
        refuse(std::string("claim.json: '") + name + "' has to be from 0 to " + std::to_string(most_edges_of_a_claim));
    return edges;
}

} // namespace

Handshake handshake_of(const Json& object) {
    Handshake handshake{edges_in(object, "cycles"), edges_in(object, "reset_edges"), flag(object, "can_wait"), {}};
    const Json& states = list(object, "states");
    if (states.size() > most_states_of_a_claim)
        refuse("claim.json: a handshake has more than " + std::to_string(most_states_of_a_claim) + " states");
    for (const Json& one : states) {
        Handshake::State& state = handshake.states.emplace_back();
        state.patience = edges_in(one, "patience");
        for (const Json& left : list(one, "left")) state.left.push_back(number(Json{{"left", left}}, "left"));
        if (state.left.size() > static_cast<std::size_t>(most_edges_of_a_claim))
            refuse("claim.json: a state has more than " + std::to_string(most_edges_of_a_claim) + " operations");
    }
    return handshake;
}

nlohmann::ordered_json handshake_json(const Handshake& handshake) {
    nlohmann::ordered_json states = nlohmann::ordered_json::array();
    for (const Handshake::State& state : handshake.states)
        states.push_back(nlohmann::ordered_json{{"left", state.left}, {"patience", state.patience}});
    return nlohmann::ordered_json{{"cycles", handshake.cycles},
                                  {"reset_edges", handshake.reset_edges},
                                  {"can_wait", handshake.can_wait},
                                  {"states", states}};
}

Unit unit_of(const std::string& line) {
    Unit unit = parse_unit(line);
    if (to_string(unit) != line) refuse("the line of a unit is not as it is printed: " + to_string(unit));
    return unit;
}

std::vector<Unit> units_of(const Json& object) {
    std::vector<Unit> units;
    for (const std::string& line : texts(object, "units")) units.push_back(unit_of(line));
    return units;
}

Certificate::Certificate(const std::filesystem::path& folder) : folder_(folder) {
    const std::string claim = contents(folder / "claim.json", most_of_claim);
    digest_ = sha256(claim);
    if (contents(folder / "claim.sha256", most_of_claim) != digest_ + "  claim.json\n")
        refuse("claim.json is not the file whose digest is in claim.sha256");
    json_ = parsed(claim, "claim.json");
    if (number(json_, "discern-certificate") != 1) refuse("claim.json: only certificates of version 1 are known");
    for (const auto& [name, digest] : member(json_, "files", &Json::is_object).items())
        if (digest != certificate::digest_of(path(name), most_of_file))
            refuse(name + " is not the file whose digest is in the claim");
}

std::filesystem::path Certificate::folder(const std::string& name) const {
    require_plain(name);
    return folder_ / name;
}

std::filesystem::path Certificate::path(const std::string& name) const {
    require_plain(name);
    if (!json_.at("files").contains(name)) refuse("claim.json names " + name + " without its digest");
    return folder_ / name;
}

const std::string& Certificate::digest_of(const std::string& name) const {
    path(name);
    return text(json_.at("files"), name.c_str());
}

std::string Certificate::file(const std::string& name) const { return contents(path(name), most_of_file); }

bool Certificate::has(const std::string& name, const std::string& text) const {
    return size_of(path(name), most_of_file) == text.size() && file(name) == text;
}

} // namespace discern::certificate
