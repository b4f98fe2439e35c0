# Installs the component `models` into a fresh prefix, checks what the installed headers and the exported target name,
# copies docs/examples/find_package out of the tree, builds it against that prefix and runs it. Arguments: BUILD, SOURCE,
# GENERATOR, COMPILER.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE place OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(fail)
  file(REMOVE_RECURSE ${place})
  message(FATAL_ERROR ${ARGV})
endfunction()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    fail("exit status ${status}: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Headers include the standard library and each other, nothing else.
function(check_headers folder)
  file(GLOB headers RELATIVE ${folder} ${folder}/*.hpp)
  if(NOT headers)
    fail("no headers were installed in ${folder}")
  endif()
  foreach(header ${headers})
    file(STRINGS ${folder}/${header} lines REGEX "^ *# *include")
    foreach(line ${lines})
      if(line MATCHES "\"([^\"]+)\"")
        if(NOT CMAKE_MATCH_1 IN_LIST headers)
          fail("models/${header} includes ${CMAKE_MATCH_1}, which is not installed beside it")
        endif()
      elseif(NOT line MATCHES "<[a-z_]+>")
        fail("models/${header}: ${line}: not a header of the standard library")
      endif()
    endforeach()
  endforeach()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component models --prefix ${place}/prefix)
check_headers(${place}/prefix/include/discern/models)

file(GLOB_RECURSE exported ${place}/prefix/discernTargets*.cmake)
if(NOT exported)
  fail("no CMake package was installed")
endif()
foreach(file ${exported})
  file(READ ${file} text)
  string(REPLACE "\\$<LINK_ONLY:>" "" text "${text}") # what is left of a BUILD_INTERFACE
  if(text MATCHES "(INTERFACE_LINK_LIBRARIES \"[^\"]*[a-z][^\"]*\"|find_dependency|find_package)")
    fail("the exported target needs something else: ${CMAKE_MATCH_1}")
  endif()
endforeach()

file(COPY ${SOURCE}/docs/examples/find_package DESTINATION ${place})
run(${CMAKE_COMMAND} -S ${place}/find_package -B ${place}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${place}/prefix)
run(${CMAKE_COMMAND} --build ${place}/build)
run(${place}/build/example)
if(NOT output MATCHES "d = 41880000")
  fail("the example printed something else:\n${output}")
endif()
run(${place}/build/gemm)
# 2^23 + 4 + 4: beside 2^23 each product, 0.333…, is cut to a multiple of 2^-2
if(NOT output MATCHES "^(4b000008 4b000008 \n)+$")
  fail("the matrix product printed something else:\n${output}")
endif()
run(${place}/build/merge) # in C
if(NOT output MATCHES "^random product [0-9]+ of the family")
  fail("the question of a compiler printed something else:\n${output}")
endif()
file(REMOVE_RECURSE ${place})
