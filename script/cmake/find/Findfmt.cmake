# page/wasm/CMakeLists.txt made the target.
set(fmt_FOUND TRUE)
