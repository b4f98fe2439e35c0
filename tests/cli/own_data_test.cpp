// Results as people have them: tables of decimals or of hexadecimal patterns, arrays and matrices, straight into the
// commands that look at results.
#include "program.hpp"

#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/import/npy.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>

namespace discern::testing::own_data_test {
namespace {

using nlohmann::json;

const std::string a100 = "ampere/mma.m16n8k16.f32.f16.f16.f32", h100 = "hopper/wgmma.m64n8k16.f32.f16.f16";
const std::string formats = "f16,f16,f32,f32";

/// What a100 gives for random numbers, in 300 vectors.
const std::vector<Vector>& observed(bool with_c) {
    const auto made = [](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"generate", a100, "-n", "300", "--family", "normal", "--results"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::istringstream in(discern(arguments).out);
        VectorReader reader(in, "made");
        std::vector<Vector> all;
        for (Vector vector; reader.next(vector);) all.push_back(vector);
        EXPECT_EQ(all.size(), 300u);
        return all;
    };
    static const std::vector<Vector> with = made({}), without = made({"--values", "c:0..0"});
    return with_c ? with : without;
}

using Printer = std::function<std::string(FormatId, std::uint64_t)>;

Printer printf_as(const char* form) {
    return [form](FormatId id, std::uint64_t bits) {
        char text[100];
        std::snprintf(text, sizeof text, form, to_double(format(id), bits));
        return std::string(text);
    };
}
std::string as_hex(FormatId id, std::uint64_t bits) { return to_hex(format(id), bits); }

/// An index, a column for each element, c if it is wanted, and d.
std::string table(const Printer& print, char separator, bool with_c) {
    std::string text = "index";
    for (const char* operand : {"a", "b"})
        for (int k = 0; k < 16; ++k) text += separator + (operand + std::to_string(k));
    text += with_c ? std::string(1, separator) + "c" : "";
    text += std::string(1, separator) + "d" + separator + "gpu\n";
    int row = 0;
    for (const Vector& vector : observed(with_c)) {
        text += std::to_string(row++);
        for (const auto bits : vector.a) text += separator + print(FormatId::f16, bits);
        for (const auto bits : vector.b) text += separator + print(FormatId::f16, bits);
        if (with_c) text += separator + print(FormatId::f32, *vector.c);
        text += separator + print(FormatId::f32, vector.d.front()) + separator + "A100\n";
    }
    return text;
}

TEST(OwnData, ATableNamesTheA100WithoutOtherOptionsThanFormats) {
    const Folder folder;
    struct Form {
        std::string name;
        Printer print;
        char separator;
        bool with_c, is_only;
    };
    const std::vector<Form> forms = {
        {"17.csv", printf_as("%.17g"), ',', true, true}, {"9.tsv", printf_as("%.9g"), '\t', true, true},
        {"e.csv", printf_as("%.16e"), ',', false, true}, {"hex.csv", as_hex, ';', true, true},
        {"hex.tsv", as_hex, '\t', false, true},          {"6.csv", printf_as("%.6g"), ',', false, true},
        {"6c.csv", printf_as("%.6g"), ',', true, false}, {"fixed.csv", printf_as("%.9f"), ',', false, true}};
    for (const Form& form : forms) {
        // f16 has bits below 10^-9, which %.9f does not print.
        Printer print = form.print;
        if (form.name == "fixed.csv")
            print = [&](FormatId id, std::uint64_t bits) {
                return id == FormatId::f16 ? printf_as("%.17g")(id, bits) : form.print(id, bits);
            };
        const std::string file = folder.file(form.name, table(print, form.separator, form.with_c));
        const Outcome outcome = discern({"which", file, "--formats", formats});
        EXPECT_EQ(outcome.status, form.is_only ? 0 : 3) << form.name << outcome.out << outcome.err;
        EXPECT_NE(outcome.out.find(a100), std::string::npos) << form.name << outcome.out;
        if (form.is_only) {
            EXPECT_EQ(outcome.out.find(h100), std::string::npos) << form.name << outcome.out;
        }
        // What is not an operand's is said once, and so is c; a format's own numbers raise no alarm.
        EXPECT_NE(outcome.err.find("left out: 'index', 'gpu'"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("there is no c; it is taken as +0") != std::string::npos, !form.with_c);
        EXPECT_EQ(lines(outcome.err).size(), form.with_c ? 2u : 3u) << form.name << outcome.err;
    }
}

TEST(OwnData, ProductsAloneAndTheFormatsOfTheFile) {
    const Folder folder;
    const std::string file = folder.file("17.csv", table(printf_as("%.17g"), ',', true));
    const Outcome why = discern({"explain", "a100", "h100", file, "--formats", formats});
    EXPECT_EQ(why.status, 0) << why.err;
    EXPECT_NE(why.out.find("A adds 8 products at once, in 2 blocks, B adds 16 products at once"), std::string::npos)
        << why.out;
    EXPECT_EQ(last_line(discern({"eval", "A100", file, "--formats", formats, "--check"}).out),
              "checked 300, mismatches 0");
    const Outcome unsaid = discern({"explain", "a100", "h100", file});
    EXPECT_EQ(unsaid.status, 2);
    EXPECT_NE(unsaid.err.find("A100/f16.f16, A100/f16, A100/bf16"), std::string::npos) << unsaid.err;
    const Outcome other = discern({"eval", "A100/bf16", file, "--formats", formats, "--check"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("differ in formats"), std::string::npos) << other.err;
}

TEST(OwnData, DiffComparesWhatIsPrintedWithFewerDigits) {
    const Folder folder;
    const std::string all = folder.file("17.csv", table(printf_as("%.17g"), ',', true)),
                      six = folder.file("6.csv", table(printf_as("%.6g"), ',', true));
    const Outcome same = discern({"diff", all, six, "--formats", formats});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(last_line(same.out), "compared 300, different 0");
    // The nearest numbers are others.
    EXPECT_EQ(discern({"diff", all, six, "--formats", formats, "--digits", "exact"}).status, 2);
}

TEST(OwnData, MatricesInOneArchiveOrFolder) {
    const Folder folder;
    std::filesystem::create_directory(folder.path("product"));
    const auto npy = [&](const std::string& name, const std::string& type, int rows, int columns,
                         const std::string& data) {
        std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                           ", " + std::to_string(columns) + "), }";
        head.resize(118, ' ');
        folder.file("product/" + name + ".npy",
                    std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head.substr(0, 117) + "\n" + data);
    };
    // [1 2] · [[1 0] [0 1]] = [1 2], in f16 and f32.
    const std::string one16("\x00\x3c", 2), two16("\x00\x40", 2), zero16("\x00\x00", 2), one32("\x00\x00\x80\x3f", 4),
        two32("\x00\x00\x00\x40", 4);
    npy("A", "<f2", 1, 2, one16 + two16);
    npy("B", "<f2", 2, 2, one16 + zero16 + zero16 + one16);
    npy("D", "<f4", 1, 2, one32 + two32);
    const Outcome outcome = discern({"eval", "V100/f16{K=2}", folder.path("product"), "--check"});
    EXPECT_EQ(last_line(outcome.out), "checked 2, mismatches 0") << outcome.err;
    EXPECT_NE(outcome.err.find("there is no c; it is taken as +0"), std::string::npos) << outcome.err;
    npy("D", "<f4", 1, 2, two32 + two32);
    EXPECT_EQ(discern({"measure", folder.path("product")}).status, 0);
    EXPECT_EQ(last_line(discern({"eval", "V100/f16{K=2}", folder.path("product"), "--check"}).out),
              "checked 2, mismatches 1");
}

TEST(OwnData, AFloatOfOneByteIsE5m2) {
    Array array{.name = "a", .type = "<f1", .shape = {1}, .data = {std::byte{0x3c}}};
    EXPECT_EQ(format_of(array), FormatId::e5m2);
    array.type = "<V1"; // e4m3, and others
    EXPECT_EQ(format_of(array), std::nullopt);
}

TEST(OwnData, NumbersOfANarrowerFormatAreSeen) {
    const Folder folder;
    const std::string file = folder.file("17.csv", table(printf_as("%.17g"), ',', true));
    const Outcome outcome = discern({"which", file, "--formats", "f32,f32,f32,f32"});
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_NE(
        outcome.out.find(
            "all a and b are numbers of f16 too; if the unit multiplies those, --formats f16,f16,f32,f32 is right"),
        std::string::npos)
        << outcome.out;
}

TEST(OwnData, AFileOfTorchSaysHowItIsRead) {
    const Folder folder;
    const std::string file = folder.file("product.pt", "PK");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"which", file}, {"which", "--a", file, "--b", file, "--d", file}, {"measure", file}}) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find("discern.torch.load("), std::string::npos) << outcome.err;
    }
}

