// Certificates that are made to mislead: a claim that says less than it seems to, or files that are none. The checker
// says what is claimed, of which inputs, and never waits for a file nor fills the memory with one.
#include "certificate/limits.hpp"
#include "made.hpp"
#include "solver/certify/classes.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace discern::tests::hostile_test {
namespace {

using namespace certificate;

/// As it is printed.
std::string line(const std::string& unit) { return to_string(parse_unit(unit)); }

const std::string small = "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne]";
const std::string one = line(small + "(fuse[F=1](p*, c))"), other = line(small + "(fuse[F=1 carry=3](c, p*))");
// F matters unless c is 0 and the products have one exponent.
const std::string narrow = line("e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=4](p*, c))"),
                  wide = line("e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=9](p*, c))");
const Limits limited = {.finite = true, .ranges = {{"a", 1, 2}, {"b", 1, 2}}, .numbers = {{"c", 0, 0}}};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Hostile, LimitsArePrinted) {
    Made made(narrow, wide, limited);
    const Checked checked = made.check();
    EXPECT_EQ(to_text(checked),
              "accepted: equivalent, of inputs within these limits: no NaN and no infinity; a is 0 or "
              "has an exponent from 1 to 2; b is 0 or has an exponent from 1 to 2; c is a number "
              "from 0 to 0 (patterns)\n" +
                  narrow + '\n' + wide + '\n');
    const auto json = nlohmann::json::parse(to_json(checked, 1));
    const auto range = [](const char* operand, auto low, auto high) {
        return nlohmann::json{{"operand", operand}, {"low", low}, {"high", high}};
    };
    EXPECT_EQ(json["limits"], (nlohmann::json{{"finite", true},
                                              {"no_subnormals", false},
                                              {"ranges", {range("a", 1, 2), range("b", 1, 2)}},
                                              {"numbers", {range("c", "0", "0")}}}));
    EXPECT_EQ(first_line(to_text(Made(one, other).check())), "accepted: equivalent");
    EXPECT_EQ(first_line(to_text(Made(one, small + "(fuse[F=2](c, p*))", {.no_subnormals = true}).check())),
              "accepted: different, of inputs within these limits: no subnormal number");
}

TEST(Hostile, ClassesArePrintedWithLimitsAndUnits) {
    testing::Folder folder;
    const std::vector<Unit> same = {parse_unit(narrow), parse_unit(wide)};
    const std::string alone = "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=3](p*, c))";
    write_classes({same, {parse_unit(alone)}}, {"that c is 0"}, limited, folder.path("classes"), {}, {});
    Checked checked = check_certificate(folder.path("classes"));
    EXPECT_EQ(checked.refused, "");
    const std::string text = to_text(checked);
    EXPECT_EQ(first_line(text).substr(0, 57), "assumed: classes, of inputs within these limits: no NaN a");
    EXPECT_EQ(text.substr(text.find('\n')),
              "\n1 of them, joined by 1 certificates\nclass 1:\n" + narrow + '\n' + wide + "\nassumed: that c is 0\n");
    const auto json = nlohmann::json::parse(to_json(checked, 1));
    EXPECT_EQ(json["limits"]["finite"], true);
    EXPECT_EQ(json["classes"], 1);
    EXPECT_EQ(json["members"], nlohmann::json::array({nlohmann::json::array({narrow, wide})}));
}

