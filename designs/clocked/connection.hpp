// The mapping between the ports of a design and the operands of a unit.
#pragma once

#include "designs/read/design.hpp"

#include "models/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

/// A pattern of an operand: "a" and its index, or "c", "d" and 0.
struct Pattern {
    std::string operand;
    int index = 0;
    int width = 0;
};

/// The data on a port.
struct PortUse {
    enum class Kind { operands, constant, clock, reset, valid, ready } kind = Kind::constant;
    std::vector<Pattern> patterns; ///< lowest first
    std::vector<bool> value;       ///< of a constant; of the reset, when it is active
};

/// How an operand is spread, as it is written.
struct ConnectionText {
    std::string map; ///< "a=port,b=p0+p1,c=port,a[3]=port"; operands that are missing: ports of their names
    std::vector<std::string> set;        ///< "port=VALUE"
    std::string clock, reset;            ///< "port", or "port=0" for a reset that is active when it is 0
    std::optional<int> cycles;           ///< clock edges from the operands to their result; nothing: combinational
    bool hold = false;                   ///< the operands stay until the result is there
    bool once = false;                   ///< a reset comes before each operation
    std::vector<std::string> equal = {}; ///< cut points, "net=wire": see cuts.hpp
    bool by_cases = false;               ///< see DesignQuestion
    bool find_cycles = false;            ///< `cycles` is to be found: clocked/latency.hpp
    std::string valid = {}, ready = {};  ///< "in_valid,out_valid" and "in_ready,out_ready", "-" for none
    std::string state = {};              ///< "net=c": the register that is c before an operation, and d after it
};

/// Registers that are c before an operation and d after it: those of an accumulator.
struct StateUse {
    std::string name;      ///< of the net that they drive
    std::vector<Net> bits; ///< lowest first
    int cycle = 0;         ///< after how many edges from the operands on it is c; the next operation's is d
};

/// Ports that say when operands are taken, and when a result is: at an edge at which valid and ready are 1.
struct Handshake {
    std::string valid_in, ready_in;   ///< of operands: an input, and an output
    std::string valid_out, ready_out; ///< of results: an output, and an input. Without a ready it is always 1
};

struct Connection {
    std::map<std::string, PortUse> inputs;
    std::vector<std::pair<std::string, Pattern>> outputs; ///< the port of d
    int cycles = 0;
    bool hold = false, once = false;
    bool has_clock = false, has_reset = false;
    std::optional<StateUse> state;
    std::optional<Handshake> handshake; ///< `cycles` is how long a result takes that does not wait
    bool result_is_state = false;       ///< d is on no port, or on one that the state drives
};

/// @throws Error for a port that is not there, has another width or the wrong direction, an operand without port, and
/// an input that is neither mapped nor set
Connection connect(const Design& design, const Shape& shape, const ConnectionText& text);

} // namespace discern::rtl
