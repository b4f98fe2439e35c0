# What a wheel and an archive for other machines are made of (script/wheels): libraries whose licences let them be passed on
# within a program (docs/licences.md), compiled in, so that a program asks for nothing but the C library.
add_link_options(-static-libstdc++ -static-libgcc -s)

find_package(fmt REQUIRED) # whose own library is a shared one
add_library(discern_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
set_target_properties(discern_fmt PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
get_target_property(of_fmt fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
if(of_fmt)
  target_compile_definitions(discern_fmt PRIVATE ${of_fmt})
endif()
set_target_properties(fmt::fmt PROPERTIES IMPORTED_GLOBAL TRUE)
get_target_property(configurations fmt::fmt IMPORTED_CONFIGURATIONS)
foreach(configuration ${configurations})
  set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_${configuration} ${PROJECT_BINARY_DIR}/libdiscern_fmt.a)
endforeach()
add_dependencies(fmt::fmt discern_fmt)

# Debian's static libraries, and that of zip archives, which script/wheels makes of Debian's source.
find_library(SQLite3_LIBRARY libsqlite3.a REQUIRED)
find_library(CADICAL_LIBRARY libcadical.a REQUIRED)
find_library(DISCERN_LIBZ libz.a REQUIRED)
set(DISCERN_LIBZIP "${DISCERN_LIBZIP_STATIC};${DISCERN_LIBZ}" CACHE INTERNAL "")
