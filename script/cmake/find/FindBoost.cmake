# page/wasm/CMakeLists.txt made the target.
set(Boost_FOUND TRUE)
