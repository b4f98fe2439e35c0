// A machine that runs PTX text: the few instructions that the kernels of gpu/ are written in, as PTX ISA 6.0 has them.
//
// No GPU is needed to know what a text computes. The machine shares nothing with what writes the text; it is strict
// where hardware is not: a register must be declared, have the size of the instruction, and be written before it is
// read.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace discern::testing {

class PtxMachine {
  public:
    /// @throws std::runtime_error for a line that it cannot read
    explicit PtxMachine(const std::string& text) {
        std::istringstream lines(text);
        std::vector<std::pair<std::size_t, std::string>> jumps;
        for (std::string line; std::getline(lines, line);) read(line, jumps);
        for (const auto& [at, label] : jumps) code_[at].target = labels_.at(label);
    }

    /// Runs all threads, one after the other. @param parameter  its bytes; addresses in it are those of this process
    void run(const void* parameter, unsigned blocks, unsigned threads) const {
        for (unsigned block = 0; block < blocks; ++block)
            for (unsigned thread = 0; thread < threads; ++thread)
                Thread{*this, static_cast<const std::uint8_t*>(parameter), block, thread}.run();
    }

  private:
    __extension__ using Wide = unsigned __int128;
    enum class Kind : std::uint8_t { number, reg, tid, ctaid };
    struct Operand {
        Kind kind = Kind::number;
        std::uint64_t value = 0; ///< or the register's index
        std::uint64_t offset = 0;
    };
    struct Thread;
    struct Instruction {
        std::string line;
        void (*execute)(Thread& thread, const Instruction& self) = nullptr;
        int guard = -1; ///< a predicate
        bool guard_negated = false;
        int bits = 64; ///< of the type
        int from_bits = 64;
        bool sets_carry = false, uses_carry = false, is_signed = false;
        std::string compare;
        std::vector<Operand> operands; ///< the destination first
        std::size_t target = 0;
    };

    struct Thread {
        const PtxMachine& machine;
        const std::uint8_t* parameter;
        unsigned block, thread;
        std::vector<std::uint64_t> registers = std::vector<std::uint64_t>(machine.bits_.size());
        std::vector<bool> written = std::vector<bool>(machine.bits_.size());
        bool carry = false;
        std::size_t next = 0;

