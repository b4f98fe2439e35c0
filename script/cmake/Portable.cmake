# What a wheel and a tarball for other machines are made of (script/wheels): libraries whose licences let them be passed on
# within a program, compiled in, so that a program asks for nothing but the C library.
list(PREPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/page/wasm/find)
include(HeaderLibraries)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_link_options(-s)

# SQLite and the archives of zip files as static libraries, of Debian's package and of script/wheels; their headers one by
# one, as above.
find_library(SQLite3_LIBRARY libsqlite3.a PATH_SUFFIXES x86_64-linux-gnu REQUIRED)
find_library(DISCERN_LIBZ libz.a PATH_SUFFIXES x86_64-linux-gnu REQUIRED)
foreach(header sqlite3 zlib zconf)
  find_path(DISCERN_${header}_PARENT ${header}.h PATHS /usr/include PATH_SUFFIXES x86_64-linux-gnu REQUIRED)
  file(CREATE_LINK ${DISCERN_${header}_PARENT}/${header}.h ${headers}/${header}.h SYMBOLIC)
endforeach()
set(SQLite3_INCLUDE_DIR ${headers} CACHE INTERNAL "")
set(libzip ${PROJECT_BINARY_DIR}/libzip)
set(DISCERN_LIBZIP "${libzip}/lib/libzip.a;${DISCERN_LIBZ}" CACHE INTERNAL "")
set(DISCERN_LIBZIP_INCLUDE ${libzip}/include CACHE INTERNAL "")
