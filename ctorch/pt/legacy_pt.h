// legacy_pt.h - .pt files in PyTorch's format from before 1.6.  C++ only.
#pragma once

#include "files/zip.h"

namespace ct {

bool is_legacy_pt(const File &file);
// Its pickle and its storages, named as today's format names them.
Zip legacy_archive(FilePointer file);

}  // namespace ct
