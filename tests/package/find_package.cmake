# Installs the component `models` into a fresh prefix, copies examples/find_package out of the tree, builds it against
# that prefix and runs it. Arguments: BUILD, SOURCE, GENERATOR, COMPILER.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "exit status ${status}: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE place OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
run(${CMAKE_COMMAND} --install ${BUILD} --component models --prefix ${place}/prefix)
file(COPY ${SOURCE}/examples/find_package DESTINATION ${place})
run(${CMAKE_COMMAND} -S ${place}/find_package -B ${place}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${place}/prefix)
run(${CMAKE_COMMAND} --build ${place}/build)
run(${place}/build/example)
file(REMOVE_RECURSE ${place})
if(NOT output MATCHES "binary16 has 10 mantissa bits")
  message(FATAL_ERROR "the example printed something else:\n${output}")
endif()
