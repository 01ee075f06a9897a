// pt.cpp - reading the tensors in a .pt file that Python's torch.save has written.
//
//     model/data.pkl   a pickle: names, and each tensor's storage, sizes and strides
//     model/data/0     the elements of a storage
//
// The pickle is read as data (pickle.h).  The contents of state dicts are created here; anything
// else that the pickle names is refused with its name.  Tensors lie in the mapped file, and those
// that shared a storage share it again.

#include "files/procedures.h"
#include "files/storages.h"

#include <algorithm>

namespace {

using namespace ct;

constexpr int DEEPEST = 64;       // nested dicts and lists
constexpr std::string_view PICKLE = "/data.pkl";
constexpr std::string_view BEFORE_ZIP("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9", 9);
constexpr char RESAVE[] = "in Python: torch.save(torch.load(path), path), or use safetensors";

class StateDict {
public:
    explicit StateDict(FilePointer file)
        : zip_(open(std::move(file))), entry_(pickle_entry()),
          pickle_(zip_, entry_, Pickle::Holds::STATE_DICT), storages_(zip_, pickle_, entry_)
    {
    }

    Owned read() { return value(pickle_.root(), 0); }

private:
    using Items = std::vector<uint32_t>;

    [[noreturn]] void fail(const Pickled &at, const std::string &what) const
    {
        pickle_.fail(at, what);
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
            std::string folder = entry.name.substr(0, slash);
            if (zip_.find(folder + "/constants.pkl"))
                fail_about(zip_.file->path, "it is a TorchScript module", "(load-module path)");
            check_byte_order(folder);
            return entry;
        }
        fail_about(zip_.file->path, "the ZIP archive holds no data.pkl, so it is not a state dict");
    }

    void check_byte_order(const std::string &folder) const
    {
        constexpr std::string_view LITTLE = "little";
        const ZipEntry *order = zip_.find(folder + "/byteorder");
        if (!order) return;
        if (order->size != LITTLE.size() || zip_.unpacked(*order).text() != LITTLE)
            fail_at(zip_.file->path, order->from, "its numbers are not little-endian", RESAVE);
    }

    // depth: how many containers it is nested in.
    Owned value(const Pickled &x, int depth)
    {
        if (depth > DEEPEST) fail(x, "values nest more than 64 deep");
        if (++value_count_ > pickle_.limit()) fail(x, "values are repeated too often");
        switch (x.kind) {
        case Pickled::None: return Owned();
        case Pickled::Bool: return Owned::boolean(x.number);
        case Pickled::Int: return Owned::integer(x.number);
        case Pickled::Float: return Owned::real(x.real);
        case Pickled::Text: return text(x);
        case Pickled::Bytes: fail(x, "it holds a byte string, which no state dict needs");
        case Pickled::List: case Pickled::Tuple:
            return Owned::items(CT_LIST, values(pickle_.items(x), depth));
        case Pickled::Dict: return table(x, pickle_.items(x), depth);
        case Pickled::Global: return dtype(x);
        case Pickled::Call: return call(x, depth);
        case Pickled::Persistent: fail(x, "it holds a storage outside of a tensor");
        }
        fail(x, "an unknown value");
    }

    Owned text(const Pickled &x) const
    {
        std::string_view text = pickle_.text(x);
        check_name(text, pickle_.path(), entry_.from + x.byte);
        return Owned::text(CT_STRING, std::string(text));
    }

    std::vector<Owned> values(const Items &items, int depth)
    {
        std::vector<Owned> found;
        for (uint32_t item : items) found.push_back(value(pickle_[item], depth + 1));
        return found;
    }

    Owned table(const Pickled &x, const Items &items, int depth)
    {
        for (size_t k = 0; k + 1 < items.size(); k += 2) {
            Pickled::Kind kind = pickle_[items[k]].kind;
            if (kind != Pickled::Text && kind != Pickled::Int)
                fail(x, "a key is neither a string nor an integer");
        }
        return Owned::items(CT_TABLE, values(items, depth));
    }

    // torch.float32 is "float32".
    Owned dtype(const Pickled &x) const
    {
        at::ScalarType found;
        if (!dtype_of(x, found)) refuse(x, pickle_.global_name(x));
        return Owned::text(CT_STRING, dtype_name(found));
    }

    bool dtype_of(const Pickled &x, at::ScalarType &dtype) const
    {
        std::string name = pickle_.global_name(x), prefix = "torch.";
        if (name.compare(0, prefix.size(), prefix)) return false;
        name.erase(0, prefix.size());
        std::replace(name.begin(), name.end(), '_', '-');
        try {
            dtype = dtype_from(name);
        } catch (const Failure &) {
            return false;
        }
        return true;
    }

    [[noreturn]] void refuse(const Pickled &at, const std::string &name) const
    {
        pickle_.refuse(at.byte, "a " + (name.empty() ? "value" : name));
    }

    // The results of calls.

    const Items &arguments(const Pickled &call) const { return pickle_.items(pickle_[call.b]); }

