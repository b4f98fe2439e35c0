# A formula for Homebrew: brew install --HEAD --formula script/packaging/discern.rb. Not tried yet.
class Discern < Formula
  desc "Finds inputs on which two matrix units differ, or proves that there are none"
  license "Apache-2.0"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "cadical"
  depends_on "fmt"
  depends_on "gcc" # Apple's clang has no std::jthread
  depends_on "icarus-verilog"
  depends_on "libzip"
  depends_on "sqlite"
  depends_on "yosys"
  depends_on "z3"

  fails_with :clang

  def install
    system "cmake", "--preset", "release", "-DDISCERN_TESTS=OFF", "-DDISCERN_BENCH=OFF", "-DDISCERN_PYTHON=OFF", *std_cmake_args
    system "cmake", "--build", "--preset", "release", "--target", "discern", "discern-check"
    system "cmake", "--install", "build", "--component", "program"
  end

  test do
    assert_match "consistent with", shell_output("#{bin}/discern which model:volta/mma.m8n8k4.f32.f16.f16.f32")
  end
end
