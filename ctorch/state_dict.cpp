// state_dict.cpp - the tensors in a .pt file that Python's torch.save has written.
//
//     model/data.pkl   a pickle: names, and of each tensor its storage, sizes and strides
//     model/data/0     the elements of a storage
//
// The pickle is read as data (pickle.h).  What state dicts are made of is made here; anything else
// that the pickle names is refused by that name.  Tensors lie in the mapped file, and those that
// shared a storage share it again.

#include "files.h"
#include "pickle.h"
#include "zip.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <unordered_map>

namespace {

using namespace ct;

constexpr size_t MOST_DIMS = 64;  // LibTorch's own limit
constexpr int DEEPEST = 64;       // dicts and lists in each other
constexpr uint64_t MOST_SHARED = 10;  // values for each byte of the pickle
constexpr std::string_view PICKLE = "/data.pkl";
constexpr std::string_view BEFORE_ZIP("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9", 9);
constexpr char RESAVE[] = "in Python: torch.save(torch.load(path), path), or use safetensors";
constexpr char SAVE_DICT[] = "in Python, save model.state_dict(), or use safetensors";

struct StorageType {
    const char *name;
    at::ScalarType dtype;
};
constexpr StorageType STORAGE_TYPES[] = {
    {"torch.FloatStorage", at::kFloat}, {"torch.DoubleStorage", at::kDouble},
    {"torch.HalfStorage", at::kHalf}, {"torch.BFloat16Storage", at::kBFloat16},
    {"torch.LongStorage", at::kLong}, {"torch.IntStorage", at::kInt},
    {"torch.ShortStorage", at::kShort}, {"torch.CharStorage", at::kChar},
    {"torch.ByteStorage", at::kByte}, {"torch.BoolStorage", at::kBool},
    {"torch.ComplexFloatStorage", at::kComplexFloat},
    {"torch.ComplexDoubleStorage", at::kComplexDouble},
    {"torch.storage.UntypedStorage", at::kByte},
};

// A storage as a tensor of bytes, and the dtype of what it holds.
struct Stored {
    at::Tensor bytes;
    at::ScalarType dtype;
};

class StateDict {
public:
    explicit StateDict(FilePointer file) : zip_(open(std::move(file)))
    {
        const ZipEntry &pickle = pickle_entry();
        folder_ = pickle.name.substr(0, pickle.name.size() - PICKLE.size());
        check_byte_order();
        first_byte_ = pickle.from;
        pickle_ = std::make_unique<Pickle>(zip_.bytes(pickle, room_), path(), first_byte_);
    }

    Owned read() { return value(pickle_->root(), 0); }

private:
    using Items = std::vector<uint32_t>;

    const std::string &path() const { return zip_.file->path; }

    [[noreturn]] void fail(const Pickled &at, const std::string &what, const char *hint = "") const
    {
        fail_at(path(), first_byte_ + at.byte, what, hint);
    }

    static Zip open(FilePointer file)
    {
        std::string_view start = file->text(0, std::min<uint64_t>(file->size, BEFORE_ZIP.size()));
        if (start == BEFORE_ZIP)
            fail_at(file->path, 0, "it is in PyTorch's format from before 1.6", RESAVE);
        if (!start.empty() && start[0] == '\x80')
            fail_at(file->path, 0, "it is a bare pickle, not what torch.save writes", RESAVE);
        return Zip(std::move(file));
    }

    const ZipEntry &pickle_entry() const
    {
        for (const ZipEntry &entry : zip_.entries) {
            size_t slash = entry.name.find('/');
            if (slash == std::string::npos || entry.name.substr(slash) != PICKLE) continue;
            if (zip_.find(entry.name.substr(0, slash) + "/constants.pkl"))
                fail_about(path(), "it is a TorchScript module", "(load-module path)");
            return entry;
        }
        fail_about(path(), "the ZIP archive holds no data.pkl, so it is no state dict");
    }

