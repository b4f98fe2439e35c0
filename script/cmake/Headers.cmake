# The libraries that are headers alone, for a target that is not this machine: a page in a browser, an older C library.
#
# The machine's headers are linked one by one: its whole /usr/include has another C library's too. The files of find/ say to
# find_package that the targets below are there.
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/find)
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(header boost/version.hpp CLI/CLI.hpp fmt/format.h nlohmann/json.hpp)
  get_filename_component(library ${header} DIRECTORY)
  find_path(DISCERN_${library}_PARENT ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${DISCERN_${library}_PARENT}/${library} ${headers}/${library} SYMBOLIC)
endforeach()
foreach(target Boost::headers CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${headers})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
