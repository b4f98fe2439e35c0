# The compiler to WebAssembly, as Debian installs it (script/setup --all). Headers of libraries come from script/cmake/Headers.cmake.
find_program(DISCERN_EMXX em++ REQUIRED)
get_filename_component(EMSCRIPTEN_ROOT_PATH ${DISCERN_EMXX} REALPATH)
get_filename_component(EMSCRIPTEN_ROOT_PATH ${EMSCRIPTEN_ROOT_PATH} DIRECTORY)
include(${EMSCRIPTEN_ROOT_PATH}/cmake/Modules/Platform/Emscripten.cmake)
# libc++ 13 lacks parts of C++20, which shim/ adds. Exceptions are WebAssembly's own: browsers have them since 2022.
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -I${CMAKE_CURRENT_LIST_DIR}/shim -w")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fwasm-exceptions")
