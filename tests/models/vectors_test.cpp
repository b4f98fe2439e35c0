// Files of vectors: what is written reads back, each form is read, and each kind of bad input is named.
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace discern {
namespace {

constexpr Shape small{
    .a = FormatId::f16, .b = FormatId::f16, .c = FormatId::f32, .d = FormatId::f32, .scale = {}, .K = 2};
constexpr Shape scaled{.a = FormatId::e2m1,
                       .b = FormatId::e3m2,
                       .c = FormatId::f32,
                       .d = FormatId::f32,
                       .scale = Scale{.format = FormatId::e8m0, .block = 2},
                       .K = 3};

const std::string small_header = R"({"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":2})";

/// All vectors of a file.
std::vector<Vector> read_all(const std::string& text, std::optional<ReadAs> as = std::nullopt) {
    std::istringstream in(text);
    VectorReader reader(in, "file", std::move(as));
    std::vector<Vector> all;
    Vector vector;
    while (reader.next(vector)) all.push_back(vector);
    return all;
}

ReadAs as_unit(const Shape& shape) { return {.unit = "the unit", .shape = shape}; }

/// The sentence that reading ends with, or "".
std::string complaint(const std::string& text, std::optional<ReadAs> as = std::nullopt) {
    try {
        read_all(text, std::move(as));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Hex, PatternsHaveTheDigitsOfTheirFormat) {
    EXPECT_EQ(to_hex(format(FormatId::e2m1), 0xf), "f");
    EXPECT_EQ(to_hex(format(FormatId::e3m2), 0x3f), "3f");
    EXPECT_EQ(to_hex(format(FormatId::f16), 0x3c00), "3c00");
    EXPECT_EQ(to_hex(format(FormatId::f64), 1), "0000000000000001");
    EXPECT_EQ(parse_pattern(format(FormatId::f64), "fff0000000000000"), 0xfff0000000000000u);
    EXPECT_EQ(parse_pattern(format(FormatId::f16), "3C0f"), 0x3c0fu);
    EXPECT_EQ(parse_pattern(format(FormatId::f16), "3c0"), std::nullopt);
    EXPECT_EQ(parse_pattern(format(FormatId::f16), "03c00"), std::nullopt);
    EXPECT_EQ(parse_pattern(format(FormatId::f16), "3c0g"), std::nullopt);
    EXPECT_EQ(parse_pattern(format(FormatId::f16), "+3c0"), std::nullopt);
    EXPECT_EQ(parse_pattern(format(FormatId::e3m2), "40"), std::nullopt) << "seven bits do not fit in six";
    EXPECT_EQ(parse_pattern(format(FormatId::e3m2), "3f"), 0x3fu);
    EXPECT_EQ(parse_hex(""), std::nullopt);
    EXPECT_EQ(parse_hex("12345678123456781"), std::nullopt);
}

TEST(Vectors, ReadsTheCanonicalForm) {
    const auto all =
        read_all(small_header + "\n" + R"({"a":["3c00","0001"],"b":["FFFF","4000"],"c":"3f800000","d":"00000001"})" +
                 "\n" + R"({"x":[{"a":[]}],"c":"80000000","b":["0000","0000"],"a":["0000","0000"]})");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].a, (std::vector<std::uint64_t>{0x3c00, 1}));
    EXPECT_EQ(all[0].b, (std::vector<std::uint64_t>{0xffff, 0x4000}));
    EXPECT_EQ(all[0].c, 0x3f800000u);
    EXPECT_EQ(all[0].d, std::vector<std::uint64_t>{1});
    EXPECT_FALSE(all[0].d_is_list);
    EXPECT_EQ(all[1].c, 0x80000000u);
    EXPECT_TRUE(all[1].d.empty()) << "storage is used again, its content is not";
}

TEST(Vectors, ReadsLineEndsOfBothKindsAndNone) {
    const std::string line = R"({"a":["0000","0000"],"b":["0000","0000"],"c":"00000000"})";
    EXPECT_EQ(read_all(small_header + "\r\n" + line + "\r\n" + line).size(), 2u);
    EXPECT_EQ(read_all(small_header).size(), 0u);
}

TEST(Vectors, ReadsListsOfResults) {
    const auto all =
        read_all(small_header + "\n" +
                 R"({"a":["0000","0000"],"b":["0000","0000"],"c":"00000000","d":["00000001","00000002"]})");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].d_is_list);
    EXPECT_EQ(all[0].d, (std::vector<std::uint64_t>{1, 2}));
}

