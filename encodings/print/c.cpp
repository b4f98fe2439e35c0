// A unit as C99 that needs nothing but <stdint.h>, with the function that SystemVerilog calls through DPI-C.
//
// Words of up to 64 bits are uint64_t; wider ones are arrays, lowest word first, and what is done with them are the few
// functions at the top of the file.
#include "forms.hpp"
#include "ports.hpp"

#include "encodings/datapath/datapath.hpp"

#include "models/format.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <stdexcept>
#include <unordered_map>

namespace discern::rtl {

namespace {

constexpr std::string_view word_functions = R"(
#ifndef DISCERN_WORDS
#define DISCERN_WORDS
/* Not every unit needs all of them. */
#if defined(__GNUC__)
#define DISCERN_HELPER static __attribute__((unused))
#else
#define DISCERN_HELPER static
#endif
/* Words of n times 64 bits, the lowest first. */
DISCERN_HELPER void discern_cut(uint64_t *y, int width) {
    int n = (width + 63) / 64;
    if (width % 64 != 0) y[n - 1] &= ((uint64_t)1 << (width % 64)) - 1;
}
DISCERN_HELPER void discern_set(uint64_t *y, int n, const uint64_t *x, int m) {
    int i;
    for (i = 0; i < n; ++i) y[i] = i < m ? x[i] : 0;
}
DISCERN_HELPER void discern_add(uint64_t *y, const uint64_t *a, const uint64_t *b, int width) {
    int i, n = (width + 63) / 64;
    uint64_t carry = 0;
    for (i = 0; i < n; ++i) {
        uint64_t s = a[i] + carry;
        carry = s < carry;
        y[i] = s + b[i];
        carry += y[i] < s;
    }
    discern_cut(y, width);
}
DISCERN_HELPER void discern_not(uint64_t *y, const uint64_t *a, int width) {
    int i, n = (width + 63) / 64;
    for (i = 0; i < n; ++i) y[i] = ~a[i];
    discern_cut(y, width);
}
DISCERN_HELPER void discern_neg(uint64_t *y, const uint64_t *a, int width) {
    int i, n = (width + 63) / 64;
    uint64_t carry = 1;
    for (i = 0; i < n; ++i) {
        y[i] = ~a[i] + carry;
        carry = carry && y[i] == 0;
    }
    discern_cut(y, width);
}
DISCERN_HELPER void discern_and(uint64_t *y, const uint64_t *a, const uint64_t *b, int n) {
    while (n-- > 0) y[n] = a[n] & b[n];
}
DISCERN_HELPER void discern_or(uint64_t *y, const uint64_t *a, const uint64_t *b, int n) {
    while (n-- > 0) y[n] = a[n] | b[n];
}
DISCERN_HELPER void discern_xor(uint64_t *y, const uint64_t *a, const uint64_t *b, int n) {
    while (n-- > 0) y[n] = a[n] ^ b[n];
}
DISCERN_HELPER void discern_mul(uint64_t *y, const uint64_t *a, const uint64_t *b, int width) {
    int i, j, n = 2 * ((width + 63) / 64); /* by halves of words */
    for (i = 0; i < n / 2; ++i) y[i] = 0;
    for (i = 0; i < n; ++i) {
        uint64_t carry = 0, x = (a[i / 2] >> (i % 2 * 32)) & 0xffffffffu;
        for (j = 0; i + j < n; ++j) {
            int at = i + j;
            uint64_t z = (b[j / 2] >> (j % 2 * 32)) & 0xffffffffu, old = (y[at / 2] >> (at % 2 * 32)) & 0xffffffffu;
            uint64_t s = x * z + old + carry;
            carry = s >> 32;
            y[at / 2] = (y[at / 2] & ~((uint64_t)0xffffffffu << (at % 2 * 32))) | ((s & 0xffffffffu) << (at % 2 * 32));
        }
    }
    discern_cut(y, width);
}
DISCERN_HELPER void discern_shl(uint64_t *y, const uint64_t *a, uint64_t by, int width) {
    int i, n = (width + 63) / 64;
    for (i = n - 1; i >= 0; --i) {
        uint64_t x = 0;
        if (by < (uint64_t)width) {
            int k = i - (int)(by / 64), r = (int)(by % 64);
            if (k >= 0) x = a[k] << r;
            if (k >= 1 && r != 0) x |= a[k - 1] >> (64 - r);
        }
        y[i] = x;
    }
    discern_cut(y, width);
}
DISCERN_HELPER void discern_shr(uint64_t *y, const uint64_t *a, uint64_t by, int width) {
    int i, n = (width + 63) / 64;
    for (i = 0; i < n; ++i) {
        uint64_t x = 0;
        if (by < (uint64_t)width) {
            int k = i + (int)(by / 64), r = (int)(by % 64);
            if (k < n) x = a[k] >> r;
            if (k + 1 < n && r != 0) x |= a[k + 1] << (64 - r);
        }
        y[i] = x;
    }
}
/* With copies of the sign. */
DISCERN_HELPER void discern_sar(uint64_t *y, const uint64_t *a, uint64_t by, int width) {
    int i, n = (width + 63) / 64;
    uint64_t flip = (a[n - 1] >> ((width - 1) % 64)) & 1 ? ~(uint64_t)0 : 0;
    uint64_t x[64];
    for (i = 0; i < n; ++i) x[i] = a[i] ^ flip;
    discern_cut(x, width);
    discern_shr(y, x, by, width);
    for (i = 0; i < n; ++i) y[i] ^= flip;
    discern_cut(y, width);
}
DISCERN_HELPER void discern_widen(uint64_t *y, int width, const uint64_t *x, int from) {
    int i, n = (width + 63) / 64, m = (from + 63) / 64;
    uint64_t sign = (x[m - 1] >> ((from - 1) % 64)) & 1 ? ~(uint64_t)0 : 0;
    for (i = 0; i < n; ++i) y[i] = i < m ? x[i] : sign;
    if (from % 64 != 0) y[m - 1] |= sign << (from % 64);
    discern_cut(y, width);
}
DISCERN_HELPER int discern_less(const uint64_t *a, const uint64_t *b, int n) {
    while (n-- > 0)
        if (a[n] != b[n]) return a[n] < b[n];
    return 0;
}
DISCERN_HELPER int discern_equal(const uint64_t *a, const uint64_t *b, int n) {
    while (n-- > 0)
        if (a[n] != b[n]) return 0;
    return 1;
}
DISCERN_HELPER void discern_take(uint64_t *y, const uint64_t *a, int n, int low, int width) {
    int i, m = (width + 63) / 64;
    for (i = 0; i < m; ++i) {
        int k = i + low / 64, r = low % 64;
        y[i] = k < n ? a[k] >> r : 0;
        if (r != 0 && k + 1 < n) y[i] |= a[k + 1] << (64 - r);
    }
    discern_cut(y, width);
}
DISCERN_HELPER void discern_join(uint64_t *y, const uint64_t *high, int high_n, const uint64_t *low, int low_n, int low_width,
                         int width) {
    int i, n = (width + 63) / 64;
    for (i = 0; i < n; ++i) {
        int k = i - low_width / 64, r = low_width % 64;
        uint64_t x = i < low_n ? low[i] : 0;
        if (k >= 0 && k < high_n) x |= high[k] << r;
        if (r != 0 && k >= 1 && k - 1 < high_n) x |= high[k - 1] >> (64 - r);
        y[i] = x;
    }
}
/* `width` bits of an array of 32-bit words from bit `low` on. */
DISCERN_HELPER uint64_t discern_pattern(const uint32_t *x, int low, int width) {
    int i;
    uint64_t y = 0;
    for (i = 0; i < width; ++i) y |= (uint64_t)((x[(low + i) / 32] >> ((low + i) % 32)) & 1u) << i;
    return y;
}
#endif
)";

class Printer {
  public:
    Printer(const Datapath& datapath, std::string& out) : datapath_(datapath), t_(datapath.terms), out_(out) {}