TEST(OwnData, WhatRefutesTheNearestIsShownOnce) {
    const Folder folder;
    const std::string file = folder.file("17.csv", table(printf_as("%.17g"), ',', true));
    std::string wrong = read_file(file);
    // Another number in the place of d's first one, so that no unit fits.
    const std::size_t end = wrong.find(",A100\n"), begin = wrong.rfind(',', end - 1);
    wrong.replace(begin + 1, end - begin - 1, "12345.5");
    const Outcome outcome = discern({"which", "-", "--formats", formats}, wrong);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(outcome.out.find("line 2: observed "), std::string::npos) << outcome.out;
    std::size_t shown = 0;
    for (std::size_t at = outcome.out.find("line 2: "); at != std::string::npos;
         at = outcome.out.find("line 2: ", at + 1))
        ++shown;
    EXPECT_EQ(shown, 1u) << outcome.out;
}

TEST(OwnData, SixDigitsAreAnInterval) {
    const Folder folder;
    const std::string file = folder.file("6.csv", table(printf_as("%.6g"), ',', false));
    const Outcome fits = discern({"which", file, "--formats", formats});
    EXPECT_NE(fits.out.find("matched to 6 digits of d (f32 needs 9)"), std::string::npos) << fits.out;
    EXPECT_EQ(json::parse(discern({"which", file, "--formats", formats, "--json"}).out)["digits"], 6);
    const Outcome exact = discern({"which", file, "--formats", formats, "--digits", "exact"});
    EXPECT_EQ(exact.status, 1) << exact.out;
    EXPECT_NE(exact.err.find(" of 300 are none of f32"), std::string::npos) << exact.err;
    EXPECT_EQ(discern({"which", file, "--formats", formats, "--digits", "six"}).status, 2);
    // Fewer digits fit more: five of what was printed with six.
    EXPECT_EQ(discern({"which", file, "--formats", formats, "--digits", "3"}).status, 3);

    EXPECT_EQ(last_line(discern({"eval", a100, file, "--check"}).out), "checked 300, mismatches 0");
    const Outcome other = discern({"eval", h100, file, "--check", "--json"});
    EXPECT_EQ(other.status, 1);
    EXPECT_EQ(json::parse(other.out)["digits"], 6);
    EXPECT_LT(json::parse(other.out)["mismatches"], 100);
    const std::string hex = folder.file("hex.csv", table(as_hex, ',', false));
    EXPECT_EQ(last_line(discern({"diff", file, hex, "--formats", formats}).out), "compared 300, different 0");
    const Outcome audited = discern({"audit", file, "--space", a100 + "{F={23..25}}", "--json"});
    EXPECT_EQ(json::parse(audited.out)["explain"], json::array({a100 + "{F=24}"})) << audited.out << audited.err;
}