TEST(Vectors, ReadsAndWritesWhyThereIsNoResult) {
    const std::string line = R"({"a":["3c00","4000"],"b":["3c00","3c00"],"c":"00000000","error":"too \"hot\""})";
    const std::vector<Vector> vectors =
        read_all(small_header + "\n" + line + "\n" + R"({"a":["3c00","4000"],"b":["3c00","3c00"],"c":"00000000"})");
    ASSERT_EQ(vectors.size(), 2u);
    EXPECT_EQ(vectors[0].error, "too \"hot\"");
    EXPECT_TRUE(vectors[0].d.empty());
    EXPECT_EQ(to_json(small, vectors[0]), line);
    EXPECT_EQ(vectors[1].error, "") << "nothing is kept of the line before";
    const std::string begin =
        small_header + "\n" + R"({"a":["3c00","4000"],"b":["3c00","3c00"],"c":"00000000","error":)";
    EXPECT_EQ(complaint(begin + "1}"),
              "file:2: field error: is a number; it must be a string, the reason why there is no d");
    EXPECT_EQ(complaint(begin + R"({"x":1}})"),
              "file:2: field error: is an object; it must be a string, the reason why there is no d");
    EXPECT_EQ(complaint(begin + R"("x","d":"3f800000"})"),
              "file:2: there are d and error; a vector has a result, or a reason why it has none");
}

TEST(Vectors, ReadsTheCompactForm) {
    std::istringstream in(R"({"arch":"RTX Blackwell","instr":"none","K":3,"a":"e2m1"})");
    // The name comes from arch and instr; it is the resolver that refuses this one.
    EXPECT_THROW(VectorReader(in, "file"), Error);
    EXPECT_NE(complaint(in.str()).find("rtxblackwell/none"), std::string::npos) << complaint(in.str());
}

TEST(Vectors, ReadsCsv) {
    const auto all = read_all("a,b,sa,sb,c,d\n1 2 f,3f 00 01,7f 80,00 01,00000000,00000001\n", as_unit(scaled));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].a, (std::vector<std::uint64_t>{1, 2, 15}));
    EXPECT_EQ(all[0].b, (std::vector<std::uint64_t>{0x3f, 0, 1}));
    EXPECT_EQ(all[0].sa, (std::vector<std::uint64_t>{0x7f, 0x80}));
    EXPECT_EQ(all[0].sb, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(all[0].d, std::vector<std::uint64_t>{1});
    EXPECT_EQ(read_all("d,c,b,a\r\n00000001,00000002,0003 0004,0005 0006\r\n", as_unit(small)).at(0).a,
              (std::vector<std::uint64_t>{5, 6}));
}

TEST(Vectors, ReadsPlainText) {
    const auto all = read_all("1 2 f 3f 00 01 7f 80 00 01 00000000 00000001\n1 2 f 3f 00 01 7f 80 00 01 00000002\n",
                              as_unit(scaled));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].sb, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(all[0].c, 0u);
    EXPECT_EQ(all[0].d, std::vector<std::uint64_t>{1});
    EXPECT_EQ(all[1].c, 2u);
    EXPECT_TRUE(all[1].d.empty());
}

