// Files of vectors: what is written reads back, and each form is read.
#include "models/error.hpp"
#include "models/hex.hpp"
#include "vector_files.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace discern {
namespace {

using namespace tests;

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

} // namespace
} // namespace discern