// Results without a digit behind the point, or with one digit in all, are numbers of f32, and not those that were
// printed.
TEST(OwnData, WholeNumbersAreAnIntervalWhereTheExactResultsAreNone) {
    const Folder folder;
    for (const char* form : {"%.0f", "%.0e", "%.1f", "%.2g"}) {
        const Printer print = [&](FormatId id, std::uint64_t bits) {
            return printf_as(id == FormatId::f16 ? "%.17g" : form)(id, bits);
        };
        const std::string file = folder.file("whole.csv", table(print, ',', false));
        const Outcome fits = discern({"which", file, "--formats", formats});
        EXPECT_EQ(fits.status, 3) << form << fits.out;
        EXPECT_NE(fits.out.find(a100), std::string::npos) << form << fits.out;
        EXPECT_NE(fits.out.find("matched to "), std::string::npos) << form << fits.out;
        EXPECT_EQ(last_line(discern({"eval", a100, file, "--check"}).out), "checked 300, mismatches 0") << form;
        EXPECT_NE(discern({"measure", file, "--formats", formats}).err.find("ulp away from the number"),
                  std::string::npos);
    }
    // c and d by one format, and all of the table by one: then the products are not those that were computed.
    const Printer rounded = [&](FormatId id, std::uint64_t bits) {
        return printf_as(id == FormatId::f16 ? "%.17g" : "%.0f")(id, bits);
    };
    const std::string with_c = folder.file("with_c.csv", table(rounded, ',', true));
    EXPECT_EQ(last_line(discern({"eval", a100, with_c, "--check"}).out), "checked 300, mismatches 0");
    const std::string all = folder.file("all.csv", table(printf_as("%.0f"), ',', true));
    const Outcome none = discern({"which", all, "--formats", formats});
    EXPECT_EQ(none.status, 1) << none.out;
    EXPECT_NE(none.err.find("as if it had been printed with too few digits"), std::string::npos) << none.err;
    // Another result is still another one: all are one too large.
    const Printer one_more = [&](FormatId id, std::uint64_t bits) {
        char text[100];
        std::snprintf(text, sizeof text, "%.0f", to_double(format(id), bits) + 1);
        return id == FormatId::f16 ? printf_as("%.17g")(id, bits) : text;
    };
    const std::string off = folder.file("off.csv", table(one_more, ',', false));
    EXPECT_EQ(discern({"which", off, "--formats", formats}).status, 1);
    // In a few vectors it may be meant, and it is said how to say so.
    const std::string few = "a,b,c,d\n1.5,1.25,1,3\n0.75,0.5,2,2\n";
    const std::string unit = "x86/fma.f32", fma_formats = "f32,f32,f32,f32";
    const Outcome said = discern({"eval", unit, "-", "--check"}, few);
    EXPECT_EQ(said.status, 1) << said.out;
    EXPECT_NE(said.err.find("in 2 vectors it is not the exact result"), std::string::npos) << said.err;
    EXPECT_EQ(discern({"eval", unit, "-", "--check", "--digits", ".0"}, few).status, 0);
    EXPECT_EQ(discern({"eval", unit, "-", "--check", "--digits", "."}, few).status, 2);
    const Outcome imported = discern({"import", "csv", "-", "--formats", fma_formats, "--K", "1"}, few);
    EXPECT_NE(imported.err.find("in 2 vectors it is not the exact result"), std::string::npos) << imported.err;
    // Whole results of whole numbers are what they are.
    const Outcome exact = discern({"eval", unit, "-", "--check"}, "a,b,c,d\n3,5,1,16\n3,7,1,23\n");
    EXPECT_EQ(last_line(exact.out), "checked 2, mismatches 1") << exact.out << exact.err;
    EXPECT_EQ(exact.err.find("exact result"), std::string::npos) << exact.err;
}