    void check_byte_order() const
    {
        const ZipEntry *order = zip_.find(folder_ + "/byteorder");
        std::string room;
        if (order && zip_.bytes(*order, room) != "little")
            fail_at(path(), order->from, "its numbers are not little-endian", RESAVE);
    }

    // depth: of containers around it.
    Owned value(uint32_t index, int depth)
    {
        const Pickled &x = (*pickle_)[index];
        if (depth > DEEPEST) fail(x, "values nest more than 64 deep");
        if (++made_ > MOST_SHARED * pickle_->size()) fail(x, "values are repeated too often");
        switch (x.kind) {
        case Pickled::None: return Owned();
        case Pickled::Bool: return Owned::boolean(x.number);
        case Pickled::Int: return Owned::integer(x.number);
        case Pickled::Float: return Owned::real(x.real);
        case Pickled::Text: return text(x);
        case Pickled::Bytes: fail(x, "it holds a byte string, which no state dict needs");
        case Pickled::List: case Pickled::Tuple:
            return Owned::items(CT_LIST, values(pickle_->items(x), depth));
        case Pickled::Dict: return table(x, pickle_->items(x), depth);
        case Pickled::Global: return dtype(x);
        case Pickled::Call: return call(x, depth);
        case Pickled::Persistent: fail(x, "it holds a storage outside of a tensor");
        }
        fail(x, "an unknown value");
    }

    Owned text(const Pickled &x) const
    {
        std::string_view text = pickle_->text(x);
        check_name(text, path(), first_byte_ + x.byte);
        return Owned::text(CT_STRING, std::string(text));
    }

    std::vector<Owned> values(const Items &items, int depth)
    {
        std::vector<Owned> made;
        for (uint32_t item : items) made.push_back(value(item, depth + 1));
        return made;
    }

    Owned table(const Pickled &x, const Items &items, int depth)
    {
        for (size_t k = 0; k + 1 < items.size(); k += 2) {
            Pickled::Kind kind = (*pickle_)[items[k]].kind;
            if (kind != Pickled::Text && kind != Pickled::Int)
                fail(x, "a key is neither a string nor an integer");
        }
        return Owned::items(CT_TABLE, values(items, depth));
    }

    // torch.float32 is "float32".
    Owned dtype(const Pickled &x) const
    {
        at::ScalarType known;
        if (!dtype_of(x, known)) refuse(x, pickle_->global_name(x));
        return Owned::text(CT_STRING, dtype_name(known));
    }

    bool dtype_of(const Pickled &x, at::ScalarType &known) const
    {
        std::string name = pickle_->global_name(x), prefix = "torch.";
        if (name.compare(0, prefix.size(), prefix)) return false;
        name.erase(0, prefix.size());
        std::replace(name.begin(), name.end(), '_', '-');
        try {
            known = dtype_from(name);
        } catch (const Failure &) {
            return false;
        }
        return true;
    }

    [[noreturn]] void refuse(const Pickled &at, const std::string &name) const
    {
        fail(at, "it holds a " + (name.empty() ? "value" : name) + ", which only Python can make",
             SAVE_DICT);
    }

    // What a call would have made.

    const Items &arguments(const Pickled &call) const { return pickle_->items((*pickle_)[call.b]); }

    Owned call(const Pickled &x, int depth)
    {
        std::string name = pickle_->global_name((*pickle_)[x.a]);
        const Items &given = arguments(x);
        if (name == "collections.OrderedDict" && given.empty())
            return table(x, pickle_->items(x), depth);
        if (!pickle_->items(x).empty()) refuse(x, name);
        if (name == "torch.Size" && given.size() == 1) return value(given[0], depth + 1);
        if (name == "torch.device" && !given.empty()) return value(given[0], depth + 1);
        return Owned::tensor(tensor(x, name, given, depth));
    }

