# Compiles through ccache where it is installed, unless a launcher was chosen already.
find_program(DISCERN_CCACHE ccache)
mark_as_advanced(DISCERN_CCACHE)
if(DISCERN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DISCERN_CCACHE})
endif()