TEST(OwnData, ExactNumbersWithFewDigitsStayExact) {
    const std::string text = "a;b;d\n1 2 0 0;0.5 -3 0 0;-5\n";
    const std::string unit = volta;
    const Outcome wrong = discern({"eval", unit, "-", "--check", "--numbers"}, text);
    EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err; // it is -5.5
    EXPECT_NE(wrong.out.find("the unit gives c0b00000 (-0x1.6p+2, -5.5), the file has c0a00000"), std::string::npos)
        << wrong.out;
}

TEST(OwnData, AWrongFormatIsSaidByOperand) {
    const Folder folder;
    const std::string file = folder.file("17.csv", table(printf_as("%.17g"), ',', true));
    const Outcome outcome = discern({"which", file, "--formats", "bf16,bf16,f32,f32"});
    EXPECT_NE(outcome.err.find("of 4800 are none of bf16, at most 0.5 ulp away; is the format right? 4800 of 4800 are "
                               "f16"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.err.find("  c: "), std::string::npos) << outcome.err;
    // 17 digits of f32 in `import` are the numbers of f32, too.
    EXPECT_EQ(discern({"import", "csv", "-", "--formats", "f16,f16,f32,f32", "--K", "1"},
                      "a,b,c,d\n0.0999755859375,1,0.10000000149011612,0.20000000298023224\n")
                  .err,
              "");
}

TEST(OwnData, WhatATableLacksIsSaid) {
    const std::string text = "x,y\n1,2\n", good = table(as_hex, ',', true);
    for (const auto& [arguments, input, complaint] :
         std::vector<std::tuple<std::vector<std::string>, std::string, std::string>>{
             {{"which", "-"}, good, "does not say its formats; --formats does"},
             {{"which", "-", "--formats", formats}, text, "names no columns of a and b; --columns says what"},
             {{"eval", a100, "-", "--check"}, "hello\n", "names no columns of a and b; --columns says what"},
             {{"which", "--a", "x.npy"}, "", "--a, --b and --d belong together"},
             {{"which"}, "", "a FILE of results is missing"},
             {{"run", "model:" + volta, "-"}, "index,gpu\n", "discern import csv"}}) {
        const Outcome outcome = discern(arguments, input);
        EXPECT_EQ(outcome.status, 2) << complaint;
        EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1u);
    }
}