    at::Tensor tensor(const Pickled &x, const std::string &name, const Items &given, int depth)
    {
        if (depth > DEEPEST) fail(x, "values nest more than 64 deep");
        if (name == "torch._utils._rebuild_tensor_v2" && given.size() >= 6)
            return rebuilt(x, given, nullptr);
        if (name == "torch._utils._rebuild_tensor" && given.size() == 4)
            return rebuilt(x, given, nullptr);
        if (name == "torch._utils._rebuild_tensor_v3" && given.size() >= 7) {
            at::ScalarType known;
            if (!dtype_of((*pickle_)[given[6]], known)) fail(x, "a tensor of an unknown dtype");
            return rebuilt(x, given, &known);
        }
        bool parameter = name == "torch._utils._rebuild_parameter" ||
                         name == "torch._utils._rebuild_parameter_with_state";
        if (parameter && given.size() >= 3) {
            const Pickled &inner = (*pickle_)[given[0]];
            if (inner.kind != Pickled::Call) fail(x, "a parameter without a tensor");
            return learning(called(inner, depth), (*pickle_)[given[1]]);
        }
        // A tensor with attributes: (rebuild, class, arguments, state).
        if (name == "torch._tensor._rebuild_from_type_v2" && given.size() == 4) {
            const Pickled &inner = (*pickle_)[given[2]];
            if (inner.kind != Pickled::Tuple) fail(x, "a tensor without a description");
            return tensor(x, pickle_->global_name((*pickle_)[given[0]]), pickle_->items(inner),
                          depth + 1);
        }
        refuse(x, name);
    }

    at::Tensor called(const Pickled &x, int depth)
    {
        return tensor(x, pickle_->global_name((*pickle_)[x.a]), arguments(x), depth + 1);
    }

    static at::Tensor learning(at::Tensor x, const Pickled &flag)
    {
        bool can = at::isFloatingType(x.scalar_type()) || at::isComplexType(x.scalar_type());
        if (flag.kind == Pickled::Bool && flag.number && can) x.set_requires_grad(true);
        return x;
    }

    std::vector<int64_t> integers(const Pickled &x) const
    {
        // torch.Size is a call around the tuple.
        if (x.kind == Pickled::Call && pickle_->global_name((*pickle_)[x.a]) == "torch.Size" &&
            arguments(x).size() == 1)
            return integers_in((*pickle_)[arguments(x)[0]]);
        return integers_in(x);
    }

    std::vector<int64_t> integers_in(const Pickled &x) const
    {
        if (x.kind != Pickled::Tuple && x.kind != Pickled::List)
            fail(x, "a tensor's sizes or strides are no tuple");
        std::vector<int64_t> found;
        for (uint32_t item : pickle_->items(x)) {
            if (found.size() == MOST_DIMS) fail(x, "a tensor of more than 64 dimensions");
            found.push_back(integer((*pickle_)[item]));
        }
        return found;
    }

    int64_t integer(const Pickled &x) const
    {
        if (x.kind != Pickled::Int || x.number < 0)
            fail(x, "a size, a stride or an offset is no integer from 0 up");
        return x.number;
    }

    // (storage offset sizes strides [requires-grad ...])
    at::Tensor rebuilt(const Pickled &x, const Items &given, const at::ScalarType *as)
    {
        const Stored &stored = storage((*pickle_)[given[0]]);
        at::ScalarType dtype = as ? *as : stored.dtype;
        int64_t offset = integer((*pickle_)[given[1]]);
        std::vector<int64_t> sizes = integers((*pickle_)[given[2]]);
        std::vector<int64_t> strides = integers((*pickle_)[given[3]]);
        check_extent(x, stored, dtype, offset, sizes, strides);
        c10::Storage shared = stored.bytes.storage();
        auto impl = c10::make_intrusive<at::TensorImpl>(
            std::move(shared), c10::DispatchKeySet(c10::DispatchKey::CPU),
            c10::scalarTypeToTypeMeta(dtype));
        impl->set_sizes_and_strides(sizes, strides, offset);
        at::Tensor made(std::move(impl));
        return given.size() > 4 ? learning(made, (*pickle_)[given[4]]) : made;
    }

