// Ports are matched with operands, as the options say or by names and widths.
#include "connection.hpp"

#include "read/cells.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace discern::rtl {

namespace {

struct Row {
    std::string name;
    int count, width;
};

std::vector<Row> rows_of(const Shape& shape) {
    const auto width = [](FormatId id) { return format(id).width; };
    std::vector<Row> rows = {{"a", shape.K, width(shape.a)}, {"b", shape.K, width(shape.b)}};
    if (shape.scale) {
        rows.push_back({"sa", shape.scales(), width(shape.scale->format)});
        rows.push_back({"sb", shape.scales(), width(shape.scale->format)});
    }
    if (shape.c) rows.push_back({"c", 1, width(*shape.c)});
    rows.push_back({"d", 1, width(shape.d)});
    return rows;
}

std::vector<std::string> split(const std::string& text, char by) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == by)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::pair<std::string, std::string> assignment(const std::string& text, const char* option, const char* like) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw Error(sentence(option, ": ", excerpt(text), " must be written ", like));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

class Connecting {
  public:
    Connecting(const Design& design, const Shape& shape, const ConnectionText& text)
        : design_(design), text_(text), rows_(rows_of(shape)) {}

    Connection run() {
        timing();
        if (!text_.map.empty())
            for (const std::string& part : split(text_.map, ',')) map(part);
        for (const Row& row : rows_) by_name(row);
        for (const std::string& part : text_.set) set(part);
        require_all_inputs();
        return std::move(result_);
    }

  private:
    const Port& require_port(const std::string& name, const char* option, bool is_input) const {
        const Port* const port = design_.find(name);
        std::vector<std::string> names;
        for (const Port& p : design_.ports)
            if (p.is_input == is_input) names.push_back(p.name);
        if (port == nullptr)
            throw Error(sentence(option, ": module ", excerpt(design_.top), " has no port ", excerpt(name),
                                 did_you_mean(name, names)));
        if (port->is_input != is_input)
            throw Error(sentence(option, ": port ", excerpt(name), " of module ", excerpt(design_.top), " is an ",
                                 port->is_input ? "input" : "output", "; it must be an ",
                                 is_input ? "input" : "output"));
        return *port;
    }

    static std::string bits(int n) { return counted(static_cast<std::size_t>(n), "bit"); }

    void use(const std::string& name, PortUse what) {
        if (!result_.inputs.try_emplace(name, std::move(what)).second)
            throw Error(sentence("port ", excerpt(name),
                                 " is used twice; each is one operand, or set, or the clock, or the "
                                 "reset"));
    }

    static std::vector<bool> value_of(const std::string& text, std::size_t width, const std::string& port) {
        std::uint64_t value = 0;
        const bool is_hex = text.starts_with("0x");
        const char* const begin = text.data() + (is_hex ? 2 : 0);
        const char* const end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
        if (error != std::errc() || stopped != end || (width < 64 && value >> width != 0))
            throw Error(sentence("--set: ", excerpt(text), " is no value of port ", excerpt(port), ", which has ",
                                 bits(static_cast<int>(width)), "; values are written 5 or 0x5"));
        std::vector<bool> result;
        for (std::size_t i = 0; i < width; ++i) result.push_back(i < 64 && ((value >> i) & 1u) != 0);
        return result;
    }

    void timing() {
        result_.cycles = text_.cycles.value_or(0);
        result_.hold = text_.hold;
        result_.once = text_.once;
        result_.has_clock = !text_.clock.empty();
        result_.has_reset = !text_.reset.empty();
        if (text_.once && !result_.has_reset) throw Error("--once: which port is the reset? --reset names it");
        if (text_.cycles && !result_.has_clock) throw Error("--cycles: which port is the clock? --clock names it");
        if (result_.has_clock && !text_.cycles)
            throw Error("--clock: --cycles says after how many edges of the clock the result is there");
        if (result_.has_clock) {
            if (require_port(text_.clock, "--clock", true).bits.size() != 1)
                throw Error(sentence("--clock: port ", excerpt(text_.clock), " has more than one bit"));
            use(text_.clock, {PortUse::Kind::clock, {}, {}});
        }
        if (result_.has_reset) {
            const auto equals = text_.reset.find('=');
            const std::string name = text_.reset.substr(0, equals);
            const bool active = equals == std::string::npos || text_.reset.substr(equals + 1) != "0";
            if (!result_.has_clock) throw Error("--reset: which port is the clock? --clock names it");
            if (require_port(name, "--reset", true).bits.size() != 1)
                throw Error(sentence("--reset: port ", excerpt(name), " has more than one bit"));
            use(name, {PortUse::Kind::reset, {}, {active}});
        }
    }

    const Row& require_row(const std::string& operand) const {
        for (const Row& row : rows_)
            if (row.name == operand) return row;
        std::string names;
        for (const Row& row : rows_) names += (names.empty() ? "" : ", ") + row.name;
        throw Error(sentence("--map: the unit has no operand ", excerpt(operand), "; it has ", names));
    }

