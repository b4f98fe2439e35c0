# Compiles for machines with an older C library than this one's, or with other processors: zig's clang, which brings the symbols
# of each glibc, musl, and libc++ to compile in. script/wheels fetches it from PyPI and sets these:
#   DISCERN_ZIG      the program zig
#   DISCERN_TARGET   what it compiles for, as x86_64-linux-gnu.2.28
#   DISCERN_PREFIX   a folder with the libraries of script/cmake/libraries for that target; nothing is looked for in /usr
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DISCERN_ZIG DISCERN_TARGET DISCERN_PREFIX)
string(REGEX MATCH "^[^-]+" processor "${DISCERN_TARGET}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_C_COMPILER "${DISCERN_ZIG};cc;-target;${DISCERN_TARGET}")
set(CMAKE_CXX_COMPILER "${DISCERN_ZIG};c++;-target;${DISCERN_TARGET}")
# Without an option that optimises, zig adds checks that end the program.
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined")
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined")
if(processor STREQUAL "x86_64") # zig switches vectors of 512 bits off, and clang 20 needs them on for the kernels that ask for them
  string(APPEND CMAKE_C_FLAGS_INIT " -mcpu=x86_64_v2")
  string(APPEND CMAKE_CXX_FLAGS_INIT " -mcpu=x86_64_v2 -mevex512")
endif()
# Archives of every processor's objects.
foreach(tool ar ranlib)
  string(TOUPPER ${tool} upper)
  set(CMAKE_${upper} ${DISCERN_PREFIX}/bin/zig-${tool} CACHE FILEPATH "" FORCE)
  if(NOT EXISTS ${CMAKE_${upper}})
    file(WRITE ${CMAKE_${upper}} "#!/bin/sh\nexec '${DISCERN_ZIG}' ${tool} \"$@\"\n")
    file(CHMOD ${CMAKE_${upper}} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
list(PREPEND CMAKE_PREFIX_PATH ${DISCERN_PREFIX})
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH FALSE)
