// compiler.h - machine code of kernels, by NVRTC or from the cache folder.  C++ only.
#pragma once

#include <string>

namespace ct::cuda {

// The machine code of kernels_source.h with the definitions for GPUs of a capability such as 90;
// "" if it can't be had.
std::string compiled(int capability, const std::string &definitions);

}  // namespace ct::cuda
