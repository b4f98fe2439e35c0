// The text of the verdict. A claim is printed as it was checked, with the limits of its inputs and with all its units;
// nothing else that a certificate says of itself is repeated.
#include "check.hpp"
#include "claim.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// One line, whatever was in the files: characters that would begin another, or steer a terminal, are question marks.
std::string line(std::string text) {
    constexpr std::size_t longest = 4000;
    if (text.size() > longest) text = text.substr(0, longest) + " …";
    std::replace_if(
        text.begin(), text.end(), [](char x) { return static_cast<unsigned char>(x) < 32 || x == 127; }, '?');
    return text + '\n';
}

/// In words; empty without limits.
std::string in_words(const Limits& limits) {
    std::string words;
    const auto add = [&](const std::string& limit) { words += (words.empty() ? "" : "; ") + limit; };
    if (limits.finite) add("no NaN and no infinity");
    if (limits.no_subnormals) add("no subnormal number");
    for (const auto& range : limits.ranges)
        add(range.operand + " is 0 or has an exponent from " + std::to_string(range.low) + " to " +
            std::to_string(range.high));
    const nlohmann::ordered_json json = limits_json(limits);
    for (const auto& range : json.at("numbers"))
        add(range.at("operand").get<std::string>() + " is a number from " + range.at("low").get<std::string>() +
            " to " + range.at("high").get<std::string>() + " (patterns)");
    return words;
}

std::string edges(int count) { return std::to_string(count) + (count == 1 ? " edge" : " edges"); }

/// All that is claimed of results that come one after the other.
std::string in_words(const Handshake& handshake) {
    return "of its handshake, after a reset of " + edges(handshake.reset_edges) + " or more, for any number of edges" +
           (handshake.can_wait ? ", whatever waits: " : ", if out_ready is always 1: ") +
           "results that are taken are those of the operands that were taken, in their order, none is lost or comes "
           "twice, each after at most " +
           edges(handshake.cycles) +
           " with out_ready = 1 and one more for each operation on its way before it; operands are taken within " +
           edges(handshake.most_patience() + 1) + " with in_valid = out_ready = 1";
}

} // namespace

std::string to_text(const Checked& checked) {
    if (!checked.refused.empty()) return line("refused: " + checked.refused);
    const std::string limits = in_words(checked.limits);
    const bool many = checked.claimed == Checked::Claim::different && checked.units.size() > 2;
    std::string all = line(std::string(checked.verdict()) + ": " + (many ? "not all the same" : checked.claim()) +
                           (limits.empty() ? "" : ", of inputs within these limits: " + limits));
    if (checked.claimed == Checked::Claim::classes)
        all += line(std::to_string(checked.classes.size()) + " of them, joined by " + std::to_string(checked.merges) +
                    " certificates");
    for (const std::string& unit : checked.units) all += line(unit);
    for (const std::string& digest : checked.designs)
        all += line("a design: the AIGER circuit with the SHA-256 " + digest +
                    "; that it is what a source says is not checked here");
    if (checked.handshake) all += line(in_words(*checked.handshake));
    if (!checked.shape.empty()) all += line("with the operands of " + checked.shape);
    for (std::size_t i = 0; i < checked.classes.size(); ++i) {
        all += line("class " + std::to_string(i + 1) + ":");
        for (const std::string& unit : checked.classes[i]) all += line(unit);
    }
    for (const std::string& what : checked.assumed) all += line("assumed: " + what);
    return all;
}

std::string to_json(const Checked& checked, double seconds) {
    nlohmann::ordered_json json = {{"verdict", checked.verdict()}};
    if (!checked.refused.empty()) {
        json["reason"] = checked.refused;
    } else {
        json["claim"] = checked.claim();
        json["limits"] = limits_json(checked.limits);
        if (checked.claimed == Checked::Claim::classes)
            json.update(
                {{"classes", checked.classes.size()}, {"members", checked.classes}, {"merges", checked.merges}});
        else
            json["units"] = checked.units;
        if (!checked.designs.empty()) json["designs"] = checked.designs;
        if (!checked.shape.empty()) json["shape"] = checked.shape;
        if (checked.handshake)
            json["handshake"] = {{"cycles", checked.handshake->cycles},
                                 {"reset_edges", checked.handshake->reset_edges},
                                 {"can_wait", checked.handshake->can_wait},
                                 {"takes_within", checked.handshake->most_patience() + 1},
                                 {"states", checked.handshake->states.size()}};
        json["obligations"] = checked.obligations;
        json["assumed"] = checked.assumed;
    }
    json["seconds"] = seconds;
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace discern::certificate
