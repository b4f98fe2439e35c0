# A system that lacks what discern is not built without: one message names all of it, with the packages of each system.
#
# Usage: cmake -DSOURCE=DIR -DGENERATOR=NAME -DCOMPILER=CXX -P missing.cmake
set(build ${CMAKE_CURRENT_BINARY_DIR}/missing)

# Configures with these options, which has to fail with one error; what it says goes into `said`.
function(configure)
  file(REMOVE_RECURSE ${build})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGV}
                  OUTPUT_VARIABLE out ERROR_VARIABLE said RESULT_VARIABLE status)
  file(REMOVE_RECURSE ${build})
  if(status EQUAL 0)
    message(FATAL_ERROR "it is configured with ${ARGV}")
  endif()
  string(REGEX MATCHALL "CMake Error" errors "${said}")
  list(LENGTH errors count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "there are ${count} errors, not one: ${said}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  set(said "${said}" PARENT_SCOPE)
endfunction()

function(require)
  foreach(text ${ARGV})
    string(FIND "${said}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "'${text}' is not said: ${said}")
    endif()
  endforeach()
endfunction()

foreach(library Boost nlohmann_json CLI11 fmt Python)
  list(APPEND without -DCMAKE_DISABLE_FIND_PACKAGE_${library}=ON)
endforeach()
configure(-DDISCERN_PYTHON=ON -DSKBUILD=2 ${without})
require("Missing, and discern is not built without: Boost 1.74, nlohmann_json 3.11, CLI11, fmt, Python 3.10."
        "sudo apt-get install libboost-dev nlohmann-json3-dev libcli11-dev libfmt-dev python3-dev"
        "sudo dnf install boost-devel json-devel cli11-devel fmt-devel python3-devel"
        "brew install boost nlohmann-json cli11 fmt python")
# One alone, and what a part of the libraries does not need.
configure(-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
require("not built without: CLI11." "apt-get install libcli11-dev Fedora")
configure(-DDISCERN_FOLDERS=models -DDISCERN_TESTS=OFF -DDISCERN_BENCH=OFF -DDISCERN_INSTALL=OFF ${without})
require("not built without: Boost 1.74, nlohmann_json 3.11." "apt-get install libboost-dev nlohmann-json3-dev Fedora")