        void run() {
            while (next < machine.code_.size()) {
                const Instruction& i = machine.code_[next++];
                if (i.guard >= 0 &&
                    (get(i, {Kind::reg, static_cast<std::uint64_t>(i.guard), 0}, 1) == 0) != i.guard_negated)
                    continue;
                i.execute(*this, i);
            }
        }
        [[noreturn]] static void fail(const Instruction& i, const char* why) {
            throw std::runtime_error(std::string(why) + ": " + i.line);
        }
        std::uint64_t get(const Instruction& i, const Operand& x, int bits) const {
            if (x.kind == Kind::tid || x.kind == Kind::ctaid) return x.kind == Kind::tid ? thread : block;
            if (x.kind == Kind::number) {
                if (bits < 64 && x.value >> bits != 0) fail(i, "a number is too large");
                return x.value;
            }
            if (machine.bits_[x.value] != bits) fail(i, "a register has another size");
            if (!written[x.value]) fail(i, "a register is read before it is written");
            return registers[x.value];
        }
        std::uint64_t source(const Instruction& i, std::size_t n) const { return get(i, i.operands.at(n), i.bits); }
        void set(const Instruction& i, std::uint64_t value, int bits) { set(i, i.operands.at(0), value, bits); }
        void set_second(const Instruction& i, std::uint64_t value) { set(i, i.operands.at(1), value, 32); }
        void set(const Instruction& i, const Operand& to, std::uint64_t value, int bits) {
            if (to.kind != Kind::reg || machine.bits_[to.value] != bits) fail(i, "a result has another size");
            registers[to.value] = bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
            written[to.value] = true;
        }
        void set(const Instruction& i, std::uint64_t value) { set(i, value, i.bits); }
        std::uint8_t* address(const Instruction& i, std::size_t n) const {
            const Operand& x = i.operands.at(n);
            return reinterpret_cast<std::uint8_t*>(get(i, x, 64) + x.offset);
        }
        void add(const Instruction& i, bool subtract) {
            // x − y is x + ~y + 1, and a borrow is a carry that did not come.
            const std::uint64_t all = i.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << i.bits) - 1;
            const std::uint64_t x = source(i, 1), y = subtract ? ~source(i, 2) & all : source(i, 2);
            const bool in = i.uses_carry ? carry != subtract : subtract;
            const Wide sum = static_cast<Wide>(x) + y + (in ? 1u : 0u);
            set(i, static_cast<std::uint64_t>(sum));
            if (i.sets_carry) carry = ((sum >> i.bits) != 0) != subtract;
        }
    };

    using Execute = void (*)(Thread&, const Instruction&);

    static std::int64_t signed_value(std::uint64_t x, int bits) {
        return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
    }

    static const std::map<std::string, Execute>& meanings() {
        using T = Thread&;
        using I = const Instruction&;
        static const std::map<std::string, Execute> table = {
            {"mov", [](T t, I i) { t.set(i, t.source(i, 1)); }},
            {"mov.pack",
             [](T t, I i) { t.set(i, t.get(i, i.operands.at(1), 32) | t.get(i, i.operands.at(2), 32) << 32); }},
            {"mov.unpack",
             [](T t, I i) {
                 const std::uint64_t x = t.get(i, i.operands.at(2), 64);
                 t.set(i, x & 0xffffffffu, 32);
                 t.set_second(i, x >> 32);
             }},
            {"cvta", [](T t, I i) { t.set(i, t.source(i, 1)); }},
            {"cvt", [](T t, I i) { t.set(i, t.get(i, i.operands.at(1), i.from_bits)); }},
            {"ld.param",
             [](T t, I i) {
                 std::uint64_t value = 0;
                 std::memcpy(&value, t.parameter + i.operands.at(1).offset, static_cast<std::size_t>(i.bits) / 8);
                 t.set(i, value);
             }},
            {"ld.global",
             [](T t, I i) {
                 std::uint64_t value = 0;
                 std::memcpy(&value, t.address(i, 1), static_cast<std::size_t>(i.bits) / 8);
                 if (i.is_signed) value = static_cast<std::uint64_t>(signed_value(value, i.bits));
                 t.set(i, value, i.bits < 32 ? 32 : i.bits);
             }},
            {"st.global",
             [](T t, I i) {
                 const std::uint64_t value = t.get(i, i.operands.at(1), i.bits < 32 ? 32 : i.bits);
                 std::memcpy(t.address(i, 0), &value, static_cast<std::size_t>(i.bits) / 8);
             }},
            {"add", [](T t, I i) { t.add(i, false); }},
            {"sub", [](T t, I i) { t.add(i, true); }},
            {"mul.lo", [](T t, I i) { t.set(i, t.source(i, 1) * t.source(i, 2)); }},
            {"mul.hi",
             [](T t, I i) {
                 t.set(i, static_cast<std::uint64_t>((static_cast<Wide>(t.source(i, 1)) * t.source(i, 2)) >> i.bits));
             }},
            {"mul.wide", [](T t, I i) { t.set(i, t.source(i, 1) * t.source(i, 2), 2 * i.bits); }},
            {"mad.lo", [](T t, I i) { t.set(i, t.source(i, 1) * t.source(i, 2) + t.source(i, 3)); }},
            {"div", [](T t, I i) { t.set(i, t.source(i, 1) / t.source(i, 2)); }},
            {"rem", [](T t, I i) { t.set(i, t.source(i, 1) % t.source(i, 2)); }},
            {"and", [](T t, I i) { t.set(i, t.source(i, 1) & t.source(i, 2)); }},
            {"or", [](T t, I i) { t.set(i, t.source(i, 1) | t.source(i, 2)); }},
            {"xor", [](T t, I i) { t.set(i, t.source(i, 1) ^ t.source(i, 2)); }},
            {"not", [](T t, I i) { t.set(i, ~t.source(i, 1)); }},
            {"max", [](T t, I i) { t.set(i, std::max(t.source(i, 1), t.source(i, 2))); }},
            {"min", [](T t, I i) { t.set(i, std::min(t.source(i, 1), t.source(i, 2))); }},
            {"lop3", // the table's index has a bit of the first operand at the top
             [](T t, I i) {
                 const std::uint64_t table = t.source(i, 4);
                 std::uint64_t value = 0;
                 for (int n = 0; n < 32; ++n) {
                     const auto bit = [&](std::size_t operand) { return t.source(i, operand) >> n & 1; };
                     value |= (table >> (bit(1) << 2 | bit(2) << 1 | bit(3)) & 1) << n;
                 }
                 t.set(i, value);
             }},
            {"shf.l.wrap",
             [](T t, I i) {
                 const std::uint64_t both = t.source(i, 2) << 32 | t.source(i, 1);
                 t.set(i, both << (t.source(i, 3) & 31) >> 32);
             }},
            {"shf.r.wrap",
             [](T t, I i) {
                 const std::uint64_t both = t.source(i, 2) << 32 | t.source(i, 1);
                 t.set(i, both >> (t.source(i, 3) & 31));
             }},
            {"bfind.shiftamt",
             [](T t, I i) {
                 const std::uint64_t x = t.source(i, 1);
                 t.set(i, x == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::countl_zero(x) - (64 - i.bits)),
                       32);
             }},
            {"shl",
             [](T t, I i) {
                 const std::uint64_t by = t.get(i, i.operands.at(2), 32);
                 t.set(i, by >= static_cast<std::uint64_t>(i.bits) ? 0 : t.source(i, 1) << by);
             }},
            {"shr",
             [](T t, I i) {
                 const auto width = static_cast<std::uint64_t>(i.bits);
                 const std::uint64_t by = std::min(t.get(i, i.operands.at(2), 32), width), x = t.source(i, 1);
                 if (i.is_signed)
                     t.set(i, static_cast<std::uint64_t>(signed_value(x, i.bits) >> std::min(by, width - 1)));
                 else
                     t.set(i, by == width ? 0 : x >> by);
             }},
            {"setp",
             [](T t, I i) {
                 const std::uint64_t x = t.source(i, 1), y = t.source(i, 2);
                 t.set(i,
                       i.compare == "eq"   ? x == y
                       : i.compare == "ne" ? x != y
                       : i.compare == "lt" ? x < y
                                           : x >= y,
                       1);
             }},
            {"selp", [](T t, I i) { t.set(i, t.source(i, t.get(i, i.operands.at(3), 1) != 0 ? 1 : 2)); }},
            {"bra", [](T t, I i) { t.next = i.target; }},
            {"ret", [](T t, I) { t.next = t.machine.code_.size(); }},
        };
        return table;
    }

    [[noreturn]] static void refuse(const std::string& line) {
        throw std::runtime_error("this is no PTX that the machine knows: " + line);
    }

    int index_of(const std::string& name, const std::string& line) const {
        const auto found = registers_.find(name);
        if (found == registers_.end()) refuse(line);
        return found->second;
    }

    Operand operand(std::string text, const std::string& line) const {
        Operand x;
        if (text.front() == '[') {
            const std::size_t plus = std::min(text.find('+'), text.size() - 1);
            if (text[plus] == '+') x.offset = std::stoull(text.substr(plus + 1));
            text = text.substr(1, plus - 1);
            if (text == "arguments") return x;
        }
        if (text == "%tid.x" || text == "%ctaid.x") {
            x.kind = text == "%tid.x" ? Kind::tid : Kind::ctaid;
        } else if (text.front() == '%') {
            x.kind = Kind::reg;
            x.value = static_cast<std::uint64_t>(index_of(text, line));
        } else {
            std::size_t end = 0;
            x.value = std::stoull(text, &end);
            if (end != text.size()) refuse(line);
        }
        return x;
    }

    /// ".reg .b32 %r<7>;" or ".reg .b64 %x, %y;"
    void declare(const std::string& line) {
        std::istringstream words(line);
        std::string word, type;
        words >> word >> type;
        const int bits = type == ".pred" ? 1 : type == ".b32" ? 32 : type == ".b64" ? 64 : 0;
        if (bits == 0) refuse(line);
        const auto add = [&](const std::string& name) {
            if (!registers_.emplace(name, static_cast<int>(bits_.size())).second) refuse(line);
            bits_.push_back(bits);
        };
        while (words >> word) {
            word.pop_back(); // a comma or the semicolon
            const std::size_t many = word.find('<');
            if (many == std::string::npos) add(word);
            for (int n = 0; many != std::string::npos && n < std::stoi(word.substr(many + 1)); ++n)
                add(word.substr(0, many) + std::to_string(n));
        }
    }

    void read(const std::string& line, std::vector<std::pair<std::size_t, std::string>>& jumps) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos) return;
        if (line.compare(begin, 4, ".reg") == 0) return declare(line);
        if (line[begin] == '.' || line[begin] == '/' || line[begin] == '{' || line[begin] == '}') return;
        if (line.back() == ':') {
            labels_[line.substr(0, line.size() - 1)] = code_.size();
            return;
        }
        if (line.back() != ';') refuse(line);
        Instruction i;
        i.line = line;
        std::istringstream words(line.substr(begin, line.size() - begin - 1));
        std::string name, word;
        words >> name;
        if (name.front() == '@') {
            i.guard_negated = name[1] == '!';
            i.guard = index_of(name.substr(i.guard_negated ? 2 : 1), line);
            words >> name;
        }
        std::istringstream parts(name);
        std::string base;
        bool has_type = false;
        for (std::string part; std::getline(parts, part, '.');) {
            if (base.empty()) {
                base = part;
            } else if (part == "cc") {
                i.sets_carry = true;
            } else if (part == "lt" || part == "eq" || part == "ne" || part == "ge") {
                i.compare = part;
            } else if (part == "pred") {
                i.bits = 1;
            } else if (part.size() <= 3 && part.find_first_of("0123456789") == 1) {
                (has_type ? i.from_bits : i.bits) = std::stoi(part.substr(1));
                i.is_signed = part.front() == 's';
                has_type = true;
            } else if (base != "cvta") {
                base += "." + part;
            }
        }
        if (base == "addc" || base == "subc") {
            base.pop_back();
            i.uses_carry = true;
        }
        // "{%low,%high}" is a register of 64 bits as two.
        if (const std::size_t brace = line.find('{'); brace != std::string::npos)
            base += brace < line.find(',') ? ".unpack" : ".pack";
        const auto meaning = meanings().find(base);
        if (meaning == meanings().end()) refuse(line);
        i.execute = meaning->second;
        if (base == "bra") {
            words >> word;
            jumps.emplace_back(code_.size(), word);
        } else {
            while (words >> word) {
                if (word.back() == ',') word.pop_back();
                if (word.front() == '{') {
                    const std::size_t comma = word.find(',');
                    i.operands.push_back(operand(word.substr(1, comma - 1), line));
                    word = word.substr(comma + 1, word.size() - comma - 2);
                }
                i.operands.push_back(operand(word, line));
            }
        }
        code_.push_back(std::move(i));
    }

    std::map<std::string, int> registers_;
    std::vector<int> bits_; ///< of each register; 1: a predicate
    std::vector<Instruction> code_;
    std::map<std::string, std::size_t> labels_;
};

} // namespace discern::testing
