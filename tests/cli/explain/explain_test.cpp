// discern explain: why a unit gives what it gives, and where two part.
#include "cli/program.hpp"

#include "models/catalogue.hpp"
#include "models/hex.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

/// 2^23 that cancels, and a product of half of its last bit.
const std::vector<std::string> numbers = {"--numbers", "--a=-8192,0,0,2", "--b=1024,0,0,-0.25", "--c=8388608"};

Outcome explain(std::vector<std::string> arguments, const std::vector<std::string>& more = numbers,
                const std::string& input = "") {
    arguments.insert(arguments.begin(), "explain");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return discern(arguments, input);
}

TEST(Explain, OneScreenSaysWhyAV100GivesZeroAndAT4MinusAHalf) {
    const Outcome outcome = explain({volta, turing});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_LE(lines(outcome.out).size(), 24u);
    for (const char* part :
         {"A  volta/mma.m8n8k4.f32.f16.f16.f32  d = 00000000", "d = bf000000 (-0x1p-1, -0.5)",
          "A loses p3 to the last bit, B keeps p3 whole: terms are kept down to 2^0 on A and down to "
          "2^-1 on B",
          "2 * -0.25 = -0.5", "|1   all of it is truncated", "zero: p1 p2"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    for (const std::string& line : lines(outcome.out)) EXPECT_LE(line.size(), 110u) << line;
}

TEST(Explain, JsonHasEveryStep) {
    const auto one = nlohmann::json::parse(explain({volta, "--json"}).out);
    EXPECT_EQ(one["unit"], volta);
    EXPECT_EQ(one["d"], "00000000");
    EXPECT_TRUE(one["parts_at"].is_null());
    const auto& block = one["blocks"][0];
    EXPECT_EQ(block["E"], 23);
    EXPECT_EQ(block["E_from"], "p0");
    EXPECT_EQ(block["sum"], 0);
    EXPECT_EQ(block["d"], "00000000");
    ASSERT_EQ(block["terms"].size(), 5u);
    const auto& p3 = block["terms"][3];
    EXPECT_EQ(p3["name"], "p3");
    EXPECT_EQ(p3["value"], -0.5);
    EXPECT_EQ(p3["exponent"], -1);
    EXPECT_EQ(p3["kept"], 0);
    EXPECT_EQ(p3["cut"], -0.5);
    EXPECT_EQ(block["terms"][4]["name"], "c");

    const auto two = nlohmann::json::parse(explain({volta, turing, "--json"}).out);
    EXPECT_EQ(two["units"][1]["d"], "bf000000");
    EXPECT_EQ(two["parts_at"]["block"], 0);
    EXPECT_EQ(two["parts_at"]["step"], "sum");
    EXPECT_EQ(two["parts_at"]["term"], "p3");
    EXPECT_EQ(two["parts_at"]["what"], "alignment");
}

TEST(Explain, OfAFileTheVectorOnWhichTheyDiffer) {
    const std::string witness = discern({"synth", volta, turing}).out;
    const Outcome outcome = explain({volta, turing, "-"}, {}, witness);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines(outcome.out)[0], "standard input: vector 1");
    const auto answer = nlohmann::json::parse(explain({volta, turing, "-", "--json"}, {}, witness).out);
    const auto vector = nlohmann::json::parse(last_line(witness));
    EXPECT_EQ(answer["units"][0]["d"], vector["d"][0]);
    EXPECT_EQ(answer["units"][1]["d"], vector["d"][1]);
    // One that does not tell them apart before one that does: that one is taken, unless another is asked for.
    const auto all = lines(witness);
    const std::string same = R"({"a":["0000","0000","0000","0000"],"b":["0000","0000","0000","0000"],"c":"00000000"})";
    const std::string two = all[0] + "\n" + same + "\n" + all[1] + "\n";
    EXPECT_NE(explain({volta, turing, "-"}, {}, two).out.find("vector 2"), std::string::npos);
    EXPECT_NE(explain({volta, turing, "-", "--at", "1"}, {}, two).out.find("the two give the same"), std::string::npos);
    EXPECT_NE(explain({volta, "-"}, {}, two).out.find("vector 1"), std::string::npos);
}

TEST(Explain, EveryUnitOfTheCatalogueInEveryForm) {
    const Folder folder;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second || seen.size() % 9 != 0) continue;
        const std::string vectors = discern({"generate", entry.name, "-n", "3", "--seed", "7"}).out;
        const Outcome text = explain({entry.name, "-"}, {}, vectors);
        EXPECT_EQ(text.status, 0) << entry.name << text.err;
        EXPECT_GE(lines(text.out).size(), 4u) << entry.name;
        const std::string svg = folder.path("sum.svg"), html = folder.path("page.html");
        const Outcome json =
            explain({entry.name, "-", "--at", "3", "--json", "--svg", svg, "--html", html}, {}, vectors);
        EXPECT_EQ(json.status, 0) << entry.name << json.err;
        EXPECT_EQ(nlohmann::json::parse(json.out)["unit"], entry.name);
        EXPECT_TRUE(read_file(svg).starts_with("<svg ")) << entry.name;
        EXPECT_TRUE(read_file(svg).ends_with("</svg>\n")) << entry.name;
        EXPECT_TRUE(read_file(html).ends_with("</html>\n")) << entry.name;
    }
    EXPECT_GT(seen.size(), 100u);
}

TEST(Explain, UnitsOfOtherTreesThatDifferInTheirNanAlone) {
    const std::string formats = "e4m3*e4m3->f32 K=2 nan=", flat = " : round[f32 rne](fuse[exact](p*))",
                      nested = " : round[f32 rne](fuse[exact](fuse[exact](p*)))";
    const std::vector<std::string> nan = {"--a", "7f,00", "--b", "38,00"};
    const Outcome two = explain({formats + "7fffffff" + flat, formats + "7fc00000" + nested}, nan);
    EXPECT_NE(two.out.find("both give NaN, of other bits"), std::string::npos) << two.out << two.err;
    EXPECT_NE(two.out.find("\nA\n"), std::string::npos) << two.out; // each by itself
    const Outcome same = explain({formats + "any" + flat, formats + "7fc12345" + nested}, nan);
    EXPECT_NE(same.out.find("the two give the same"), std::string::npos) << same.out << same.err;
}

TEST(Explain, WrongInputIsOneSentence) {
    const auto complaint = [](const Outcome& outcome) {
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    };
    EXPECT_NE(complaint(explain({volta}, {})).find("a FILE of vectors is missing"), std::string::npos);
    EXPECT_NE(complaint(explain({volta, turing, turing})).find("3 units were given"), std::string::npos);
    EXPECT_NE(complaint(explain({"H100/e4m3", "H100/e5m2"})).find("differ in formats"), std::string::npos);
    EXPECT_NE(complaint(explain({volta, "--at", "2"})).find("--at is of a file"), std::string::npos);
    EXPECT_NE(complaint(explain({volta}, {"--a", "1"})).find("--a"), std::string::npos);
    EXPECT_NE(complaint(explain({volta, "-"}, {}, "")).find("standard input"), std::string::npos);
    const std::string witness = discern({"synth", volta, turing}).out;
    EXPECT_NE(complaint(explain({volta, "-", "--at", "9"}, {}, witness)).find("has 1 vector"), std::string::npos);
}

} // namespace
} // namespace discern::testing