    /// "a=port", "a=p0+p1", "a[3]=port"
    void map(const std::string& part) {
        auto [operand, ports] = assignment(part, "--map", "OPERAND=PORT, such as a=op_a");
        std::optional<int> index;
        if (const auto bracket = operand.find('['); bracket != std::string::npos) {
            int value = -1;
            const char* const end = operand.data() + operand.size() - 1;
            const auto [stopped, error] = std::from_chars(operand.data() + bracket + 1, end, value);
            if (error != std::errc() || stopped != end || operand.back() != ']')
                throw Error(sentence("--map: ", excerpt(operand), " must be written a[3]"));
            operand.resize(bracket);
            index = value;
        }
        const Row& row = require_row(operand);
        const std::vector<std::string> names = split(ports, '+');
        if (index) {
            if (*index < 0 || *index >= row.count)
                throw Error(sentence("--map: ", operand, " has no element ", *index, "; it has ",
                                     counted(static_cast<std::size_t>(row.count), "pattern")));
            if (names.size() != 1) throw Error(sentence("--map: ", operand, "[", *index, "] must be one port"));
            connect_patterns(row, *index, 1, names.front());
        } else if (names.size() == 1) {
            connect_patterns(row, 0, row.count, names.front());
        } else {
            if (static_cast<int>(names.size()) != row.count)
                throw Error(sentence("--map: ", operand, " has ",
                                     counted(static_cast<std::size_t>(row.count), "pattern"), ", and ", names.size(),
                                     " ports are named"));
            for (int i = 0; i < row.count; ++i) connect_patterns(row, i, 1, names[static_cast<std::size_t>(i)]);
        }
    }

    void connect_patterns(const Row& row, int first, int count, const std::string& name) {
        const bool is_result = row.name == "d";
        const Port& port = require_port(name, "--map", !is_result);
        const int wanted = count * row.width, there = static_cast<int>(port.bits.size());
        if (wanted != there)
            throw Error(sentence("--map: port ", excerpt(name), " has ", bits(there), ", but ", row.name,
                                 row.count > 1 && count == 1 ? sentence("[", first, "]") : "", " has ", bits(wanted),
                                 count > 1 ? sentence(" (", count, " patterns of ", row.width, ")") : ""));
        PortUse what{PortUse::Kind::operands, {}, {}};
        for (int i = first; i < first + count; ++i) {
            if (!connected_.insert(sentence(row.name, "[", i, "]")).second)
                throw Error(
                    sentence("--map: ", row.name, row.count > 1 ? sentence("[", i, "]") : "", " is connected twice"));
            what.patterns.push_back({row.name, i, row.width});
        }
        if (is_result)
            result_.outputs.emplace_back(name, what.patterns.front());
        else
            use(name, std::move(what));
    }

    /// An operand that was not mapped is the port of its name, if there is one.
    void by_name(const Row& row) {
        int there = 0;
        for (int i = 0; i < row.count; ++i) there += connected_.contains(sentence(row.name, "[", i, "]")) ? 1 : 0;
        if (there == row.count) return;
        if (there == 0 && design_.find(row.name) != nullptr && !result_.inputs.contains(row.name)) {
            connect_patterns(row, 0, row.count, row.name);
            return;
        }
        if (there > 0)
            throw Error(
                sentence("--map: only ", there, " of the ", row.count, " patterns of ", row.name, " are connected"));
        throw Error(sentence("--map: ", row.name, " is connected to no port of module ", excerpt(design_.top),
                             ", which has ", port_list(row.name != "d"), "; --map ", row.name, "=PORT names it"));
    }

    std::string port_list(bool inputs) const {
        std::string names;
        for (const Port& p : design_.ports)
            if (p.is_input == inputs) names += (names.empty() ? "" : ", ") + p.name;
        return sentence("the ", inputs ? "inputs " : "outputs ", names);
    }

    void set(const std::string& part) {
        const auto [name, value] = assignment(part, "--set", "PORT=VALUE, such as mode=0");
        const Port& port = require_port(name, "--set", true);
        use(name, {PortUse::Kind::constant, {}, value_of(value, port.bits.size(), name)});
    }

    bool is_clock(const Port& port) const {
        return std::any_of(design_.cells.begin(), design_.cells.end(), [&](const Cell& cell) {
            return is_register(cell) && cell.pin("CLK").front() == port.bits.front();
        });
    }

    void require_all_inputs() const {
        for (const Port& port : design_.ports)
            if (port.is_input && !result_.inputs.contains(port.name) && is_clock(port))
                throw Error(sentence("input ", excerpt(port.name), " of module ", excerpt(design_.top),
                                     " is the clock of registers; --clock ", port.name,
                                     " --cycles N says so, with N edges from the operands to their result"));
        for (const Port& port : design_.ports)
            if (port.is_input && !result_.inputs.contains(port.name))
                throw Error(sentence("input ", excerpt(port.name), " of module ", excerpt(design_.top),
                                     " is neither an operand nor set; --map OPERAND=", port.name, " or --set ",
                                     port.name, "=VALUE says what is on it"));
    }

    const Design& design_;
    const ConnectionText& text_;
    std::vector<Row> rows_;
    std::set<std::string> connected_;
    Connection result_;
};

} // namespace

Connection connect(const Design& design, const Shape& shape, const ConnectionText& text) {
    return Connecting(design, shape, text).run();
}

} // namespace discern::rtl