    void check_extent(const Pickled &x, const Stored &stored, at::ScalarType dtype, int64_t offset,
                      const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides) const
    {
        if (sizes.size() != strides.size()) fail(x, "a tensor has as many sizes as strides");
        uint64_t bytes;
        if (!byte_count(sizes, dtype, &bytes))
            fail(x, "no tensor can have the shape " + shape_text(sizes));
        int64_t elements = stored.bytes.numel() / static_cast<int64_t>(c10::elementSize(dtype));
        int64_t last = offset;
        bool fits = offset <= elements;
        for (size_t k = 0; fits && bytes && k < sizes.size(); k++) {
            int64_t reach;
            fits = !__builtin_mul_overflow(sizes[k] - 1, strides[k], &reach) &&
                   !__builtin_add_overflow(last, reach, &last);
        }
        if (!fits || (bytes && last >= elements))
            fail(x, "a tensor of shape " + shape_text(sizes) + ", strides " + shape_text(strides) +
                        " and offset " + std::to_string(offset) + " leaves its storage of " +
                        std::to_string(elements) + " elements");
    }

    // ('storage', torch.FloatStorage, '0', 'cpu', count)
    const Stored &storage(const Pickled &x)
    {
        if (x.kind != Pickled::Persistent || (*pickle_)[x.a].kind != Pickled::Tuple)
            fail(x, "a tensor without a storage");
        const Items &parts = pickle_->items((*pickle_)[x.a]);
        if (parts.size() < 5 || (*pickle_)[parts[2]].kind != Pickled::Text)
            fail(x, "a storage is not described as torch.save does");
        std::string type = pickle_->global_name((*pickle_)[parts[1]]);
        std::string key(pickle_->text((*pickle_)[parts[2]]));
        auto found = storages_.find(key);
        if (found == storages_.end())
            found = storages_.emplace(key, read_storage(x, type, key)).first;
        const Stored &stored = found->second;
        if (dtype_of_storage(x, type) != stored.dtype)
            fail(x, "storage " + in_quotes(key) + " has two types");
        int64_t count = integer((*pickle_)[parts[4]]), bytes;
        if (__builtin_mul_overflow(count, c10::elementSize(stored.dtype), &bytes) ||
            bytes != stored.bytes.numel())
            fail(x, "storage " + in_quotes(key) + " of " + std::to_string(count) +
                        " elements takes " + std::to_string(stored.bytes.numel()) +
                        " bytes in the file");
        return stored;
    }

    at::ScalarType dtype_of_storage(const Pickled &x, const std::string &type) const
    {
        for (const StorageType &known : STORAGE_TYPES)
            if (type == known.name) return known.dtype;
        refuse(x, type);
    }

    Stored read_storage(const Pickled &x, const std::string &type, const std::string &key) const
    {
        at::ScalarType dtype = dtype_of_storage(x, type);
        const ZipEntry *entry = zip_.find(folder_ + "/data/" + key);
        if (!entry) fail(x, "storage " + in_quotes(key) + " is not in the file");
        int64_t size = static_cast<int64_t>(entry->size);
        char *start = zip_.file->data + entry->from;
        bool aligned = reinterpret_cast<uintptr_t>(start) % sizeof(double) == 0;
        at::TensorOptions options(at::kByte);
        if (!entry->deflated && aligned && size) {
            FilePointer keeper = zip_.file;
            return {at::from_blob(start, {size}, [keeper](void *) {}, options), dtype};
        }
        if (entry->deflated) zip_.check_unpacks(*entry);
        at::Tensor copy = at::empty({size}, options);
        if (size) zip_.unpack(*entry, static_cast<char *>(copy.data_ptr()));
        return {copy, dtype};
    }

    Zip zip_;
    std::string folder_, room_;
    uint64_t first_byte_ = 0, made_ = 0;
    std::unique_ptr<Pickle> pickle_;
    std::unordered_map<std::string, Stored> storages_;
};

}  // namespace

ct::Owned ct::load_state_dict(const Arguments &given)
{
    return StateDict(open_file(given.text(0))).read();
}
