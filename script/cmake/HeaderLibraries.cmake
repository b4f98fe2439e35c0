# The libraries of which discern needs only headers, for compilers that must not see the machine's whole /usr/include, since
# it has another C library's headers too: each library's folder is linked into one of our own. The find files of
# page/wasm/find, which the caller puts on CMAKE_MODULE_PATH, say to find_package that the targets below are there.
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
# Boost 1.74 derives from a class that C++17 took away.
target_compile_definitions(Boost::headers INTERFACE _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION)

# CaDiCaL from source; its programs and its log are left out.
set(DISCERN_CADICAL_SOURCE "" CACHE PATH "A folder with CaDiCaL 1.5.3's sources (script/page and script/wheels fetch Debian's)")
if(NOT EXISTS ${DISCERN_CADICAL_SOURCE}/src/cadical.hpp)
  message(FATAL_ERROR "There is no ${DISCERN_CADICAL_SOURCE}/src/cadical.hpp; script/page names a folder that has it")
endif()
file(GLOB sources ${DISCERN_CADICAL_SOURCE}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "/(mobical|cadical|ipasir|ccadical)\\.cpp$")
add_library(cadical STATIC ${sources})
discern_fast_on_the_page(cadical)
target_compile_definitions(cadical PRIVATE NDEBUG NBUILD QUIET "DATE=\"\"")
set_target_properties(cadical PROPERTIES UNITY_BUILD OFF)
set(CADICAL_INCLUDE_DIR ${DISCERN_CADICAL_SOURCE}/src CACHE INTERNAL "")
set(CADICAL_LIBRARY cadical CACHE INTERNAL "")