TEST(Vectors, KeepsWhatAHeaderSays) {
    const std::string text =
        R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":2,"scale":"e8m0","kblock":2,"nan":"any","target":"T","seed":7,)"
        R"("more":{"x":[1,null,"é\n"]}})";
    std::istringstream in(text);
    VectorReader reader(in, "file");
    EXPECT_EQ(to_json(reader.header()), text);
    EXPECT_TRUE(reader.nan_any());
    EXPECT_EQ(reader.header().target, "T");
    EXPECT_EQ(reader.shape().scales(), 1);
    EXPECT_EQ(reader.shape().c, std::nullopt);
    ASSERT_EQ(reader.header().other.size(), 2u);
    EXPECT_EQ(reader.header().other[0], (std::pair<std::string, std::string>{"seed", "7"}));
}

/// A shape with random formats; every format has its turn as an operand.
Shape random_shape(std::mt19937_64& random) {
    const auto any = [&] { return static_cast<FormatId>(random() % formats().size()); };
    Shape shape{.a = any(), .b = any(), .c = any(), .d = any(), .scale = {}, .K = static_cast<int>(1 + random() % 70)};
    if (random() % 4 == 0) shape.c.reset();
    if (random() % 2 == 0) shape.scale = Scale{.format = any(), .block = static_cast<int>(1 + random() % 40)};
    return shape;
}

Vector random_vector(const Shape& shape, std::mt19937_64& random) {
    const auto pattern = [&](FormatId id) { return random() & format(id).mask(); };
    const auto list = [&](FormatId id, int count) {
        std::vector<std::uint64_t> patterns(static_cast<std::size_t>(count));
        for (auto& bits : patterns) bits = pattern(id);
        return patterns;
    };
    Vector vector;
    vector.a = list(shape.a, shape.K);
    vector.b = list(shape.b, shape.K);
    if (shape.scale) {
        vector.sa = list(shape.scale->format, shape.scales());
        vector.sb = list(shape.scale->format, shape.scales());
    }
    if (shape.c) vector.c = pattern(*shape.c);
    vector.d = list(shape.d, static_cast<int>(random() % 2));
    return vector;
}

TEST(Vectors, WhatIsWrittenReadsBack) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        Header header;
        header.shape = shape;
        std::ostringstream json, text;
        VectorWriter json_writer(json, shape, header), text_writer(text, shape, header, VectorWriter::Form::text);
        std::vector<Vector> written(1 + random() % 4);
        for (Vector& vector : written) {
            vector = random_vector(shape, random);
            json_writer.write(vector);
            text_writer.write(vector);
        }
        for (const auto& read : {read_all(json.str()), read_all(text.str(), as_unit(shape))}) {
            ASSERT_EQ(read.size(), written.size()) << "seed " << seed << "\n" << json.str();
            for (std::size_t i = 0; i < read.size(); ++i) {
                EXPECT_TRUE(read[i].same_inputs(written[i])) << "seed " << seed << "\n" << json.str();
                EXPECT_EQ(read[i].d, written[i].d) << "seed " << seed << "\n" << json.str();
            }
        }
    }
}

/// What is read of a line, or nothing if it is refused.
std::optional<Vector> read_line(const Shape& shape, const std::string& line) {
    Header header;
    header.shape = shape;
    try {
        const auto all = read_all(to_json(header) + "\n" + line);
        return all.empty() ? std::nullopt : std::optional(all.front());
    } catch (const Error&) {
        return std::nullopt;
    }
}

// Lines as we write them are read by a short way; a blank after the brace leads to the parser of JSON.
TEST(Vectors, CanonicalLinesReadLikeOthers) {
    int right = 0, wrong = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        std::string line = to_json(shape, random_vector(shape, random));
        const std::size_t at = 1 + random() % (line.size() - 1);
        if (const auto kind = random() % 4; kind == 0)
            line[at] = "\"{},:[]0aFg "[random() % 12];
        else if (kind == 1)
            line.erase(at, 1 + random() % 4);
        else if (kind == 2)
            line.insert(at, line.substr(at, random() % 40));
        const auto one = read_line(shape, line), other = read_line(shape, "{ " + line.substr(1));
        ASSERT_EQ(one.has_value(), other.has_value()) << "seed " << seed << "\n" << line;
        ++(one ? right : wrong);
        if (!one) continue;
        ASSERT_TRUE(one->same_inputs(*other) && one->d == other->d && one->d_is_list == other->d_is_list &&
                    one->error == other->error)
            << "seed " << seed << "\n"
            << line;
    }
    EXPECT_GT(right, 500);
    EXPECT_GT(wrong, 500);
}

