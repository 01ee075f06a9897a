// system.cpp - what LispE programs ask of the system: commands of the shell, and a gradient mode
// that lasts until it is changed again.  Lambent's own programs have neither: (no-grad ...) ends
// with its form.

#include "lispe/system.h"
#include "files/files.h"

#include <ATen/core/grad_mode.h>

#include <cerrno>
#include <cstdio>

namespace ct {

Owned run_command(const ProcedureArguments &given)
{
    std::string command = given.text(0), printed;
    std::fflush(nullptr);
    FILE *output = popen(command.c_str(), "r");
    if (!output) fail_system("run", command, errno);
    char part[4096];
    size_t count;
    while ((count = std::fread(part, 1, sizeof part, output)) > 0) printed.append(part, count);
    pclose(output);
    return Owned::text(CT_STRING, printed);
}

Owned set_grad_enabled(const ProcedureArguments &given)
{
    bool before = at::GradMode::is_enabled();
    at::GradMode::set_enabled(given.flag(0));
    return Owned::boolean(before);
}

}  // namespace ct