    void print() {
        for (const OperandPort& port : operand_ports(t_, datapath_.inputs))
            for (std::size_t i = 0; i < port.patterns.size(); ++i)
                names_[port.patterns[i].id] = port.name == "c" ? "c" : sentence(port.name, "[", i, "]");
        std::unordered_map<std::uint32_t, const Datapath::Line*> lines;
        for (const Datapath::Line& line : datapath_.lines)
            if (!line.name.empty()) lines.try_emplace(line.term.id, &line);
        const Term roots[] = {datapath_.d};
        for (const Term x : t_.cone(roots)) {
            if (t_.op(x) == Op::variable || (t_.is_constant(x) && t_.width(x) <= 64)) continue;
            const auto line = lines.find(x.id);
            const std::string name = line != lines.end() ? line->second->name : sentence("t", helpers_++);
            print(x, name);
            names_[x.id] = name;
        }
        out_ += "    return " + of(datapath_.d) + ";\n";
    }

  private:
    int words_of(Term x) const { return (t_.width(x) + 63) / 64; }
    bool is_wide(Term x) const { return t_.width(x) > 64; }
    static std::string number(std::uint64_t x) { return sentence("UINT64_C(", x, ")"); }

    std::string of(Term x) const {
        if (const auto named = names_.find(x.id); named != names_.end()) return named->second;
        return number(t_.value(x).low());
    }
    /// As an array.
    std::string array(Term x) const { return is_wide(x) ? of(x) : "(const uint64_t[]){" + of(x) + "}"; }

