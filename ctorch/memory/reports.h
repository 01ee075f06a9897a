// reports.h - what the files share that report on a run.
#pragma once

#include <string>

#include "ctorch.h"

namespace ct {

// Whether the next operator is the in-place one only because an argument at its last use donates
// its storage: the program called the one without !.
inline bool is_reusing;

// The program's current location; false in threads other than the one that asked for reports.
bool find_location(ct_location &location);
// "demo.lisp:7:3".
std::string location_text(const ct_location &location);

// Start and stop recording operators; finish_profile returns the table.
void start_profile(const char *path);
std::string finish_profile();

}  // namespace ct
