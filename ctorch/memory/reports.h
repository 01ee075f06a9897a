// reports.h - between the parts of the reports on a run.
#pragma once

#include <string>

#include "ctorch.h"

namespace ct {

// The operator that is called next works in place because an argument was to spare: the program
// has asked for the other form of it.
inline bool is_reusing;

// Where the program is; false in any other thread than the one that wants reports.
bool find_location(ct_location &location);
// "demo.lisp:7:3".
std::string place_text(const ct_location &location);

// Begin and end to note operators; the end gives a table for people.
void start_profile(const char *path);
std::string finish_profile();

}  // namespace ct