    Owned call(const Pickled &x, int depth)
    {
        std::string name = pickle_.global_name(pickle_[x.a]);
        const Items &given = arguments(x);
        if (name == "collections.OrderedDict" && given.empty())
            return table(x, pickle_.items(x), depth);
        if (!pickle_.items(x).empty()) refuse(x, name);
        if (name == "torch.Size" && given.size() == 1) return value(pickle_[given[0]], depth + 1);
        if (name == "torch.device" && !given.empty()) return value(pickle_[given[0]], depth + 1);
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
            at::ScalarType dtype;
            if (!dtype_of(pickle_[given[6]], dtype)) fail(x, "a tensor of an unknown dtype");
            return rebuilt(x, given, &dtype);
        }
        bool parameter = name == "torch._utils._rebuild_parameter" ||
                         name == "torch._utils._rebuild_parameter_with_state";
        if (parameter && given.size() >= 3) {
            const Pickled &inner = pickle_[given[0]];
            if (inner.kind != Pickled::Call) fail(x, "a parameter without a tensor");
            return with_grad_flag(called(inner, depth), pickle_[given[1]]);
        }
        // A tensor with attributes: (rebuild, class, arguments, state).
        if (name == "torch._tensor._rebuild_from_type_v2" && given.size() == 4) {
            const Pickled &inner = pickle_[given[2]];
            if (inner.kind != Pickled::Tuple) fail(x, "a tensor without a description");
            return tensor(x, pickle_.global_name(pickle_[given[0]]), pickle_.items(inner),
                          depth + 1);
        }
        refuse(x, name);
    }

    at::Tensor called(const Pickled &x, int depth)
    {
        return tensor(x, pickle_.global_name(pickle_[x.a]), arguments(x), depth + 1);
    }

    static at::Tensor with_grad_flag(at::Tensor x, const Pickled &flag)
    {
        bool can = at::isFloatingType(x.scalar_type()) || at::isComplexType(x.scalar_type());
        if (flag.kind == Pickled::Bool && flag.number && can) x.set_requires_grad(true);
        return x;
    }

    std::vector<int64_t> integers(const Pickled &x) const
    {
        // torch.Size is a call with the tuple.
        if (x.kind == Pickled::Call && pickle_.global_name(pickle_[x.a]) == "torch.Size" &&
            arguments(x).size() == 1)
            return integers_in(pickle_[arguments(x)[0]]);
        return integers_in(x);
    }

    std::vector<int64_t> integers_in(const Pickled &x) const
    {
        if (x.kind != Pickled::Tuple && x.kind != Pickled::List)
            fail(x, "a tensor's sizes or strides are not a tuple");
        std::vector<int64_t> found;
        for (uint32_t item : pickle_.items(x)) {
            if (found.size() == MOST_DIMS) fail(x, "a tensor of more than 64 dimensions");
            found.push_back(integer(pickle_[item]));
        }
        return found;
    }

    int64_t integer(const Pickled &x) const
    {
        if (x.kind != Pickled::Int || x.number < 0)
            fail(x, "a size, a stride or an offset is not an integer from 0 up");
        return x.number;
    }

    // (storage offset sizes strides [requires-grad ...])
    at::Tensor rebuilt(const Pickled &x, const Items &given, const at::ScalarType *as)
    {
        const Stored &stored = storages_.find(pickle_[given[0]]);
        at::ScalarType dtype = as ? *as : stored.dtype;
        if (at::isQIntType(dtype)) fail(x, "a quantized tensor without its scale");
        int64_t offset = integer(pickle_[given[1]]);
        std::vector<int64_t> sizes = integers(pickle_[given[2]]);
        std::vector<int64_t> strides = integers(pickle_[given[3]]);
        check_extent(x, stored, dtype, offset, sizes, strides);
        c10::Storage shared = stored.bytes.storage();
        auto impl = c10::make_intrusive<at::TensorImpl>(
            std::move(shared), c10::DispatchKeySet(c10::DispatchKey::CPU),
            c10::scalarTypeToTypeMeta(dtype));
        impl->set_sizes_and_strides(sizes, strides, offset);
        at::Tensor tensor(std::move(impl));
        return given.size() > 4 ? with_grad_flag(tensor, pickle_[given[4]]) : tensor;
    }

    void check_extent(const Pickled &x, const Stored &stored, at::ScalarType dtype, int64_t offset,
                      const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides) const
    {
        if (sizes.size() != strides.size())
            fail(x, "a tensor with " + std::to_string(sizes.size()) + " sizes and " +
                        std::to_string(strides.size()) + " strides");
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
                        " and offset " + std::to_string(offset) + " extends beyond its storage of " +
                        std::to_string(elements) + " elements");
    }

    Zip zip_;
    const ZipEntry &entry_;  // the pickle's
    Pickle pickle_;
    Storages storages_;
    size_t value_count_ = 0;
};

}  // namespace

ct::Owned ct::load_state_dict(const ProcedureArguments &given)
{
    return StateDict(open_file(given.text(0))).read();
}
