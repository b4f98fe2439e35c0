// Files of waves, read back: what stands at the mark is what the answer says.
#include "cli/program.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string waved = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=8 rz](p*, c))";
const std::string waved_wrong = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=9 rz](p*, c))";
const std::string rtl_folder = DISCERN_RTL "/";
const std::string waved_volta = "volta/mma.m8n8k4.f16.f16.f16.f16";

std::string waves_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What the signals of the bench are at a time, in binary digits (IEEE 1800-2017, 21.7.2).
std::map<std::string, std::string> values_at(const std::string& file, std::uint64_t time) {
    std::istringstream in(waves_of(file));
    std::map<std::string, std::string> names, values;
    int depth = 0;
    bool over = false;
    for (std::string line; !over && std::getline(in, line);) {
        std::istringstream words(line);
        std::string first, type, width, id, name;
        words >> first;
        if (first == "$scope") ++depth;
        if (first == "$upscope") --depth;
        if (first == "$var" && words >> type >> width >> id >> name && !names.contains(id)) names[id] = name;
        if (first.starts_with('#')) over = std::stoull(first.substr(1)) > time;
        if (over || first.empty() || !names.size()) continue;
        if (first[0] == 'b' && words >> id && names.contains(id)) values[names[id]] = first.substr(1);
        if ((first[0] == '0' || first[0] == '1') && names.contains(first.substr(1)))
            values[names[first.substr(1)]] = first.substr(0, 1);
    }
    return values;
}

/// The time of GTKWave's marker.
std::uint64_t mark_of(const std::string& save_file) {
    std::istringstream in(waves_of(save_file));
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("*")) {
            std::istringstream numbers(line.substr(1));
            double zoom = 0;
            std::uint64_t time = 0;
            numbers >> zoom >> time;
            return time;
        }
    ADD_FAILURE() << save_file << " has no marker";
    return 0;
}

class Waves : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_program("yosys") || !is_program("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
        if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    }
    std::string exported(const std::string& name, const std::string& of, bool pipeline = false) const {
        std::vector<std::string> words = {"export", "--as", "sv", of, "-o", folder_.path(name)};
        if (pipeline) words.emplace_back("--pipeline");
        EXPECT_EQ(discern(words).status, 0);
        return "rtl:" + folder_.path(name);
    }
    /// At the mark of wave.vcd stands this vector, with both results.
    void expect_shows(const json& vector, const std::string& beside = "unit_d", std::size_t own = 1,
                      const std::string& name = "wave") const {
        const std::string save = waves_of(folder_.path(name + ".gtkw"));
        auto at = values_at(folder_.path(name + ".vcd"), mark_of(folder_.path(name + ".gtkw")));
        const auto number = [&](const std::string& signal) { return std::stoull("0" + at[signal], nullptr, 2); };
        const auto pattern = [](const json& hex) { return std::stoull(hex.get<std::string>(), nullptr, 16); };
        EXPECT_EQ(at["different"], "1");
        EXPECT_EQ(number("d"), pattern(vector["d"][own]));
        EXPECT_EQ(number(beside), pattern(vector["d"][1 - own]));
        EXPECT_NE(number("d"), number(beside));
        for (const std::string signal : {"d", "a_0", "a_1", "b_0", "b_1"})
            EXPECT_NE(save.find("discern_bench." + signal + "["), std::string::npos) << save;
    }
    /// Operands at the mark: of designs without registers they are those of the result.
    void expect_operands(const json& vector) const {
        auto at = values_at(folder_.path("wave.vcd"), mark_of(folder_.path("wave.gtkw")));
        for (const std::string operand : {"a", "b"})
            for (std::size_t k = 0; k < vector[operand].size(); ++k)
                EXPECT_EQ(std::stoull("0" + at[operand + "_" + std::to_string(k)], nullptr, 2),
                          std::stoull(vector[operand][k].get<std::string>(), nullptr, 16));
        EXPECT_EQ(std::stoull("0" + at["c"], nullptr, 2), std::stoull(vector["c"].get<std::string>(), nullptr, 16));
    }
    json different(std::vector<std::string> words) const {
        words.insert(words.end(), {"--json", "--wave", folder_.path("wave.vcd")});
        const Outcome outcome = discern(words);
        EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
        return json::parse(outcome.out);
    }
    Folder folder_;
};

TEST_F(Waves, ShowTheVectorOfADesignWithoutRegisters) {
    const json answer = different({"prove", waved, exported("wrong.sv", waved_wrong)});
    expect_shows(answer["vectors"][0]);
    expect_operands(answer["vectors"][0]);
}

TEST_F(Waves, ShowTheEdgeOfAPipeline) {
    expect_shows(different(
        {"synth", waved, exported("wrong.sv", waved_wrong, true), "--clock", "clk", "--cycles", "3"})["vectors"][0]);
}

