# Writes the files of models/catalogue/units as one source, so that the library has them in itself.
# Usage: cmake -DFOLDER=FOLDER -DFILES=NAME;… -DOUT=FILE -P catalogue_text.cmake
set(rows "")
foreach(name ${FILES})
  file(READ ${FOLDER}/${name}.units text)
  string(APPEND rows "    {\"models/catalogue/units/${name}.units\", R\"units(${text})units\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by script/cmake/catalogue_text.cmake from models/catalogue/units.
#include \"models/catalogue/text.hpp\"

#include <array>

namespace discern::catalogue_text {

std::span<const Source> sources() {
    static constexpr Source files[] = {
${rows}    };
    return files;
}

} // namespace discern::catalogue_text
")
