// A design wherever a target or a unit that is evaluated can stand: identify, which, check, probe, run, eval, explain
// and measure, on the designs of docs/examples/rtl and on a unit of four bf16 products with registers; and questions
// about designs: of two, and with more than one vector.
#include "cli/program.hpp"
#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"
#include "sweep.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words first, const Words& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

struct Example {
    const char* name;
    const char* unit;
    const char* other; ///< another unit, for which there are vectors among few random ones
    Words design;      ///< the word and its options
    Words formats;
};

const std::string folder = DISCERN_RTL "/";

const std::string own = DISCERN_TEST_DATA "/rtl/dot4_bf16.sv";

std::vector<Example> examples() {
    return {
        {"tfdpa_f16",
         "volta/mma.m8n8k4.f16.f16.f16.f16",
         "volta/mma.m8n8k4.f16.f16.f16.f16{round=rz}",
         {"rtl:" + folder + "tfdpa_f16.sv", "--top", "tfdpa_f16"},
         {"--formats", "f16,f16,f16,f16", "--K", "4"}},
        {"tfdpa",
         "hopper/wgmma.m64n8k16.f32.f16.f16{K=4}",
         "hopper/wgmma.m64n8k16.f32.f16.f16{K=4,F=24}",
         {"rtl:" + folder + "tfdpa.sv{K=4}", "--top", "tfdpa"},
         {"--formats", "f16,f16,f32,f32", "--K", "4"}},
        {"exact_bf16",
         "cdna1/v_mfma_f32_4x4x2bf16",
         "cdna1/v_mfma_f32_4x4x2bf16{round=rz}",
         {"rtl:" + folder + "exact_bf16.sv", "--top", "exact_bf16", "--clock", "clk", "--reset", "rst_n=0", "--cycles",
          "3", "--map", "a=a0+a1,b=b0+b1"},
         {"--formats", "bf16,bf16,f32,f32", "--K", "2"}},
        {"bf16_k4",
         "ampere/mma.m16n8k8.f32.bf16.bf16.f32{K=4}",
         "ampere/mma.m16n8k8.f32.bf16.bf16.f32{K=4,F=23}",
         {"rtl:" + own, "--top", "dot4_bf16", "--clock", "clock", "--cycles", "2", "--map",
          "a=x0+x1+x2+x3,b=y0+y1+y2+y3,c=acc,d=out"},
         {"--formats", "bf16,bf16,f32,f32", "--K", "4"}},
    };
}

