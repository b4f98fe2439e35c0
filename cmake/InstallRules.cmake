# What `cmake --install` copies, in two components:
#   models   discern::models alone: library, public headers and the CMake package. Needs nothing but a C++20 compiler.
#   program  the program discern.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/discern)

set_target_properties(discern_models PROPERTIES EXPORT_NAME models)
install(TARGETS discern_models EXPORT discern
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/discern COMPONENT models)
install(EXPORT discern NAMESPACE discern:: FILE discernTargets.cmake DESTINATION ${package_dir} COMPONENT models)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/discernConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/discernConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/discernConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/discernConfig.cmake ${PROJECT_BINARY_DIR}/discernConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT models)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT models)

if(TARGET discern)
  install(TARGETS discern RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
