// images.h - pictures in files: PNG, JPEG, PPM and PGM.  C++ only.
//
// A picture is a tensor of bytes with the shape [height, width, channels], in the order of the
// files: 1 channel is grey, 2 are grey and alpha, 3 red, green and blue, 4 those and alpha.
#pragma once

#include "files/files.h"
#include "files/procedures.h"

#include <dlfcn.h>

namespace ct {

// A function of a library that was opened by name; false if it has none of that name.
template <class Function>
bool find_function(void *library, const char *name, Function *&found)
{
    found = reinterpret_cast<Function *>(dlsym(library, name));
    return found;
}

// A tensor for a picture that a file describes.  Fails for sizes that no tensor can have.
at::Tensor new_picture(const File &file, uint64_t height, uint64_t width, uint64_t channels);

// Readers take the whole file, and fail if it is damaged.
at::Tensor read_png(const File &file);  // png.cpp
at::Tensor read_pnm(const File &file);  // pnm.cpp
at::Tensor read_jpeg(const File &file);  // jpeg.cpp

// The bytes of a file; the picture is contiguous.
std::string png_of(const at::Tensor &picture);
std::string pnm_of(const at::Tensor &picture);

Owned resample_image(const ProcedureArguments &given);  // resample.cpp

}  // namespace ct
