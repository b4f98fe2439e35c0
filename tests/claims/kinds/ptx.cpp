// `same-bits ptx:A ptx:B`: two small kernels give the same bits, or differ on operands that are shown.
//
// The second kernel is the first one changed a little: operands exchanged, lines in another order, another instruction
// or register. What they compute is known from the list of their lines, which is computed here with numbers, by nothing
// that reads, runs or folds PTX.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"

#include "folder.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <sstream>
#include <utility>

namespace discern::claims {

namespace {

constexpr int threads = 32, registers = 6, matrices = 48;

std::uint32_t bits_of(float x) { return std::isnan(x) ? 0x7fffffff : std::bit_cast<std::uint32_t>(x); }
float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The larger one, or the smaller one; −0 is smaller than +0, and a number counts beside a NaN.
float extreme(float x, float y, bool largest) {
    if (std::isnan(x)) return y;
    if (std::isnan(y)) return x;
    if (x == y) return std::signbit(x) == largest ? y : x;
    return (x > y) == largest ? x : y;
}

enum class Fusible { no, product, sum };

/// An instruction of registers that hold f32; "D", "X", "Y" and "Z" stand for their numbers.
struct Form {
    const char* ptx;
    bool (*exchanges)(); ///< nullptr: X and Y may not be exchanged
    std::uint32_t (*compute)(std::uint32_t x, std::uint32_t y, std::uint32_t z);
    Fusible fusible = Fusible::no;
};
bool yes() { return true; }

using U = std::uint32_t;
constexpr Form forms[] = {
    {"add.rn.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(number(x) + number(y)); }},
    {"add.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(number(x) + number(y)); }, Fusible::sum},
    {"sub.rn.f32 D, X, Y;", nullptr, [](U x, U y, U) { return bits_of(number(x) - number(y)); }},
    {"mul.rn.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(number(x) * number(y)); }},
    {"mul.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(number(x) * number(y)); }, Fusible::product},
    {"fma.rn.f32 D, X, Y, Z;", yes, [](U x, U y, U z) { return bits_of(std::fma(number(x), number(y), number(z))); }},
    {"mul.rn.f32 D, X, 0f3F800000;", nullptr, [](U x, U, U) { return bits_of(number(x)); }},
    {"fma.rn.f32 D, X, 0f3F800000, Y;", nullptr, [](U x, U y, U) { return bits_of(number(x) + number(y)); }},
    {"fma.rn.f32 D, X, 0f80000000, Y;", nullptr,
     [](U x, U y, U) { return bits_of(std::fma(number(x), -0.0F, number(y))); }},
    {"max.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(extreme(number(x), number(y), true)); }},
    {"min.f32 D, X, Y;", yes, [](U x, U y, U) { return bits_of(extreme(number(x), number(y), false)); }},
    {"setp.lt.f32 %p1, X, Y;\nselp.b32 D, Z, X, %p1;", nullptr,
     [](U x, U y, U z) { return number(x) < number(y) ? z : x; }},
    {"and.b32 D, X, 0xffff0000;", nullptr, [](U x, U, U) { return x & 0xffff0000; }},
    {"mov.b32 D, 0f40400000;", nullptr, [](U, U, U) { return bits_of(3); }},
    {"mov.b32 D, 0fBE800001;", nullptr, [](U, U, U) { return 0xbe800001; }},
};
constexpr int form_of(Fusible fusible) {
    return static_cast<int>(
        std::find_if(std::begin(forms), std::end(forms), [&](const Form& form) { return form.fusible == fusible; }) -
        std::begin(forms));
}
constexpr int exchange = std::size(forms); ///< D is the X of the thread beside

struct Line {
    int form = 0, d = 0, x = 0, y = 0, z = 0;
    bool is_guarded = false; ///< only the first eight threads
};
using Lines = std::vector<Line>;

Line draw_line(Random& random) {
    const auto reg = [&] { return random.below(registers); };
    return {random.below(exchange + 1), reg(), reg(), reg(), reg(), random.one_in(8)};
}

/// A product and a sum of it that the assembler may fuse, perhaps not in the first threads.
void add_fusible(Random& random, Lines& lines) {
    Line product = draw_line(random), sum = draw_line(random);
    product.form = form_of(Fusible::product);
    sum.form = form_of(Fusible::sum);
    sum.is_guarded = false;
    (random.one_in(2) ? sum.x : sum.y) = product.d;
    sum.d = random.one_in(2) ? 0 : sum.d;
    const bool is_of_some = std::exchange(product.is_guarded, false);
    lines.push_back(product);
    if (is_of_some) { // with .rn in the first threads
        lines.push_back(product);
        lines.back().form = product.form - 1;
        lines.back().is_guarded = true;
    }
    lines.push_back(sum);
}

void change(Random& random, Lines& lines) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(lines.size())));
    Line& line = lines[at];
    switch (random.below(6)) {
    case 0: line.x = random.below(registers); break;
    case 1:
        if (at > 0) std::swap(line, lines[at - 1]);
        break;
    case 2: line.form = random.below(exchange + 1); break;
    default:
        if (line.form != exchange && forms[line.form].exchanges != nullptr) std::swap(line.x, line.y);
    }
}

std::string written(const Lines& lines) {
    std::string text;
    for (const Line& l : lines)
        text += fmt::format("{} {} {} {} {} {}\n", l.form, l.d, l.x, l.y, l.z, l.is_guarded ? 1 : 0);
    return text;
}
Lines read(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (Line l; in >> l.form >> l.d >> l.x >> l.y >> l.z >> l.is_guarded;) lines.push_back(l);
    return lines;
}

std::string ptx_of(const Lines& lines) {
    std::string body;
    for (const Line& line : lines) {
        std::string text = line.form == exchange ? "shfl.sync.bfly.b32 D, X, 1, 31, -1;" : forms[line.form].ptx;
        const auto put = [&](char letter, int reg) {
            for (std::size_t at = text.find(letter); at != std::string::npos; at = text.find(letter, at + 1))
                if (at > 0 && text[at - 1] == ' ') text.replace(at, 1, fmt::format("%f{}", reg));
        };
        put('D', line.d);
        put('X', line.x);
        put('Y', line.y);
        put('Z', line.z);
        if (line.is_guarded && line.form != exchange) text.insert(text.rfind('\n') + 1, "@%p0 "); // npos + 1 is 0
        body += text + "\n";
    }
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 d)\n.reqntid "
           "32\n"
           "{\n.reg .pred %p<2>;\n.reg .b32 %f<6>;\n.reg .b32 %r<2>;\n.reg .b64 %q<5>;\n"
           "ld.param.u64 %q1, [a];\nld.param.u64 %q2, [d];\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p0, %r1, 8;\n"
           "mul.wide.u32 %q3, %r1, 32;\nadd.s64 %q3, %q3, %q1;\nld.global.v4.b32 {%f0, %f1, %f2, %f3}, [%q3];\n"
           "ld.global.v2.b32 {%f4, %f5}, [%q3+16];\n" +
           body + "mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q4, %q4, %q2;\nst.global.b32 [%q4], %f0;\nret;\n}\n";
}

constexpr const char* launch = R"({"launch":1,"arguments":[{"matrix":"A","format":"f32","shape":[32,8],"axes":"mk"},
{"result":"D","format":"f32","shape":[32],"axes":"m"}]})";

