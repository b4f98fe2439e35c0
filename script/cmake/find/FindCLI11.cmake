# page/wasm/CMakeLists.txt made the target.
set(CLI11_FOUND TRUE)
