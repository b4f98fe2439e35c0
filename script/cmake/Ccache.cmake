# Compiles through ccache where it is installed, unless a launcher was chosen already.
find_program(DISCERN_CCACHE ccache)
mark_as_advanced(DISCERN_CCACHE)
if(DISCERN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are found again by what is in them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${DISCERN_CCACHE})
endif()
