// Files of vectors: each kind of bad input is named, with its file, line and field.
#include "vector_files.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace discern {
namespace {

using namespace tests;

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
                    .starts_with("file:2: more than 16 MiB in a line are not read; DISCERN_BOUNDS=line=32M"));
}

} // namespace
} // namespace discern
