// One of the programs: PROGRAM is the name of its function, which CMakeLists.txt says.
#include "programs.hpp"

int main(int count, char** words) { return discern::bench::PROGRAM(count, words); }
