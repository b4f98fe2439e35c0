# Finds Z3 with its C++ interface and makes the target z3::libz3, the name that Z3's own package uses.
#
# Z3's package is taken where there is one (builds of Z3 by CMake install it); Debian's libz3-dev has none, so the
# header and the library are looked for. Sets Z3_FOUND and Z3_VERSION.
find_package(Z3 CONFIG QUIET)
if(TARGET z3::libz3)
  set(Z3_VERSION ${Z3_VERSION_STRING})
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(Z3 CONFIG_MODE)
  return()
endif()

find_path(Z3_INCLUDE_DIR z3++.h PATH_SUFFIXES z3)
find_library(Z3_LIBRARY z3)
mark_as_advanced(Z3_INCLUDE_DIR Z3_LIBRARY)
if(Z3_INCLUDE_DIR AND EXISTS ${Z3_INCLUDE_DIR}/z3_version.h)
  file(STRINGS ${Z3_INCLUDE_DIR}/z3_version.h lines REGEX "#define Z3_(MAJOR|MINOR|BUILD)_(VERSION|NUMBER)")
  foreach(part MAJOR_VERSION MINOR_VERSION BUILD_NUMBER)
    if(lines MATCHES "Z3_${part} +([0-9]+)")
      list(APPEND numbers ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN numbers "." Z3_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Z3 REQUIRED_VARS Z3_LIBRARY Z3_INCLUDE_DIR VERSION_VAR Z3_VERSION)
if(Z3_FOUND)
  add_library(z3::libz3 UNKNOWN IMPORTED)
  set_target_properties(z3::libz3 PROPERTIES IMPORTED_LOCATION ${Z3_LIBRARY}
                                             INTERFACE_INCLUDE_DIRECTORIES ${Z3_INCLUDE_DIR})
endif()
