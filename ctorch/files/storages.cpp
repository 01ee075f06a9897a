// storages.cpp - the storages of a pickle's tensors: found as the pickle describes them, and
// checked against what the archive holds.
//
//     ('storage', torch.FloatStorage, '0', 'cpu', 4)   =>   model/data/0, if it has 16 bytes
//
// A state dict's tensors use them.  LibTorch, which creates a module's tensors, trusts the sizes in
// the pickle, and would read beyond the ends of storages.

#include "files/storages.h"

namespace {

using namespace ct;

// "torch.FloatStorage" => kFloat
at::ScalarType dtype_named(const Pickle &pickle, const Pickled &x, const Pickled &type)
{
    std::string name = pickle.global_name(type);
    if (name == "torch.storage.UntypedStorage") return at::kByte;
    for (int k = 0; k < static_cast<int>(at::ScalarType::Undefined); k++) {
        at::ScalarType dtype = static_cast<at::ScalarType>(k);
        if (name == std::string("torch.") + c10::toString(dtype) + "Storage") return dtype;
    }
    pickle.refuse(x.byte, "a " + (name.empty() ? "value" : name));
}

}  // namespace

namespace ct {

Storages::Storages(const Zip &zip, const Pickle &pickle, const ZipEntry &entry)
    : zip_(zip), pickle_(pickle), folder_(entry.name.substr(0, entry.name.rfind('.')) + "/")
{
}

bool lies_within(int64_t elements, int64_t offset, at::IntArrayRef sizes, at::IntArrayRef strides)
{
    if (offset > elements) return false;
    for (int64_t size : sizes)
        if (size == 0) return true;
    int64_t last = offset;
    for (size_t k = 0; k < sizes.size(); k++) {
        int64_t reach;
        if (__builtin_mul_overflow(sizes[k] - 1, strides[k], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    }
    return last < elements;
}

// ('storage', torch.FloatStorage, '0', 'cpu', count); files from before 1.6 add None.
StorageName storage_name(const Pickle &pickle, const Pickled &x)
{
    if (x.kind != Pickled::Persistent || pickle[x.a].kind != Pickled::Tuple)
        pickle.fail(x, "a tensor without a storage");
    const std::vector<uint32_t> &fields = pickle.items(pickle[x.a]);
    bool described = fields.size() >= 5 && pickle[fields[2]].kind == Pickled::Text &&
                     pickle[fields[4]].kind == Pickled::Int && pickle[fields[4]].number >= 0;
    if (!described) pickle.fail(x, "a storage is not described as torch.save does");
    if (fields.size() > 5 && pickle[fields[5]].kind != Pickled::None)
        pickle.fail(x, "a storage that is a part of another one");
    return {std::string(pickle.text(pickle[fields[2]])), dtype_named(pickle, x, pickle[fields[1]]),
            static_cast<uint64_t>(pickle[fields[4]].number)};
}

Storages::Description Storages::checked(const Pickled &x) const
{
    auto [key, dtype, count] = storage_name(pickle_, x);
    const ZipEntry *entry = zip_.find(folder_ + key);
    if (!entry) pickle_.fail(x, "storage " + in_quotes(key) + " is not in the file");
    if (count != entry->size / c10::elementSize(dtype))
        pickle_.fail(x, "storage " + in_quotes(key) + " of " + std::to_string(count) +
                            " elements takes " + std::to_string(entry->size) +
                            " bytes in the file");
    return {key, dtype, entry};
}

const ZipEntry &Storages::check(const Pickled &x) const { return *checked(x).entry; }

const Stored &Storages::find(const Pickled &x)
{
    Description description = checked(x);
    auto found = storages_.find(description.key);
    if (found == storages_.end()) found = storages_.emplace(description.key, read(description)).first;
    if (found->second.dtype != description.dtype)
        pickle_.fail(x, "storage " + in_quotes(description.key) + " has two dtypes");
    return found->second;
}

// The storage in the mapped file, or a copy if it is not aligned there.
Stored Storages::read(const Description &description) const
{
    Unpacked found = zip_.unpacked(*description.entry);
    bool aligned = reinterpret_cast<uintptr_t>(found.start) % sizeof(double) == 0;
    int64_t size = static_cast<int64_t>(found.size);
    at::Tensor bytes = tensor_at(found.keeper, found.start, at::kByte, {size}, {1});
    return {aligned ? bytes : bytes.clone(), description.dtype};
}

}  // namespace ct
