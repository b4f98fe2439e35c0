# script/cmake/Headers.cmake made the target.
set(nlohmann_json_FOUND TRUE)
