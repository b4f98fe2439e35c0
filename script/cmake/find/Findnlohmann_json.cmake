# page/wasm/CMakeLists.txt made the target.
set(nlohmann_json_FOUND TRUE)