TEST_F(Waves, ShowAllOperationsFromTheReset) {
    const json answer =
        different({"prove", waved_volta, "rtl:" + rtl_folder + "accumulator.sv," + rtl_folder + "tfdpa_f16.sv", "--top",
                   "accumulator", "--clock", "clk", "--reset", "rst_n=0", "--cycles", "2", "--state", "acc=c", "--set",
                   "clear=0", "--set", "stall=0", "--parameter", "WRONG=2"});
    ASSERT_GT(answer["sequence"].size(), 1u);
    expect_shows(answer["vectors"][0]);
}

TEST_F(Waves, ShowAHandshakeWithItsStalls) {
    const json answer =
        different({"prove", waved_volta, "rtl:" + rtl_folder + "elastic.sv," + rtl_folder + "tfdpa_f16.sv", "--top",
                   "elastic", "--clock", "clk", "--reset", "rst_n=0", "--cycles", "2", "--valid", "in_valid,out_valid",
                   "--ready", "in_ready,out_ready", "--parameter", "WRONG=1"});
    expect_shows(answer["vectors"][0]);
    const std::string save = waves_of(folder_.path("wave.gtkw"));
    for (const std::string port : {"clk", "in_valid", "in_ready", "out_valid", "out_ready"})
        EXPECT_NE(save.find("discern_bench.s_" + port + "\n"), std::string::npos) << save;
}

/// check finds the stall, and shows it as prove does; without a handshake's stalls it is not seen.
TEST_F(Waves, ShowAStallThatCheckFinds) {
    for (const std::string wrong : {"1", "2", "3"}) {
        const json answer =
            different({"check", "rtl:" + rtl_folder + "elastic.sv," + rtl_folder + "tfdpa_f16.sv", waved_volta, "-n",
                       "10000", "--top", "elastic", "--clock", "clk", "--reset", "rst_n=0", "--cycles", "2", "--valid",
                       "in_valid,out_valid", "--ready", "in_ready,out_ready", "--parameter", "WRONG=" + wrong});
        EXPECT_LE(answer["sequence"].size(), 4u) << answer["stalls"];
        EXPECT_FALSE(answer.contains("simplest")) << "an operation by itself is right";
        for (const json& vector : answer["sequence"])
            if (vector["d"].size() == 2) expect_shows(vector);
    }
}

TEST_F(Waves, OfTwoDesignsEachHasAFile) {
    const json answer = different({"prove", exported("first.sv", waved), exported("second.sv", waved_wrong),
                                   "--formats", "e4m3,e4m3,f16,f16", "--K", "2"});
    expect_shows(answer["vectors"][0], "other_d", 0, "wave-1");
    expect_shows(answer["vectors"][0], "other_d", 1, "wave-2");
}

TEST_F(Waves, AreWrittenByCheck) {
    const json answer = different({"check", exported("wrong.sv", waved_wrong), waved, "-n", "20000"});
    json vector = answer["first"][0];
    vector["d"] = {vector["expected"], vector["d"]};
    expect_shows(vector);
    expect_operands(vector);
}

TEST_F(Waves, MayBeFst) {
    const Outcome outcome =
        discern({"prove", waved, exported("wrong.sv", waved_wrong), "--wave", folder_.path("w.fst")});
    EXPECT_EQ(outcome.status, 1);
    // The first block is the header: type 0, and 329 bytes.
    EXPECT_EQ(waves_of(folder_.path("w.fst")).substr(0, 9), std::string("\0\0\0\0\0\0\0\x01\x49", 9));
    EXPECT_NE(waves_of(folder_.path("w.gtkw")).find("[dumpfile] \"w.fst\""), std::string::npos);
}

TEST_F(Waves, WhereThereIsNoDifferenceNothingIsWritten) {
    const Outcome same = discern({"prove", waved, exported("right.sv", waved), "--wave", folder_.path("w.vcd")});
    EXPECT_EQ(same.status, 0);
    EXPECT_NE(same.err.find("no difference to show"), std::string::npos) << same.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("w.vcd")));
}

TEST_F(Waves, OfAnotherFormOrOfUnitsAreRefused) {
    EXPECT_EQ(discern({"prove", waved, waved_wrong, "--wave", "w.vcd"}).status, 2);
    const Outcome outcome = discern({"prove", waved, "rtl:x.sv", "--wave", "w.txt"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("neither .vcd nor .fst"), std::string::npos) << outcome.err;
    const Outcome nowhere =
        discern({"prove", waved, exported("wrong.sv", waved_wrong), "--wave", folder_.path("missing/w.vcd")});
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_NE(nowhere.err.find("cannot be written"), std::string::npos) << nowhere.err;
}

} // namespace
} // namespace discern::testing
