# script/cmake/Headers.cmake made the target.
set(Boost_FOUND TRUE)
