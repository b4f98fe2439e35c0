// A suite as people and programs read it: tables for terminals and documents, a page, JSON, and the file of vectors.
#pragma once

#include "analysis/suite/open_points.hpp"
#include "analysis/suite/suite.hpp"
#include "cli/base/command.hpp"
#include "cli/base/json.hpp"

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace discern::cli {

/// "A", "B", … "Z", "AA": how tables call the classes.
std::string class_letter(std::size_t index);
/// What tables put where two classes meet: "=" of one class with itself, the number of the first vector that separates
/// them, from 1, "≈" if they are proved equal though apart, "?" if nothing is known.
std::string cell(const Suite& suite, std::size_t one, std::size_t other);
/// "1, and none is smaller: …", "3; no set of fewer than 2 can do: …", with what the number rests on.
std::string size_sentence(const Suite& suite);
/// File name without suffix: "f16-f16-f32-f32-k16", "e2m1-e2m1-f32-f32-k64-ue4m3-16".
std::string file_stem(const Shape& shape);

/// For a terminal; of a large suite only the beginning.
void print_suite(std::ostream& out, const Suite& suite);
/// json.cpp: the object of --json.
Json json_of(const Suite& suite);
/// json.cpp: the classes by the names of their units.
Json classes_of(const Suite& suite);
/// page.cpp: a whole page of HTML that needs no other file.
/// @param assumed  of units of different shapes
void print_page(std::ostream& out, std::span<const Suite> suites, const std::string& command,
                const std::vector<std::string>& assumed = {});
/// files.cpp: a file of vectors whose header has the classes, and each of whose vectors has d of each class.
/// @param assumed  of units of different shapes
void write_vectors(std::ostream& out, const Suite& suite, const std::string& command, std::uint64_t seed,
                   const std::vector<std::string>& assumed = {});
/// files.cpp: the same with a header that says what d is of; it gets what is open, by numbers of classes from 0,
/// command and seed.
void write_vectors(std::ostream& out, const Suite& suite, Header header, std::string_view command, std::uint64_t seed);
/// files.cpp: one suite in Markdown, without anything that changes from run to run.
std::string suite_markdown(const Suite& suite);
/// files.cpp: for every suite with more than one class the vectors and the matrix, and a README.md with all.
/// @return how many files were written
std::size_t write_folder(const std::string& folder, std::span<const Suite> suites, std::uint64_t seed,
                         const Streams& io);
/// Writes a file in a folder, which is made if it is not there.
void write_whole_file(const std::string& folder, const std::string& name, const std::string& text, const Streams& io);

/// questions.cpp: a suite of the readings of each open point, in their order, and the folder of their files.
std::vector<Suite> question_suites(const SuiteOptions& options);
std::size_t write_questions(const std::string& folder, std::span<const Suite> suites, std::uint64_t seed,
                            const Streams& io);

} // namespace discern::cli
