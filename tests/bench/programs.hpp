// The programs of this folder that ask the libraries: each is a function, and main.cpp calls one of them. So they are
// compiled together, since what all of them include takes most of the time.
#pragma once

namespace discern::bench {

/// Each takes a command line, and returns an exit status.
int run_queries(int count, char** words);
int run_pairs(int count, char** words);
int run_identify(int count, char** words);
int run_certificates(int count, char** words);
int run_designs(int count, char** words);

} // namespace discern::bench