using Matrix = std::array<std::array<U, 8>, threads>;

struct RegisterResults {
    std::array<U, threads> d{};
    bool may_be_fused = false; ///< a result depends on a product and a sum that the assembler may make one
};

RegisterResults computed(const Lines& lines, const Matrix& a) {
    struct Value {
        U bits = 0;
        bool is_product = false, is_open = false;
        bool is_known = false; ///< it is a number of the kernel
    };
    std::array<std::array<Value, registers>, threads> all;
    for (int t = 0; t < threads; ++t)
        for (int r = 0; r < registers; ++r) all[t][r] = {a[t][r]};
    for (const Line& line : lines) {
        const auto before = all;
        for (int t = 0; t < threads; ++t) {
            Value& d = all[t][line.d];
            if (line.form == exchange) {
                d = before[t ^ 1][line.x];
                continue;
            }
            // The predicate of a choice is made by all threads, guarded or not: only the choice is guarded.
            if (line.is_guarded && t >= 8) continue;
            const Form& form = forms[line.form];
            const Value &x = before[t][line.x], &y = before[t][line.y], &z = before[t][line.z];
            const std::string_view text = form.ptx;
            const auto has = [&](const char* name) { return text.find(name) != std::string_view::npos; };
            const bool is_no_choice = has("selp") && x.bits == z.bits; // whatever the comparison says
            bool is_known = (!has(" X") || x.is_known) && (!has(" Y") || y.is_known) && (!has(" Z") || z.is_known);
            const Value& chosen = number(x.bits) < number(y.bits) ? z : x;
            const bool is_one_choice = has("selp") && x.is_known && y.is_known; // the other value does not count
            if (has("selp")) {
                is_known = x.is_known && y.is_known ? chosen.is_known : is_no_choice && x.is_known && z.is_known;
            }
            const U bits = form.compute(x.bits, y.bits, z.bits);
            // An exact product of two numbers is the same, fused or not.
            const bool is_exact = is_known && double(number(x.bits)) * double(number(y.bits)) == double(number(bits));
            d = {bits, form.fusible == Fusible::product && !is_exact,
                 is_one_choice
                     ? chosen.is_open
                     : (has(" X") && x.is_open) || (has(" Y") && y.is_open && !is_no_choice) ||
                           (has(" Z") && z.is_open) || (form.fusible == Fusible::sum && (x.is_product || y.is_product)),
                 is_known};
        }
    }
    RegisterResults results;
    for (int t = 0; t < threads; ++t) {
        results.d[t] = all[t][0].bits;
        results.may_be_fused |= all[t][0].is_open;
    }
    return results;
}

