# What wheels and archives for other machines are made of (script/wheels, zig.cmake): libraries whose licences let them be
# passed on within a program (docs/licences.md), compiled in, so that a program asks for nothing but the C library.
add_link_options(-s)
include(Headers)
find_library(DISCERN_LIBZ libz.a REQUIRED)
find_library(DISCERN_LIBZIP_ALONE libzip.a REQUIRED)
set(DISCERN_LIBZIP "${DISCERN_LIBZIP_ALONE};${DISCERN_LIBZ}" CACHE INTERNAL "")
# Boost 1.74 asks for a class that C++17 has removed, and so has libc++ unless it is told not to.
target_compile_definitions(Boost::headers INTERFACE BOOST_NO_CXX98_FUNCTION_BASE)
