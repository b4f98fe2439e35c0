# script/cmake/Headers.cmake made the target.
set(CLI11_FOUND TRUE)