class DesignTargets : public ::testing::TestWithParam<std::size_t> {
  protected:
    void SetUp() override {
        if (!is_program("yosys") || !is_program("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
        example_ = examples()[GetParam()];
    }
    Words command(const std::string& name, const Words& more) const {
        return joined(joined({name}, example_.design), more);
    }
    std::string vectors(const std::string& n = "200") const {
        return discern({"generate", example_.unit, "-n", n, "--seed", "5"}).out;
    }
    Example example_;
};

/// What asks a design the same way whatever it is: usually of one without registers and of one with.
class DesignTargetsOfCommands : public DesignTargets {};

TEST_P(DesignTargets, CheckAndRun) {
    const Outcome checked = discern(command("check", {example_.unit, "-n", "20000", "--threads", "1"}));
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_NE(checked.out.find("checked 20000, mismatches 0"), std::string::npos) << checked.out;
    EXPECT_EQ(discern(command("check", {example_.other, "-n", "20000", "--threads", "1"})).status, 1);
    const Outcome observed = discern(command("run", {"-"}), vectors());
    ASSERT_EQ(observed.status, 0) << observed.err;
    const json header = json::parse(observed.out.substr(0, observed.out.find('\n')));
    EXPECT_EQ(header["compared"], "with Icarus Verilog");
    EXPECT_EQ(header["reader"], "yosys");
    EXPECT_EQ(discern({"eval", example_.unit, "-", "--check"}, observed.out).status, 0);
    EXPECT_EQ(discern({"eval", example_.other, "-", "--check"}, observed.out).status, 1);
}

TEST_P(DesignTargetsOfCommands, WhichAndProbe) {
    const Outcome which = discern(command("which", joined(example_.formats, {"-n", "400", "--json"})));
    EXPECT_NE(which.status, 2) << which.err;
    const std::string text = which.out, unit = example_.unit;
    EXPECT_NE(text.find(unit.substr(0, unit.find('{'))), std::string::npos) << text.substr(0, 2000);
    const Outcome probed = discern(command("probe", joined(example_.formats, {"--json"})));
    EXPECT_EQ(probed.status, 0) << probed.err;
}

TEST_P(DesignTargetsOfCommands, EvalAndMeasure) {
    const Outcome given = discern({"eval", example_.unit, "-"}, vectors());
    EXPECT_EQ(discern(command("eval", joined(example_.formats, {"-", "--check"})), given.out).status, 0);
    const Outcome other = discern({"eval", example_.other, "-"}, vectors("2000"));
    EXPECT_EQ(discern(command("eval", joined(example_.formats, {"-", "--check"})), other.out).status, 1);
    const Outcome filled = discern(command("eval", joined(example_.formats, {"-"})), vectors());
    EXPECT_EQ(discern({"eval", example_.unit, "-", "--check"}, filled.out).status, 0) << filled.out.substr(0, 300);
    const Outcome measured = discern(command("measure", {example_.unit, "-n", "5000", "--json"}));
    ASSERT_EQ(measured.status, 0) << measured.err;
    json units = json::parse(measured.out)["families"][0]["units"];
    units[0].erase("unit");
    units[1].erase("unit");
    EXPECT_EQ(units[0], units[1]);
}

TEST_P(DesignTargetsOfCommands, Explain) {
    const std::string some = vectors("3");
    const Outcome alone = discern(command("explain", joined(example_.formats, {"-", "--json"})), some);
    ASSERT_EQ(alone.status, 0) << alone.err;
    const json object = json::parse(alone.out);
    EXPECT_FALSE(object["nets"].empty());
    Words words = joined({"explain", example_.unit}, example_.design);
    const Outcome both = discern(joined(words, {"-", "--json", "--at", "1"}), some);
    ASSERT_EQ(both.status, 0) << both.err;
    const json of_both = json::parse(both.out);
    EXPECT_EQ(of_both["d"], of_both["design"]["d"]);
    EXPECT_EQ(of_both["design"]["d"], object["d"]);
    for (const json& net : of_both["design"]["nets"])
        if (net.contains("wire") && net["net"] == "d") {
            EXPECT_EQ(net["value"], net["wire_value"]);
        }
}

constexpr auto name_of_example = [](const auto& index) { return std::string(examples()[index.param].name); };

/// The first and the last, or in a sweep all.
const auto some_examples = ::testing::Range<std::size_t>(0, 4, tests::sweeping() ? 1 : 3);
INSTANTIATE_TEST_SUITE_P(Examples, DesignTargets, some_examples, name_of_example);
INSTANTIATE_TEST_SUITE_P(Examples, DesignTargetsOfCommands, some_examples, name_of_example);

class DesignTarget : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_program("yosys") || !is_program("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    const Words design = {"rtl:" + folder + "tfdpa_f16.sv", "--top", "tfdpa_f16"};
    const Words formats = {"--formats", "f16,f16,f16,f16", "--K", "4"};
};

TEST_F(DesignTarget, IsIdentified) {
    const Outcome outcome =
        discern(joined(joined({"identify"}, design), joined(formats, {"--json", "--validate", "20000"})));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("volta/mma.m8n8k4.f16.f16.f16.f16"), std::string::npos);
}

/// The mistake of the example, at its place: the first net that is not the wire that it is meant to be.
TEST_F(DesignTarget, PartsFromTheUnitWhereItsMistakeIs) {
    const Words question =
        joined({"volta/mma.m8n8k4.f16.f16.f16.f16"}, joined(design, {"--parameter", "WHOLE_STICKY=0"}));
    const Outcome found = discern(joined({"synth"}, question));
    ASSERT_EQ(found.status, 1) << found.err;
    const Outcome explained = discern(joined(joined({"explain"}, question), {"-"}), found.out);
    ASSERT_EQ(explained.status, 0) << explained.err;
    const auto at = explained.out.find(": here they part");
    ASSERT_NE(at, std::string::npos) << explained.out;
    EXPECT_NE(explained.out.substr(explained.out.rfind('\n', at), at).find("r0_significand"), std::string::npos)
        << explained.out;
}

TEST_F(DesignTarget, SaysWhatIsMissing) {
    const auto says = [&](const Words& words, const std::string& what) {
        const Outcome outcome = discern(words);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    };
    for (const char* const command : {"identify", "which", "probe"})
        says(joined({command}, design), "--formats f16,f16,f32,f32 --K 16");
    says(joined(joined({"eval"}, design), {"--a", "3c00", "--b", "3c00", "--c", "3c00"}), "which formats and K has");
    says(joined({"measure"}, design), "which formats and K has");
    says(joined(joined({"check", "x86/dpps", "x86/dpps"}, {"-n", "1"}), {"--top", "m"}), "'x86/dpps' is none");
    says({"check", "rtl:" + folder + "exact_bf16.sv", "cdna1/v_mfma_f32_4x4x2bf16", "--top", "exact_bf16", "--map",
          "a=a0+a1,b=b0+b1"},
         "is the clock of registers; --clock clk --cycles N");
    says({"check", "rtl:" + folder + "tfdpa.sv{K=4}", "hopper/wgmma.m64n8k16.f32.f16.f16{K=4}"},
         "which module has 'K'? --top names it");
    says(joined({"explain"}, joined(design, {design.front(), "-"})), "one design is looked into at a time");
    says(joined({"prove", design.front()}, design), "which formats and K have the two designs?");
    says(joined(joined({"prove", design.front()}, design), joined(formats, {"--by-cases"})), "and not of two designs");
    says(joined({"prove", design.front(), design.front() + "{--foo}"}, joined({"--top", "tfdpa_f16"}, formats)),
         "'--foo' is none of them");
    says(joined(joined({"eval"}, design), joined(formats, {"--oracle", "-"})), "--oracle is of units");
    says(joined({"measure", "volta/mma.m8n8k4.f16.f16.f16.f16"}, joined(design, {"--chain", "2"})),
         "--chain is of units");
}

/// Two designs, neither of which is taken for right; and the unit may come second.
TEST_F(DesignTarget, IsComparedWithAnotherDesign) {
    const Folder made;
    const std::string unit = "volta/mma.m8n8k4.f16.f16.f16.f16", file = made.path("unit.sv");
    ASSERT_EQ(discern({"export", "--as", "sv", unit, "-o", file}).status, 0);
    const Words options = joined({"--top", "tfdpa_f16"}, formats);
    const std::string other = "rtl:" + file + "{--top=discern_unit}", wrong = design.front() + "{WHOLE_STICKY=0}";
    const Outcome same = discern(joined({"prove", design.front(), other}, options));
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_TRUE(same.out.starts_with("equivalent")) << same.out;
    const Outcome itself = discern(joined({"prove", design.front(), design.front(), "--json"}, options));
    EXPECT_EQ(json::parse(itself.out)["same_tree"], true) << itself.out;
    const Outcome differ = discern(joined({"synth", design.front(), wrong, "-n", "2", "--json"}, options));
    ASSERT_EQ(differ.status, 1) << differ.err;
    const json vectors = json::parse(differ.out)["vectors"];
    ASSERT_EQ(vectors.size(), 2u);
    for (json vector : vectors) { // the unit gives what the right one gives
        const std::string right = vector["d"][0], of_wrong = vector["d"][1];
        EXPECT_NE(right, of_wrong);
        vector["d"] = right;
        EXPECT_EQ(discern({"eval", unit, "-", "--check"}, "{\"discern\":1}\n" + vector.dump()).status, 0);
    }
    EXPECT_EQ(discern({"prove", design.front(), unit, "--top", "tfdpa_f16"}).status, 0);
}

/// A table, and more than one vector, as of units.
TEST_F(DesignTarget, IsShownInATable) {
    const Outcome outcome = discern({"synth", "volta/mma.m8n8k4.f16.f16.f16.f16", design.front() + "{WHOLE_STICKY=0}",
                                     "--top", "tfdpa_f16", "--table", "-n", "2"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(outcome.out.find("vector 2\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("  rtl:"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("do not matter"), std::string::npos) << outcome.out;
}

TEST_P(DesignTargetsOfCommands, AreAskedInAnyOrder) {
    const Words options(example_.design.begin() + 1, example_.design.end()),
        words = {example_.other, example_.design.front()};
    const Words asked[] = {joined(joined({"synth"}, words), options),
                           joined(joined({"synth"}, options), {words[1], words[0]})};
    for (const Words& question : asked) {
        const Outcome found = discern(joined(question, {"-n", "2", "--json"}));
        ASSERT_EQ(found.status, 1) << found.err;
        EXPECT_EQ(json::parse(found.out)["vectors"].size(), 2u) << found.out;
    }
    const Outcome table = discern(joined(asked[0], {"--table"}));
    EXPECT_EQ(table.status, 1) << table.err;
    EXPECT_NE(table.out.find("do not matter"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find(example_.design.front()), std::string::npos) << table.out;
}

TEST_F(DesignTarget, OfTwoDesignsEitherMayBeWrong) {
    const std::string wrong = design.front() + "{WHOLE_STICKY=0}";
    const Words options = joined({"--top", "tfdpa_f16"}, formats);
    EXPECT_EQ(discern(joined({"prove", design.front(), design.front()}, options)).status, 0);
    const Outcome found = discern(joined({"prove", design.front(), wrong}, joined(options, {"--json"})));
    ASSERT_EQ(found.status, 1) << found.err;
    const json vector = json::parse(found.out)["vectors"][0];
    const Outcome unit = discern({"eval", "volta/mma.m8n8k4.f16.f16.f16.f16", "-"},
                                 R"({"discern":1,"a":"f16","b":"f16","c":"f16","d":"f16","K":4})"
                                 "\n" +
                                     json{{"a", vector["a"]}, {"b", vector["b"]}, {"c", vector["c"]}}.dump() + "\n");
    EXPECT_NE(unit.out.find("\"d\":" + vector["d"][0].dump()), std::string::npos) << unit.out << found.out;
    EXPECT_NE(vector["d"][0], vector["d"][1]);
}

/// Options in braces are of one of the two designs; this one is written by other hands than an export.
TEST_F(DesignTarget, TwoDesignsMayHaveOtherPorts) {
    const Folder made;
    const std::string unit = "ampere/mma.m16n8k8.f32.bf16.bf16.f32{K=4}", file = made.path("unit.sv");
    ASSERT_EQ(discern({"export", "--as", "sv", unit, "-o", file}).status, 0);
    const std::string words = "--top=dot4_bf16 --clock=clock --cycles=2 --map=a=x0+x1+x2+x3,b=y0+y1+y2+y3,c=acc,d=out";
    const auto asked = [&](const std::string& more) {
        return discern({"synth", "rtl:" + own + "{" + words + more + "}", "rtl:" + file, "--formats",
                        "bf16,bf16,f32,f32", "--K", "4", "--solver", "random", "--timeout", "20"});
    };
    EXPECT_EQ(asked(" LOST_CARRY=1").status, 1);
    EXPECT_EQ(asked("").status, 3); // random vectors find no difference, and prove nothing
}

/// The design with the ports of a unit is the design.
TEST_P(DesignTargets, AreWrapped) {
    const Folder made;
    const std::string file = made.path("wrapper.sv");
    const Outcome written =
        discern(joined(joined({"rtl", "wrap"}, example_.design), joined(example_.formats, {"-o", file})));
    ASSERT_EQ(written.status, 0) << written.err;
    const std::string word = example_.design.front(), files = word.substr(4, word.find('{') - 4);
    Words question = {"check", "rtl:" + file + "," + files, example_.unit, "-n", "20000", "--top", "discern_wrapper"};
    if (const auto cycles = std::ranges::find(example_.design, "--cycles"); cycles != example_.design.end())
        question = joined(question, {"--clock", "clk", "--cycles", *(cycles + 1)});
    if (std::ranges::find(example_.design, "--reset") != example_.design.end())
        question = joined(question, {"--reset", "rst"});
    const Outcome same = discern(question);
    EXPECT_EQ(same.status, 0) << same.out << same.err << read_file(file);
    question[2] = example_.other;
    EXPECT_EQ(discern(question).status, 1);
}

TEST_F(DesignTarget, TheWrapperOfADesignHasWhatItNeeds) {
    const auto says = [&](const Words& more, const std::string& what) {
        const Outcome outcome = discern(joined({"rtl"}, more));
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    };
    says(joined({"wrap"}, design), "which formats and K has");
    says(joined({"unwrap"}, design), "'wrap' is one");
    says({"wrap", "x86/dpps"}, "is no design");
    says(joined({"wrap"}, joined(design, joined(formats, {"--name", "tfdpa_f16"}))), "needs another name");
    says(joined({"wrap"}, joined(design, joined(formats, {"--name", "7"}))), "is no name of a module");
    const Folder made;
    const std::string file =
        made.file("modes.sv", "module modes #(parameter N = 1) (input [15:0] p, q, r, input [2:0] mode, "
                              "output [15:0] s, output flag);\n"
                              "assign s = r; assign flag = mode[0]; endmodule\n");
    const Outcome outcome =
        discern({"rtl", "wrap", "rtl:" + file, "--top", "modes", "--map", "a=p,b=q,c=r,d=s", "--set", "mode=6",
                 "--parameter", "N=3", "--formats", "f16,f16,f16,f16", "--K", "1"});
    EXPECT_NE(outcome.out.find("modes #(.N(3)) wrapped (\n"), std::string::npos) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find(".mode(3'b110)"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(".flag()"), std::string::npos) << outcome.out;
}

/// Results that operands do not define are no answers.
TEST_F(DesignTarget, AnswersNothingWhereTheResultIsOpen) {
    const Folder made;
    const std::string file =
        made.file("open.sv", "module open(input [15:0] a, b, c, output [15:0] d); wire [31:0] w = {16'bx, c};\n"
                             "assign d = a[0] ? w[31:16] : c; endmodule\n");
    const std::string vectors = R"({"discern":1,"a":"f16","b":"f16","c":"f16","d":"f16","K":1})"
                                "\n"
                                R"({"a":["0000"],"b":["0000"],"c":"1234"})"
                                "\n"
                                R"({"a":["0001"],"b":["0000"],"c":"1234"})"
                                "\n";
    const Outcome outcome = discern({"run", "rtl:" + file, "-"}, vectors);
    EXPECT_NE(outcome.err.find("the design's result is not defined by the operands: x stands in the design"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.out.find(R"("d":"1234")"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("observed 1, skipped 1"), std::string::npos) << outcome.err;
}

} // namespace
} // namespace discern::testing