TEST(Hostile, LimitsThatLeaveNoInput) {
    const Unit unit = parse_unit("f16*f16+e5m2->f16 K=2 scale=e8m0/1 : round[f16 rz](fuse[F=9](p*, c))");
    const auto refusal = [&](const Limits& limits) -> std::string {
        try {
            require_inputs(limits, unit);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    };
    const std::string none_of_a = "the limits leave no input: no pattern of a is within them";
    EXPECT_EQ(refusal({.no_subnormals = true, .numbers = {{"a", 1, 0x3ff}}}), none_of_a); // subnormal ones
    EXPECT_EQ(refusal({.no_subnormals = true, .numbers = {{"a", 1, 0x400}}}), "");
    EXPECT_EQ(refusal({.no_subnormals = true, .numbers = {{"a", 0, 0x3ff}}}), "");
    EXPECT_EQ(refusal({.ranges = {{"a", 3, 4}}, .numbers = {{"a", 0x3c00, 0x4000}}}), none_of_a); // 1 to 2
    EXPECT_EQ(refusal({.ranges = {{"a", 1, 4}}, .numbers = {{"a", 0x3c00, 0x4000}}}), "");        // 2
    EXPECT_EQ(refusal({.ranges = {{"a", 9, 3}}}), "");                                            // 0
    EXPECT_EQ(refusal({.numbers = {{"a", 0x4000, 0x3c00}}}), none_of_a);
    EXPECT_EQ(refusal({.ranges = {{"sb", 9, 3}}}), "the limits leave no input: no pattern of sb is within them");
    EXPECT_EQ(refusal({.ranges = {{"sb", std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}}}), "");
    EXPECT_EQ(refusal({.ranges = {{"d", 1, 2}}}), "a range is of operand 'd', which the units do not have");

    const Limits empty = {.no_subnormals = true, .numbers = {{"a", 1, 1}}};
    testing::Folder folder;
    EXPECT_THROW(write_certificate({parse_unit(one), parse_unit(other)}, empty, folder.path("made"), {}), Error);
    EXPECT_THROW(write_classes({{parse_unit(one)}}, {}, empty, folder.path("classes"), {}, {}), Error);
    Made made(one, other);
    reseal(made.path(), [](auto& claim) {
        claim["limits"]["no_subnormals"] = true;
        claim["limits"]["numbers"].push_back({{"operand", "a"}, {"low", "1"}, {"high", "1"}});
    });
    EXPECT_EQ(made.check().refused, none_of_a);
    write_classes({{parse_unit(one)}}, {}, {}, folder.path("one"), {}, {});
    reseal(folder.path("one"), [&](auto& claim) {
        claim["classes"] = {{one}};
        claim["limits"]["no_subnormals"] = true;
        claim["limits"]["numbers"].push_back({{"operand", "a"}, {"low", "1"}, {"high", "1"}});
    });
    EXPECT_EQ(check_certificate(folder.path("one")).refused, none_of_a);
}

/// Whether there are inputs, as the checker says and as all patterns do.
TEST(Hostile, LimitsLeaveWhatAllPatternsSay) {
    Random random(11);
    int empty = 0, some = 0;
    for (const char* format_name :
         {"e2m1", "e3m2", "e4m3", "e5m2", "e4m3fnuz", "e3m2inuz", "e3m2ieee", "fix6.3", "ue4m3", "ue5m3", "e8m0"}) {
        const bool scale = std::string(format_name).starts_with("ue") || std::string(format_name) == "e8m0";
        const Unit unit = parse_unit(
            scale ? "e2m1*e2m1->f16 K=1 scale=" + std::string(format_name) + "/1 : round[f16 rne](fuse[exact](p*))"
                  : std::string(format_name) + "*e2m1->f16 K=1 : round[f16 rne](fuse[exact](p*))");
        const std::string operand = scale ? "sa" : "a";
        const Format& f = scale ? format(unit.scale->format) : format(unit.a);
        std::vector<std::uint64_t> finite;
        for (std::uint64_t x = 0; x <= f.mask(); ++x)
            if (decode(f, x).number_class == NumberClass::finite) finite.push_back(x);
        for (int i = 0; i < 400; ++i) {
            Limits limits;
            limits.finite = random.one_in(2);
            limits.no_subnormals = random.one_in(2);
            for (int count = random.below(3); count > 0; --count) {
                const int low = random.between(f.emin() - 2, f.emax() + 1), width = random.between(-1, 2);
                limits.ranges.push_back({operand, low, low + width});
            }
            for (int count = random.below(3); count > 0; --count) {
                const auto any = [&] {
                    return finite[static_cast<std::size_t>(random.below(static_cast<int>(finite.size())))];
                };
                std::uint64_t low = any(), high = random.one_in(3) ? low : any();
                if (to_double(f, low) > to_double(f, high)) std::swap(low, high);
                limits.numbers.push_back({operand, low, high});
            }
            bool any_within = false;
            for (std::uint64_t x = 0; x <= f.mask() && !any_within; ++x) {
                const Decoded d = decode(f, x);
                const bool number = d.number_class == NumberClass::finite;
                bool good = number || (!limits.finite && limits.ranges.empty() && limits.numbers.empty());
                if (number && limits.no_subnormals && f.has_subnormals() && !d.is_zero())
                    good = d.significand >> f.mantissa_bits != 0;
                for (const auto& range : limits.ranges)
                    good = good && (d.is_zero() || (range.low <= d.exponent && d.exponent <= range.high));
                for (const auto& range : limits.numbers)
                    good = good && to_double(f, range.low) <= to_double(f, x) &&
                           to_double(f, x) <= to_double(f, range.high);
                any_within = good;
            }
            ++(any_within ? some : empty);
            bool accepted = true;
            try {
                require_inputs(limits, unit);
            } catch (const Error&) {
                accepted = false;
            }
            ASSERT_EQ(accepted, any_within) << format_name << ", limits " << i;
        }
    }
    EXPECT_GT(some, 1000);
    EXPECT_GT(empty, 400);
}

/// Two units that give different NaN are each the same as one that leaves it open which, and not as each other.
TEST(Hostile, NanOfAnyKindJoinsNothing) {
    const auto unit = [](const char* nan) {
        return parse_unit("e2m1ieee*e2m1ieee->e3m2ieee K=1 nan=" + std::string(nan) +
                          " : round[e3m2ieee rne](fuse[exact](p*))");
    };
    const Unit any = unit("any"), first = unit("1d"), second = unit("1f");
    testing::Folder folder;
    using Verdict = Written::Verdict;
    const auto verdict = [&](const std::string& name, const std::vector<Unit>& units) {
        const Verdict found = write_certificate(units, {}, folder.path(name), {}).verdict;
        const Checked checked = check_certificate(folder.path(name));
        EXPECT_EQ(checked.refused, "");
        EXPECT_EQ(checked.claimed == Checked::Claim::equivalent, found == Verdict::equivalent);
        return found;
    };
    EXPECT_EQ(verdict("two", {any, first}), Verdict::equivalent);
    EXPECT_EQ(verdict("any first", {any, first, second}), Verdict::different);
    EXPECT_EQ(verdict("any between", {first, any, second}), Verdict::different);
    EXPECT_EQ(verdict("any last", {first, second, any}), Verdict::different);
    EXPECT_EQ(verdict("twice", {any, first, any, first}), Verdict::equivalent);
    EXPECT_EQ(verdict("others", {any, any, second}), Verdict::equivalent);
    const Miter miter = make_miter({any, first, any, second}, {});
    EXPECT_NE(miter.different, no);
    // Not as classes either.
    write_classes({{any, first}}, {}, {}, folder.path("classes"), {}, {});
    write_classes({{any, second}}, {}, {}, folder.path("others of it"), {}, {});
    std::filesystem::copy(folder.path("others of it") + "/0001", folder.path("classes") + "/0002",
                          std::filesystem::copy_options::recursive);
    const auto others = nlohmann::ordered_json::parse(testing::read_file(folder.path("others of it") + "/claim.json"));
    reseal(folder.path("classes"), [&](auto& claim) {
        claim["merges"].push_back(others["merges"][0]);
        claim["merges"][1]["folder"] = "0002";
        claim["classes"][0].push_back(to_string(second));
    });
    EXPECT_EQ(check_certificate(folder.path("classes")).refused,
              "only a unit with nan=any joins a unit to its class: " + to_string(second));
}

TEST(Hostile, FilesThatAreNone) {
    for (const char* file :
         {"claim.json", "claim.sha256", "CHECK.md", "whole.cnf", "whole.aig", "whole.proof", "vectors.jsonl"}) {
        Made made(one, other);
        const std::filesystem::path path = made.path() / file;
        const auto refusal = [&](const std::function<void()>& put) {
            std::filesystem::remove(path);
            put();
            return made.check().refused;
        };
        const std::string name(file), plain = ", and has to be a plain file";
        EXPECT_EQ(refusal([&] { EXPECT_EQ(mkfifo(path.c_str(), 0600), 0); }), name + " is a FIFO" + plain);
        EXPECT_EQ(refusal([&] { std::filesystem::create_symlink("/dev/zero", path); }), name + " is a device" + plain);
        EXPECT_EQ(refusal([&] { std::filesystem::create_directory(path); }), name + " is a folder" + plain);
        EXPECT_EQ(refusal([&] { std::filesystem::create_symlink(file, path); }), name + " cannot be read"); // a loop
        EXPECT_EQ(refusal([&] {
                      put_file(path, "");
                      std::filesystem::resize_file(path, std::uintmax_t{1} << 40); // no place on the disk
                  }).substr(0, name.size() + 24),
                  name + " has 1099511627776 bytes");
        EXPECT_EQ(refusal([&] {
                      sockaddr_un address{};
                      address.sun_family = AF_UNIX;
                      const std::string text = path.string();
                      if (text.size() >= sizeof address.sun_path) return; // then there is no file
                      std::memcpy(address.sun_path, text.c_str(), text.size());
                      const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
                      EXPECT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
                      close(listening);
                  }),
                  path.string().size() < sizeof(sockaddr_un::sun_path) ? name + " is a socket" + plain
                                                                       : name + " cannot be read");
    }
}

/// Puts another text in the place of one in claim.json, with digests that match.
std::string with_text(const std::string& was, const std::string& is) {
    Made made(one, other);
    std::string claim = testing::read_file(made.path() / "claim.json");
    claim.replace(claim.find(was), was.size(), is);
    put_file(made.path() / "claim.json", claim);
    put_file(made.path() / "claim.sha256", sha256(claim) + "  claim.json\n");
    return made.check().refused;
}

TEST(Hostile, ClaimsThatEachReaderReadsOtherwise) {
    EXPECT_EQ(with_text("\"claim\":", "\"claim\": \"different\", \"claim\":"),
              "claim.json has 'claim' twice in one object");
    EXPECT_EQ(with_text("\"finite\":", "\"finite\": true, \"finite\":"), "claim.json has 'finite' twice in one object");
    const std::string no_ranges = "\"ranges\": []";
    const auto range = [](const std::string& low, const std::string& high) {
        return "\"ranges\": [{\"operand\": \"a\", \"low\": " + low + ", \"high\": " + high + "}]";
    };
    EXPECT_EQ(with_text(no_ranges, range("0", "18446744073709551615")), // which is -1 as a signed number
              "claim.json: 'high' is too large: 18446744073709551615");
    EXPECT_EQ(with_text(no_ranges, range("0", "4294967296")), "claim.json: 'high' is too large: 4294967296");
    EXPECT_EQ(with_text(no_ranges, range("-9223372036854775808", "0")),
              "claim.json: 'low' is too large: -9223372036854775808");
    EXPECT_EQ(with_text(no_ranges, range("0", "1e0")), "claim.json: 'high' is missing, or not of the right type");
    EXPECT_EQ(with_text("\"numbers\": []", "\"numbers\": [{\"operand\": \"a\", \"low\": \"-1\", \"high\": \"2\"}]"),
              "claim.json: 'low' is no pattern: -1");
    EXPECT_EQ(with_text("\"nan\": \"every NaN equals every other\"", "\"nan\": \"bits\""),
              "claim.json: 'nan' is not what the units say");
    std::string deep;
    for (int i = 0; i < 1000000; ++i) deep += '[';
    EXPECT_EQ(with_text("\"assumed\": []", "\"assumed\": " + deep), "claim.json is nested too deep");
    EXPECT_EQ(with_text("CHECK.md", "CHECK.md\\n"),
              "claim.json: a file has the name '" + std::string("CHECK.md\n") + "', which is no plain name");
    // Lines of its own among those that are printed.
    Made made(one, other);
    reseal(made.path(), [](auto& claim) { claim["assumed"] = {"nothing\naccepted: equivalent\x1b[2J"}; });
    EXPECT_EQ(to_text(made.check()),
              "assumed: equivalent\n" + one + '\n' + other + "\nassumed: nothing?accepted: equivalent?[2J\n");
    // Obligations of which nothing is checked.
    Made different(one, small + "(fuse[F=2](c, p*))");
    reseal(different.path(), [](auto& claim) { claim["obligations"] = {1, 2}; });
    EXPECT_EQ(different.check().refused, "a claim that units differ has no obligations");
}

TEST(Hostile, UnitsThatAreEnormous) {
    Made made(one, other);
    reseal(made.path(), [](auto& claim) {
        for (auto& unit : claim["units"])
            unit = line("f64*f64+f64->f64 K=1048576 L=4 : round[f64 rne](fuse[exact](p*, c))");
    });
    EXPECT_THROW(made.check(), std::length_error);
}

} // namespace
} // namespace discern::tests::hostile_test
