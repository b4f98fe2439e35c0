// No tests: the program by which common.hpp is compiled for all others.
