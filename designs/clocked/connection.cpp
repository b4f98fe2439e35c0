// Ports are matched with operands, as the options say or by names and widths.
#include "connection.hpp"

#include "designs/read/cells.hpp"
#include "designs/read/sources.hpp"
#include "named_net.hpp"
#include "state.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace discern::rtl {

namespace {

struct Row {
    std::string name;
    int count;
    FormatId format;
    int width;
};

std::vector<Row> rows_of(const Shape& shape) {
    const auto row = [](const char* name, int count, FormatId id) { return Row{name, count, id, format(id).width}; };
    std::vector<Row> rows = {row("a", shape.K, shape.a), row("b", shape.K, shape.b)};
    if (shape.scale) {
        rows.push_back(row("sa", shape.scales(), shape.scale->format));
        rows.push_back(row("sb", shape.scales(), shape.scale->format));
    }
    if (shape.c) rows.push_back(row("c", 1, *shape.c));
    rows.push_back(row("d", 1, shape.d));
    return rows;
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
        state();
        handshake();
        if (!text_.map.empty())
            for (const std::string& part : split(text_.map, ',')) map(part);
        for (const Row& row : rows_) by_name(row);
        if (result_.state && !result_.outputs.empty())
            result_.result_is_state = design_.find(result_.outputs.front().first)->bits == result_.state->bits;
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

    /// "acc=c"
    void state() {
        if (text_.state.empty()) return;
        const auto [name, operand] = assignment(text_.state, "--state", "NET=c, such as acc=c");
        if (operand != "c")
            throw Error(sentence("--state: c is what a state can be, as in ", name, "=c, and not ", excerpt(operand)));
        if (!result_.has_clock) throw Error("--state: which port is the clock? --clock names it");
        if (result_.cycles == 0)
            throw Error("--state: after --cycles 0 the state is what it was; d is there after one edge or more");
        const Row *const c = find_row("c"), *const d = find_row("d");
        if (c == nullptr) throw Error("--state: the unit has no c");
        if (c->format != d->format)
            throw Error(sentence("--state: c is ", format(c->format).name, " and d is ", format(d->format).name,
                                 "; what an operation leaves is the next one's c, so they must have one format"));
        StateUse state{name, bits_of_net(design_, name, "--state"), result_.hold ? 0 : result_.cycles - 1};
        if (static_cast<int>(state.bits.size()) != c->width)
            throw Error(sentence("--state: net ", excerpt(name), " has ", bits(static_cast<int>(state.bits.size())),
                                 ", but c has ", bits(c->width)));
        parts_of_state(design_, state);
        result_.state = std::move(state);
    }

    /// "in_valid,out_valid" and "in_ready,out_ready"
    void handshake() {
        if (text_.valid.empty()) {
            if (!text_.ready.empty()) throw Error("--ready: which ports say what is valid? --valid IN,OUT names them");
            return;
        }
        if (!result_.has_reset)
            throw Error("--valid: after a reset no result is on its way, and it is the port named by --reset");
        for (const auto& [given, option] :
             {std::pair(text_.hold, "--hold"), {text_.once, "--once"}, {!text_.state.empty(), "--state"}})
            if (given) throw Error(sentence("--valid: ", option, " is of designs without a handshake"));
        Handshake ports;
        const auto two = [](const std::string& text, const char* option, const char* like) {
            std::vector<std::string> names = split(text, ',');
            if (names.size() != 2 || names[0].empty() || names[1].empty())
                throw Error(sentence(option, ": ", excerpt(text), " must be written IN,OUT, such as ", like));
            return std::pair(names[0], names[1]);
        };
        std::tie(ports.valid_in, ports.valid_out) = two(text_.valid, "--valid", "in_valid,out_valid");
        if (!text_.ready.empty())
            std::tie(ports.ready_in, ports.ready_out) = two(text_.ready, "--ready", "in_ready,out_ready");
        for (std::string* const name : {&ports.ready_in, &ports.ready_out})
            if (*name == "-") name->clear();
        const auto one_bit = [&](const std::string& name, const char* option, bool is_input) {
            if (!name.empty() && require_port(name, option, is_input).bits.size() != 1)
                throw Error(sentence(option, ": port ", excerpt(name), " has more than one bit"));
        };
        one_bit(ports.valid_in, "--valid", true);
        one_bit(ports.valid_out, "--valid", false);
        one_bit(ports.ready_in, "--ready", false);
        one_bit(ports.ready_out, "--ready", true);
        use(ports.valid_in, {PortUse::Kind::valid, {}, {}});
        if (!ports.ready_out.empty()) use(ports.ready_out, {PortUse::Kind::ready, {}, {}});
        result_.handshake = std::move(ports);
        result_.once = true; // as long as one operation is looked at
    }

    const Row* find_row(const std::string& operand) const {
        const auto found = std::ranges::find(rows_, operand, &Row::name);
        return found == rows_.end() ? nullptr : &*found;
    }

    const Row& require_row(const std::string& operand) const {
        if (const Row* const row = find_row(operand)) return *row;
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
        if (result_.state && row.name == "c")
            throw Error(sentence("--map: c is connected to ", excerpt(ports), ", but --state says that it is what ",
                                 excerpt(result_.state->name), " holds; one of the two is too much"));
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
        if (is_result && result_.state && name == result_.state->name && design_.find(name) == nullptr) {
            connected_.insert("d[0]");
            result_.result_is_state = true;
            return;
        }
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
        if (row.name == "c" && result_.state) return;
        int there = 0;
        for (int i = 0; i < row.count; ++i) there += connected_.contains(sentence(row.name, "[", i, "]")) ? 1 : 0;
        if (there == row.count) return;
        if (there == 0 && design_.find(row.name) != nullptr && !result_.inputs.contains(row.name)) {
            connect_patterns(row, 0, row.count, row.name);
            return;
        }
        if (row.name == "d" && result_.state) {
            result_.result_is_state = true;
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
