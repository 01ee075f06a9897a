// storages.h - the storages that a pickle describes, which lie in its archive.  C++ only.
#pragma once

#include "files/pickle.h"

namespace ct {

// A storage as a tensor of bytes, and the dtype of its elements.
struct Stored {
    at::Tensor bytes;
    at::ScalarType dtype;
};

// How a Persistent names a storage.
struct StorageName {
    std::string key;
    at::ScalarType dtype;
    uint64_t count;  // elements
};
StorageName storage_name(const Pickle &pickle, const Pickled &x);

// Whether all elements of a tensor lie within a storage of so many; offset, sizes and strides are
// not negative, and byte_count() has accepted the sizes.
bool lies_within(int64_t elements, int64_t offset, at::IntArrayRef sizes, at::IntArrayRef strides);

class Storages {
public:
    // The storages are in the folder beside the pickle that has the pickle's name.
    Storages(const Zip &zip, const Pickle &pickle, const ZipEntry &entry);

    // The storage of a Persistent; equal keys share one.
    const Stored &find(const Pickled &x);
    // The storage's entry; fails unless it is in the archive and as large as the pickle says.
    const ZipEntry &check(const Pickled &x) const;

private:
    struct Description {
        std::string key;
        at::ScalarType dtype;
        const ZipEntry *entry;
    };
    Description checked(const Pickled &x) const;
    Stored read(const Description &description) const;

    const Zip &zip_;
    const Pickle &pickle_;
    std::string folder_;
    std::unordered_map<std::string, Stored> storages_;
};

}  // namespace ct
