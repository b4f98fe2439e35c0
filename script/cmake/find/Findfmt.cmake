# script/cmake/Headers.cmake made the target.
set(fmt_FOUND TRUE)