TEST(Vectors, LongLinesAreLines) {
    constexpr int K = 100'000;
    Shape shape = small;
    shape.K = K;
    Header header;
    header.shape = shape;
    std::ostringstream out;
    VectorWriter writer(out, shape, header);
    std::mt19937_64 random(1);
    const Vector vector = random_vector(shape, random);
    writer.write(vector);
    writer.write(vector);
    const auto all = read_all(out.str());
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].same_inputs(vector));
    EXPECT_TRUE(all[1].same_inputs(vector));
}

TEST(Vectors, LinesAsLongAsTheBufferAreLines) {
    // Around the sizes at which a line no longer fits the reader's buffer, in text padded by blanks.
    for (std::size_t length = 65'530; length <= 65'545; ++length) {
        std::string line = "0001 0002 0003 0004 00000005";
        line.insert(4, length - line.size(), ' ');
        for (const char* end : {"\n", ""}) {
            const auto all = read_all(line + "\n" + line + end, as_unit(small));
            ASSERT_EQ(all.size(), 2u) << length;
            EXPECT_EQ(all[1].c, 5u) << length;
        }
    }
}

struct Bad {
    std::string line;      ///< follows a good header and a good line
    std::string complaint; ///< the sentence, after file and line
};

TEST(Vectors, BadLinesAreNamed) {
    const std::string good = R"({"a":["0000","0000"],"b":["0000","0000"],"c":"00000000"})";
    const std::string rest = R"("b":["0000","0000"],"c":"00000000"})";
    const std::vector<Bad> bad = {
        {R"({"a":["000","0000"],)" + rest,
         "field a: pattern 1: '000' has 3 digits; a pattern of f16 is 4 hexadecimal digits"},
        {R"({"a":["0000","00000"],)" + rest, "field a: pattern 2: '00000' has 5 digits"},
        {R"({"a":["0000","00x0"],)" + rest, "field a: pattern 2: '00x0' is not hexadecimal; a pattern of f16 is 4"},
        {R"({"a":["0000",""],)" + rest, "field a: pattern 2: '' has 0 digits"},
        {R"({"a":["0000"],)" + rest, "field a: has 1 pattern; there must be 2 patterns of f16"},
        {R"({"a":["0000","0000","0000"],)" + rest, "field a: has more than 2 patterns; there must be 2 of f16"},
        {R"({"a":[],)" + rest, "field a: missing; there must be 2 patterns of f16"},
        {"{" + rest, "field a: missing; there must be 2 patterns of f16"},
        {R"({"a":["0000","0000"],"b":["0000","0000"]})", "field c: missing; there must be 1 pattern of f32"},
        {R"({"a":"00000000",)" + rest, "field a: is a string; there must be a list of strings"},
        {R"({"a":[0,1],)" + rest, "field a: has a number in its list; patterns are strings"},
        {R"({"a":[["0000"],"0000"],)" + rest, "field a: has a list in its list"},
        {R"({"a":{"0":"0000"},)" + rest, "field a: is an object; patterns are strings"},
        {R"({"a":null,)" + rest, "field a: is null; patterns are strings"},
        {R"({"a":["0000","0000"],"b":["0000","0000"],"c":0})", "field c: is a number; patterns are strings"},
        {R"({"a":["0000","0000"],"b":["0000","0000"],"c":["00000000"]})",
         "field c: is a list; there must be one string"},
        {R"({"a":["0000","0000"],"a":["0000","0000"],)" + rest, "field a: is there twice"},
        {R"({"x":1,"x":2,"a":["0000","0000"],)" + rest, "field 'x' is there twice"},
        {R"({"d":[],"a":["0000","0000"],)" + rest, "field d: is an empty list"},
        {R"({"d":["0"],"a":["0000","0000"],)" + rest, "field d: pattern 1: '0' has 1 digit; a pattern of f32 is 8"},
        {R"({"d":true,"a":["0000","0000"],)" + rest, "field d: is a truth value; patterns are strings"},
        {R"({"sa":["00"],"a":["0000","0000"],)" + rest, "field sa: the unit has no scales"},
        {good + "x", "not JSON from column 57 on"},
        {good + good, "not JSON from column 57 on"},
        {good.substr(0, 30), "the line ends before its JSON object does"},
        {good.substr(0, 1), "the line ends before its JSON object does"},
        {"", "the line is empty; a vector is one object"},
        {"   ", "the line is empty"},
        {"[]", "the line is a list; a vector is one JSON object"},
        {"3", "the line is a number; a vector is one JSON object"},
        {R"("a")", "the line is a string"},
        {"\x01\x02\xff", "not JSON from column 1 on"},
        {std::string("\0\0", 2), "the line has a zero byte"},
        {good + std::string("\0", 1), "the line has a zero byte"},
        {std::string(100'000, '['), "the line is a list"},
        {std::string(100'000, 'x'), "not JSON from column 1 on"},
        {R"({"x":)" + std::string(100'000, '['), "the line ends before its JSON object does"},
    };
    for (const Bad& entry : bad) {
        const std::string said = complaint(small_header + "\n" + good + "\n" + entry.line + "\n" + good + "\n");
        EXPECT_TRUE(said.starts_with("file:3: " + entry.complaint))
            << "said: " << said << "\nline: " << entry.line.substr(0, 100);
        EXPECT_LT(said.size(), 400u);
    }
    EXPECT_EQ(complaint(small_header + "\n" + good + "\n" + good + "\n"), "");
}

TEST(Vectors, BadHeadersAreNamed) {
    const std::vector<Bad> bad = {
        {"", "the file is empty; the first line must be a header"},
        {"\n", "the first line is empty; it must be a header"},
        {R"({"a":["0000"],"b":["0000"],"c":"00000000"})", "the line is not a header; the first line must be"},
        {R"({"discern":2,"a":"f16"})", "field discern: is '2'; this program reads version 1"},
        {R"({"discern":"1"})", "field discern: is '\"1\"'; this program reads version 1"},
        {R"({"discern":1.0})", "field discern: is '1.0'"},
        {R"({"discern":true})", "field discern: is 'true'"},
        {R"({"discern":1})", "the header names no unit, nor all of the formats"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32"})", "the header names no unit, nor all of the formats"},
        {R"({"discern":1,"unit":""})", "field unit: is empty"},
        {R"({"discern":1,"unit":7})", "field unit: must be a string, not '7'"},
        {R"({"discern":1,"unit":"no/such.unit"})", "field unit: "},
        {R"({"discern":1,"a":"f17","b":"f16","d":"f32","K":2})", "field a: there is no format 'f17' (did you mean"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":0})", "field K: must be a number from 1 to"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":-2})", "field K: must be a number from 1 to"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":2.5})", "field K: must be a number from 1 to"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":99999999999999999999})",
         "field K: must be a number from 1 to"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":2,"scale":"e8m0"})",
         "field kblock: missing; scales take both"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":2,"nan":"some"})", "field nan: 'some' is neither"},
        {R"({"discern":1,"target":[]})", "field target: must be a string, not '[]'"},
        {R"({"discern":1,"discern":1})", "field 'discern' is there twice"},
        {R"({"discern":1,"x":{"y":1,"y":2}})", "field 'y' is there twice"},
        {R"({"discern":1,"x":)" + std::string(100'000, '['), "the header is nested more than 32 levels deep"},
        {R"({"discern":1,)", "the line ends before its JSON object does"},
        {R"({"discern":1} {})", "not JSON from column 15 on"},
        {"a,b,c,d", "a file in csv does not say its formats and K; name the unit"},
        {"3c00 3c00", "a file in plain text does not say its formats and K; name the unit"},
        {"hello, world", "the line 'hello, world' begins no file of vectors"},
        {"\x7f"
         "ELF\x02\x01",
         "the line '\\x7fELF\\x02\\x01' begins no file of vectors"},
        {std::string("{\0}", 3), "the line has a zero byte"},
    };
    for (const Bad& entry : bad) {
        const std::string said = complaint(entry.line);
        EXPECT_TRUE(said.starts_with("file:1: " + entry.complaint))
            << "said: " << said << "\nline: " << entry.line.substr(0, 100);
        EXPECT_LT(said.size(), 400u);
    }
}

TEST(Vectors, BadCsvAndTextAreNamed) {
    const std::vector<Bad> bad = {
        {"a,b,c,x", "file:1: there is no column 'x'; columns are"},
        {"a,b,c,a", "file:1: column 'a' is there twice"},
        {"a,b\n0000 0000,0000 0000\n", "file:2: field c: missing; there must be 1 pattern of f32"},
        {"a,b,c\n0000 0000,0000,00000000\n", "file:2: field b: has 1 pattern; there must be 2 patterns of f16"},
        {"a,b,c\n0000 0000,0000 0000\n", "file:2: the line has 2 columns; the first line has 3"},
        {"a,b,c\n\n", "file:2: the line has 0 columns; the first line has 3"},
        {"a,b,c\n0000 0000,0000 0000,0\n", "file:2: field c: '0' has 1 digit; a pattern of f32 is 8"},
        {"a,b,c\n0000 0000,0000 0z00,00000000\n", "file:2: field b: pattern 2: '0z00' is not hexadecimal"},
        {"a,b,c,sa\n0000 0000,0000 0000,00000000,00\n", "file:2: field sa: the unit has no scales"},
        {"0000 0000 0000 0000\n", "file:1: the line has 4 words; f16*f16+f32->f32 K=2 takes 5, or 6 with d"},
        {"0000 0000 0000 000 00000000\n", "file:1: field b: pattern 2: '000' has 3 digits"},
        {"0000 0000 0000 0000 00000000\n0000 zzzz\n", "file:2: the line has 2 words"},
        {R"({"discern":1,"K":4})", "file:1: field K: is 4, but the unit has 2 (f16*f16+f32->f32 K=2)"},
        {R"({"discern":1,"a":"bf16"})", "file:1: field a: is bf16, but the unit has f16"},
        {R"({"discern":1,"scale":"e8m0","kblock":32})", "file:1: field scale: is e8m0, but the unit has none"},
        {R"({"discern":1,"a":"f16","b":"f16","d":"f32","K":2})", "file:1: field a, b, c, d, K: the header"},
    };
    for (const Bad& entry : bad) {
        const std::string said = complaint(entry.line, as_unit(small));
        EXPECT_TRUE(said.starts_with(entry.complaint)) << "said: " << said << "\nfile: " << entry.line;
    }
    EXPECT_TRUE(complaint("a,b,sa,sb,c\n1 2 f,40 00 01,7f 80,00 01,00000000\n", as_unit(scaled))
                    .starts_with("file:2: field b: pattern 1: '40' does not fit in the 6 bits of e3m2"));
}

TEST(Vectors, AnEndlessLineEnds) {
    EXPECT_TRUE(complaint(small_header + "\n" + std::string((1u << 24) + 100'000, ' '))
                    .starts_with("file:2: the line has more than 16777216 bytes"));
}

} // namespace
} // namespace discern
