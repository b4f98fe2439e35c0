# Writes the files of generated/questions as one source, so that the program has them wherever it is installed.
# Usage: cmake -DFOLDER=FOLDER -DOUT=FILE -P question_files.cmake
file(GLOB files ${FOLDER}/*.jsonl)
list(SORT files)
set(rows "")
foreach(file ${files})
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"question(${text})question\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by script/cmake/question_files.cmake from generated/questions.
#include \"analysis/suite/questions.hpp\"

#include <vector>

namespace discern {

std::span<const QuestionFile> question_files() {
    static const std::vector<QuestionFile> files = {
${rows}    };
    return files;
}

} // namespace discern
")
