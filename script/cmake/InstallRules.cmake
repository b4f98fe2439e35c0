# What `cmake --install` copies, in two components:
#   models   discern::models alone: library, public headers and the CMake package. Needs nothing but a C++20 compiler.
#   program  the programs discern and discern-check, the manual page, completions of shells, and the page if it was built.
# and what `cpack` packs: all of it, as a Debian package or a tarball.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/discern)

set_target_properties(discern_models PROPERTIES EXPORT_NAME models)
install(TARGETS discern_models EXPORT discern
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/discern COMPONENT models)
install(EXPORT discern NAMESPACE discern:: FILE discernTargets.cmake DESTINATION ${package_dir} COMPONENT models)

configure_package_config_file(${PROJECT_SOURCE_DIR}/script/cmake/discernConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/discernConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/discernConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/discernConfig.cmake ${PROJECT_BINARY_DIR}/discernConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT models)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT models)
if(DISCERN_PORTABLE) # with the notices of what is compiled in, and the list of it that script/wheels makes
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/discern.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program OPTIONAL)
endif()

if(TARGET discern)
  install(TARGETS discern RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # What the program says of itself, for man and for shells.
  set(said ${PROJECT_BINARY_DIR}/said)
  set(says $<TARGET_FILE:discern>)
  if(DISCERN_SAYS) # this machine's own, where the program is another processor's
    set(says ${DISCERN_SAYS})
  endif()
  install(CODE "
    file(MAKE_DIRECTORY ${said})
    foreach(one \"discern.1 --manual\" \"discern --completions bash\" \"discern.fish --completions fish\" \"_discern --completions zsh\")
      separate_arguments(words UNIX_COMMAND \"\${one}\")
      list(POP_FRONT words file)
      execute_process(COMMAND \"${says}\" \${words} OUTPUT_FILE ${said}/\${file} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT program)
  install(FILES ${said}/discern.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${said}/discern DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${said}/discern.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  install(FILES ${said}/_discern DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
endif()
# The page that `discern page` serves, if script/page has made it.
install(DIRECTORY ${PROJECT_BINARY_DIR}/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/discern/page COMPONENT program OPTIONAL)
if(TARGET discern-check)
  install(TARGETS discern-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

# The C interface, where it was built (embed/).
if(TARGET discern_embed)
  install(TARGETS discern_embed LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/embed/discern.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/discern COMPONENT program)
endif()

# What is packed has been built; packing builds nothing, tests least of all.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_VENDOR discern)
set(CPACK_PACKAGE_CONTACT "the authors of discern <discern@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
if(DISCERN_PORTABLE) # stripped already; dpkg has no word of another processor's libraries; C++ would need the compiler's own library
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};discern;program;/")
  set(CPACK_PACKAGE_FILE_NAME discern-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  string(REGEX REPLACE "^x86_64$" "amd64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
  string(REGEX REPLACE "^aarch64$" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28)")
else()
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Accumulation trees of the matrix units of GPUs, CPUs and accelerators: what a unit computes, bit for bit,
 whether measured results are a unit's, on which inputs two units differ, or a proof that they never do.")
include(CPack)