    static std::uint64_t mask_of(int width) { return width == 64 ? ~0ull : (std::uint64_t{1} << width) - 1; }
    static std::string mask(const std::string& value, int width) {
        return width == 64 ? value : "(" + value + ") & " + number(mask_of(width));
    }

    void print(Term x, const std::string& name) {
        if (!is_wide(x)) {
            out_ += "    const uint64_t " + name + " = " + narrow(x) + ";\n";
            return;
        }
        const int n = words_of(x);
        if (t_.is_constant(x)) {
            out_ += sentence("    const uint64_t ", name, "[", n, "] = {");
            for (const std::uint64_t word : t_.value(x).words()) out_ += number(word) + ", ";
            out_ += "};\n";
            return;
        }
        out_ += sentence("    uint64_t ", name, "[", n, "];\n    ", wide(x, name), ";\n");
    }

    template <typename... Parts>
    static std::string call(const char* function, const std::string& first, const Parts&... more) {
        return sentence("discern_", function, "(", first) + (sentence(", ", more) + ...) + ")";
    }
    /// Of an operator, with all operands of the term.
    std::string operation(const char* function, const std::string& name, Term x, int last) const {
        std::string text = name;
        for (const Term arg : t_.args(x)) text += ", " + array(arg);
        return call(function, text, last);
    }

    /// Statements for a word of more than 64 bits.
    std::string wide(Term x, const std::string& name) const {
        const auto args = t_.args(x);
        const int width = t_.width(x), n = words_of(x);
        switch (t_.op(x)) {
        case Op::bvnot: return operation("not", name, x, width);
        case Op::bvneg: return operation("neg", name, x, width);
        case Op::bvand: return operation("and", name, x, n);
        case Op::bvor: return operation("or", name, x, n);
        case Op::bvxor: return operation("xor", name, x, n);
        case Op::bvmul: return operation("mul", name, x, width);
        case Op::bvadd: {
            std::string text = call("set", name, n, array(args[0]), n);
            for (const Term arg : args.subspan(1)) text += "; " + call("add", name, name, array(arg), width);
            return text;
        }
        case Op::sign_extend: return call("widen", name, width, array(args[0]), t_.width(args[0]));
        case Op::bvshl: return call("shl", name, array(args[0]), of(args[1]), width);
        case Op::bvlshr: return call("shr", name, array(args[0]), of(args[1]), width);
        case Op::bvashr: return call("sar", name, array(args[0]), of(args[1]), width);
        case Op::ite:
            return call("set", name, n, sentence(of(args[0]), " ? ", array(args[1]), " : ", array(args[2])), n);
        case Op::concat:
            return call("join", name, array(args[0]), words_of(args[0]), array(args[1]), words_of(args[1]),
                        t_.width(args[1]), width);
        case Op::extract: return call("take", name, array(args[0]), words_of(args[0]), t_.low(x), width);
        case Op::zero_extend: return call("set", name, n, array(args[0]), words_of(args[0]));
        default: throw std::logic_error("a datapath has an operation that C is not printed for");
        }
    }

    std::string joined(Term x, const char* with) const {
        std::string text;
        for (const Term arg : t_.args(x)) text += (text.empty() ? "" : std::string(" ") + with + " ") + of(arg);
        return text;
    }