TEST(OwnData, OtherCommandsReadTables) {
    const Folder folder;
    const std::string file = folder.file("9.csv", table(printf_as("%.9g"), ',', true));
    EXPECT_EQ(last_line(discern({"eval", a100, file, "--check"}).out), "checked 300, mismatches 0");
    const Outcome filled = discern({"eval", h100, file});
    EXPECT_EQ(lines(filled.out).size(), 301u) << filled.err;
    const Outcome explained = discern({"explain", a100, h100, file});
    EXPECT_EQ(explained.status, 0) << explained.err;
    EXPECT_NE(explained.out.find("vector "), std::string::npos) << explained.out;
    // By the names that the file has.
    const Outcome named = discern({"which", "-", "--formats", formats, "--columns", "a=lhs,b=rhs,d=out"},
                                  "n,lhs,rhs,out\n0,1 2,3 4,11\n");
    EXPECT_EQ(named.status, 3) << named.err;
    EXPECT_NE(named.out.find("f16*f16+f32->f32 K=2: 1 result"), std::string::npos) << named.out;
}

/// A matrix as NumPy writes it.
std::string npy(const std::string& type, std::size_t rows, std::size_t columns,
                const std::vector<std::uint64_t>& bits) {
    const std::size_t word = static_cast<std::size_t>(type.back() - '0');
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                         std::to_string(columns) + "), }\n";
    std::string text = std::string("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    for (const std::uint64_t one : bits)
        for (std::size_t i = 0; i < word; ++i) text += static_cast<char>(one >> (8 * i));
    return text;
}

class Matrices : public ::testing::Test {
  protected:
    // A of the first vectors' a, B of others' b; D by gemm.
    void SetUp() override {
        const auto& all = observed(false);
        std::vector<std::uint64_t> rows, columns(16 * n), turned;
        for (std::size_t i = 0; i < m; ++i) rows.insert(rows.end(), all[i].a.begin(), all[i].a.end());
        for (std::size_t j = 0; j < n; ++j) {
            turned.insert(turned.end(), all[100 + j].b.begin(), all[100 + j].b.end());
            for (std::size_t k = 0; k < 16; ++k) columns[k * n + j] = all[100 + j].b[k];
        }
        a = folder.file("A.npy", npy("<f2", m, 16, rows));
        b = folder.file("B.npy", npy("<f2", 16, n, columns));
        b_turned = folder.file("Bt.npy", npy("<f2", n, 16, turned));
        d = folder.path("D.npy");
        ASSERT_EQ(discern({"gemm", a100, a, b, "-o", d}).status, 0);
    }
    static constexpr std::size_t m = 20, n = 30;
    Folder folder;
    std::string a, b, b_turned, d;
};

TEST_F(Matrices, OfAProductNameTheUnit) {
    for (const std::string& second : {b, b_turned})
        for (const bool with_formats : {true, false}) {
            std::vector<std::string> arguments = {"which", "--a", a, "--b", second, "--d", d};
            if (with_formats) arguments.insert(arguments.end(), {"--formats", formats});
            const Outcome outcome = discern(arguments);
            EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
            EXPECT_NE(outcome.out.find("K=16: 600 results"), std::string::npos) << outcome.out;
            EXPECT_NE(outcome.out.find("consistent with " + a100), std::string::npos) << outcome.out;
            EXPECT_NE(outcome.err.find("there is no c; it is taken as +0"), std::string::npos) << outcome.err;
        }
    const Outcome wrong = discern({"which", "--a", a, "--b", a, "--d", d});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("A is 20 x 16, D is 20 x 30 and B is 20 x 16; B must be 16 x 30, or 30 x 16"),
              std::string::npos)
        << wrong.err;
}

TEST_F(Matrices, AreComparedWithAUnitAndWithEachOther) {
    EXPECT_EQ(last_line(discern({"gemm", a100, a, b, "--check", d}).out), "compared 600, different 0");
    const Outcome other = discern({"gemm", h100, a, b, "--check", d});
    EXPECT_EQ(other.status, 1);
    EXPECT_NE(other.out.find("the unit gives "), std::string::npos) << other.out;
    EXPECT_NE(other.out.find(" and the file has "), std::string::npos) << other.out;
    const std::string d2 = folder.path("D2.npy");
    ASSERT_EQ(discern({"gemm", h100, a, b, "-o", d2}).status, 0);
    const Outcome apart = discern({"diff", d, d2});
    EXPECT_EQ(apart.status, 1) << apart.err;
    EXPECT_EQ(last_line(apart.out), last_line(other.out));
    EXPECT_EQ(json::parse(discern({"diff", d, d2, "--json", "--show", "2"}).out)["first"].size(), 2u);
    EXPECT_EQ(last_line(discern({"diff", d, d}).out), "compared 600, different 0");
    EXPECT_EQ(discern({"diff", d, a}).status, 2);
    EXPECT_NE(discern({"which", d, "--formats", formats}).err.find("is one array; the matrices of a product are given"),
              std::string::npos);
}

} // namespace
} // namespace discern::testing::own_data_test
