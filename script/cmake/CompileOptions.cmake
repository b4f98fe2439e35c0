# Options that every translation unit of discern is compiled with, and the warnings as a target of their own.
#
# Results are bit patterns, so nothing may contract a*b+c to a fused operation or relax floating point.
add_compile_options(-ffp-contract=off)
# A fifth less time to compile than -O3, which is worth it in models/ alone (and is set there).
if(EMSCRIPTEN)
  string(REPLACE "-O3" "-Oz" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
else()
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()
# Nothing of a shared object is replaced from outside: calls within it are inlined as in a program (clang does so anyway).
if(DISCERN_PYTHON AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
endif()

# The compiler frees memory as it goes only where it would take more than a gigabyte: a tenth of its time otherwise.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()

add_library(discern_warnings INTERFACE)
target_compile_options(discern_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
                                                  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:MAY_SHADOW>>>:-Wshadow>
                                                  $<$<BOOL:${DISCERN_WERROR}>:-Werror>)
# GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(discern_warnings INTERFACE -Wno-restrict)
endif()

if(DISCERN_SANITIZE)
  add_compile_options(-fsanitize=${DISCERN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DISCERN_SANITIZE} -fno-sanitize-recover=all)
endif()

# A page loads the whole program: all of it is compiled for size there, but what computes.
function(discern_fast_on_the_page target)
  if(EMSCRIPTEN)
    target_compile_options(${target} PRIVATE -O2)
  endif()
endfunction()

# For what reads, asks the libraries and prints: more optimisation only costs time to compile.
function(discern_optimise_little target)
  discern_optimise(${target} -O1)
endfunction()

# For tests: a fifth less to compile than that. Not for commands, which would take up to 1.7 times as long to read files.
function(discern_optimise_for_tests target)
  discern_optimise(${target} -Og)
endfunction()

function(discern_optimise target level)
  if(EMSCRIPTEN)
    return()
  elseif(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE ${level})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # which at these levels sees in std::string what is not there
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  else()
    discern_unoptimised_under_sanitizers(${target})
  endif()
endfunction()

# For what reads and asks: optimisation costs two thirds of the time to compile under the sanitizers.
function(discern_unoptimised_under_sanitizers target)
  if(DISCERN_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# Sources that do little but read and write JSON, whose templates take long to optimise under the sanitizers.
function(discern_json_sources)
  if(DISCERN_SANITIZE AND NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-O0")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
endfunction()