    /// An expression for a word of at most 64 bits.
    std::string narrow(Term x) const {
        const auto args = t_.args(x);
        const int width = t_.width(x);
        switch (t_.op(x)) {
        case Op::bvnot: return mask("~" + of(args[0]), width);
        case Op::bvneg: return mask("0 - " + of(args[0]), width);
        case Op::bvand: return joined(x, "&");
        case Op::bvor: return joined(x, "|");
        case Op::bvxor: return joined(x, "^");
        case Op::bvadd: return mask(joined(x, "+"), width);
        case Op::bvmul: return mask(joined(x, "*"), width);
        case Op::bvshl:
        case Op::bvlshr: {
            const std::string by = of(args[1]);
            const bool left = t_.op(x) == Op::bvshl;
            const std::string shifted = of(args[0]) + (left ? " << " : " >> ") + by;
            return sentence(by, " < ", width, " ? ", left ? mask(shifted, width) : shifted, " : 0");
        }
        case Op::bvashr: {
            const std::string a = of(args[0]), by = of(args[1]), ones = number(mask_of(width));
            return sentence("((", a, " >> ", width - 1, ") & 1) != 0 ? ", ones, " & ~(", by, " < ", width, " ? (~", a,
                            " & ", ones, ") >> ", by, " : 0) : (", by, " < ", width, " ? ", a, " >> ", by, " : 0)");
        }
        case Op::sign_extend: {
            const int from = t_.width(args[0]);
            const std::string a = of(args[0]);
            return sentence("((", a, " >> ", from - 1, ") & 1) != 0 ? ", a, " | ",
                            number(mask_of(width) & ~mask_of(from)), " : ", a);
        }
        case Op::bvult:
        case Op::eq: {
            const bool less = t_.op(x) == Op::bvult;
            if (!is_wide(args[0])) return of(args[0]) + (less ? " < " : " == ") + of(args[1]);
            return call(less ? "less" : "equal", of(args[0]), of(args[1]), words_of(args[0])) + " ? 1 : 0";
        }
        case Op::ite: return of(args[0]) + " ? " + of(args[1]) + " : " + of(args[2]);
        case Op::concat: return sentence("(", of(args[0]), " << ", t_.width(args[1]), ") | ", of(args[1]));
        case Op::extract: {
            const int low = t_.low(x), word = low / 64, shift = low % 64;
            if (!is_wide(args[0])) return mask(sentence(of(args[0]), " >> ", low), width);
            std::string text = sentence("(", of(args[0]), "[", word, "] >> ", shift, ")");
            if (shift + width > 64) text += sentence(" | (", of(args[0]), "[", word + 1, "] << ", 64 - shift, ")");
            return mask(text, width);
        }
        case Op::zero_extend: return of(args[0]);
        default: throw std::logic_error("a datapath has an operation that C is not printed for");
        }
    }

    const Datapath& datapath_;
    const Terms& t_;
    std::string& out_;
    std::unordered_map<std::uint32_t, std::string> names_;
    int helpers_ = 0;
};

} // namespace

std::string to_dpi(const UnitToWrite& what) {
    const Datapath datapath(what.unit, what.flags);
    const Terms& t = datapath.terms;
    const auto ports = operand_ports(t, datapath.inputs);
    const int d_width = t.width(datapath.d);
    std::string imports = sentence("import \"DPI-C\" function void ", what.symbol, "_dpi("), dpi, unit, calls, arrays;
    for (const OperandPort& port : ports) {
        imports += sentence("input bit [", port.width - 1, ":0] ", port.name, ", ");
        dpi += sentence("const uint32_t *", port.name, ", ");
        const char* const comma = unit.empty() ? "" : ", ";
        if (port.name == "c") {
            unit += sentence(comma, "uint64_t c");
            calls += sentence(comma, "discern_pattern(c, 0, ", port.width, ")");
            continue;
        }
        unit += sentence(comma, "const uint64_t *", port.name);
        calls += sentence(comma, port.name, "_patterns");
        arrays += sentence("    uint64_t ", port.name, "_patterns[", port.patterns.size(), "];\n    for (i = 0; i < ",
                           port.patterns.size(), "; ++i) ", port.name, "_patterns[i] = discern_pattern(", port.name,
                           ", ", port.pattern, " * i, ", port.pattern, ");\n");
    }
    imports += sentence("output bit [", d_width - 1, ":0] d);");
    std::string out =
        sentence("/* ", what.name, "\n *\n * ", to_string(what.unit), "\n *\n * ", what.symbol, "() gives ",
                 what.of_d(), " as a pattern; a, b, sa and sb point to their patterns, element 0 first.\n * ",
                 what.symbol, "_dpi() is the same for SystemVerilog, which declares it as\n *\n *   ", imports,
                 "\n *\n * with operands packed in the order of k, element 0 lowest. C99, and C++11; nothing else is "
                 "needed.\n *\n"
                 " * Written by: ",
                 what.origin, "\n * ", licence_line, "\n */\n#include <stdint.h>\n", word_functions,
                 "\n#ifdef __cplusplus /* as which Verilator compiles it */\nextern \"C\" {\n#endif\nuint64_t ",
                 what.symbol, "(", unit, ");\nvoid ", what.symbol, "_dpi(", dpi,
                 "uint32_t *d);\n#ifdef __cplusplus\n}\n#endif\n\nuint64_t ", what.symbol, "(", unit, ") {\n");
    Printer(datapath, out).print();
    out += sentence("}\n\nvoid ", what.symbol, "_dpi(", dpi, "uint32_t *d) {\n    int i;\n    uint64_t y;\n", arrays,
                    "    y = ", what.symbol, "(", calls, ");\n    for (i = 0; i < ", (d_width + 31) / 32,
                    "; ++i) d[i] = (uint32_t)(y >> (32 * i));\n}\n");
    return out;
}

} // namespace discern::rtl