U draw_word(Random& random) {
    constexpr U special[] = {0,          0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fffffff,
                             0x00000001, 0x80000001, 0x7f7fffff, 0x34000000, 0x4b800000, 0xcb800000};
    if (random.one_in(3)) return special[random.below(static_cast<int>(std::size(special)))];
    const U bits = static_cast<U>(random.bits());
    return random.one_in(4) ? bits : (bits & 0x80ffffff) | 0x3f000000;
}

Case drawn_kernels(Random& random) {
    Lines lines;
    const int count = random.between(2, 9);
    for (int i = 0; i < count; ++i) {
        if (random.one_in(12)) add_fusible(random, lines);
        lines.push_back(draw_line(random));
    }
    Lines other = lines;
    for (int changes = random.between(1, 3); changes > 0; --changes) change(random, other);
    Case asked;
    asked.texts = {
        {"first", written(lines)}, {"second", written(other)}, {"seed", std::to_string(random.below(1000000))}};
    return asked;
}

/// The operands that a vector names; all others are +0.
Matrix matrix_of(const nlohmann::json& vector) {
    Matrix a{};
    const std::string element = std::to_string(vector.at("element").at(0).get<int>());
    for (const auto& [name, word] : vector.at("operands").items()) {
        const std::size_t comma = name.find(',');
        const std::string row = name.substr(2, comma - 2);
        a.at(std::stoul(row == "m" ? element : row)).at(std::stoul(name.substr(comma + 1))) =
            static_cast<U>(std::stoul(word.get<std::string>(), nullptr, 16));
    }
    return a;
}

Compared compared_kernels(const Case& asked) {
    const testing::Folder folder;
    const Lines lines[2] = {read(asked.texts.at("first")), read(asked.texts.at("second"))};
    std::vector<std::string> words = {"same-bits"};
    for (const char* const name : {"one", "other"}) {
        words.push_back("ptx:" + folder.file(std::string(name) + ".ptx", ptx_of(lines[words.size() - 1])));
        folder.file(std::string(name) + ".launch.json", launch);
    }
    append(words, {"-n", "256", "--json"});
    Compared result;
    result.command = command_line(words) + "\n" + ptx_of(lines[0]) + ptx_of(lines[1]);
    const nlohmann::json said = ask(words).json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    result.claims = 1;
    if (verdict == "different") {
        const nlohmann::json& vector = said.at("vector");
        const auto element = vector.at("element").at(0).get<std::size_t>();
        const Matrix a = matrix_of(vector);
        for (std::size_t i = 0; i < 2; ++i)
            if (const U d = computed(lines[i], a).d[element];
                fmt::format("{:08x}", d) != vector.at("d").at(i).get<std::string>())
                result.wrong =
                    fmt::format("a vector is shown on which the kernels do not give {}", vector.at("d").dump());
        return result;
    }
    Random random(std::stoull(asked.texts.at("seed")));
    for (int n = 0; n < matrices && result.wrong.empty(); ++n) {
        Matrix a{};
        for (auto& row : a)
            for (U& word : row) word = draw_word(random);
        const RegisterResults one = computed(lines[0], a), other = computed(lines[1], a);
        if (one.d != other.d) result.wrong = "said to be the same; but they differ on a matrix of random words";
        if (one.may_be_fused || other.may_be_fused)
            result.wrong = "said to be the same; but the assembler may fuse a product and a sum of one";
    }
    return result;
}

} // namespace

Kind kernels_of_ptx() {
    return {"ptx",
            "two small kernels in PTX give the same bits, or differ (same-bits ptx:), against their lines with numbers",
            drawn_kernels, compared_kernels};
}

} // namespace discern::claims
