// pt.cpp - reading the tensors in a .pt file that Python's torch.save has written.
//
//     model/data.pkl   a pickle: names, and each tensor's storage, sizes and strides
//     model/data/0     the elements of a storage
//
// The pickle is read as data (pickle.h).  The contents of state dicts are created here; anything
// else that the pickle names is refused with its name.  Tensors lie in the mapped file, and those
// that shared a storage share it again.

#include "pt/legacy_pt.h"
#include "errors/interrupts.h"
#include "files/procedures.h"
#include "files/storages.h"

#include <ATen/ops/_empty_affine_quantized.h>
#include <ATen/ops/_empty_per_channel_affine_quantized.h>
#include <ATen/ops/_validate_sparse_coo_tensor_args.h>
#include <ATen/ops/sparse_compressed_tensor.h>
#include <ATen/ops/sparse_coo_tensor.h>

#include <algorithm>

namespace {

using namespace ct;

constexpr int DEEPEST = 64;       // nested dicts and lists
constexpr std::string_view PICKLE = "/data.pkl";
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
        if (is_legacy_pt(*file)) return legacy_archive(std::move(file));
        if (file->size && file->data[0] == '\x80')
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
        polls_.step();
        if (depth > DEEPEST) fail(x, "values nest more than 64 deep");
        if (++value_count_ > pickle_.limit()) fail(x, "values are repeated too often");
        switch (x.kind) {
        case Pickled::None: return Owned();
        case Pickled::Bool: return Owned::boolean(x.number);
        case Pickled::Int: return Owned::integer(x.number);
        case Pickled::Long: return Owned::text(CT_BIG, pickle_.digits(x));
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

    // A text that is shared is copied at each mention.
    Owned text(const Pickled &x)
    {
        std::string_view text = pickle_.text(x);
        text_bytes_ += text.size();
        if (text_bytes_ > pickle_.text_limit()) fail(x, "texts are repeated too often");
        check_text(text, "string", pickle_.path(), entry_.from + x.byte);
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
        if (name == "torch._utils._rebuild_sparse_tensor" && given.size() == 2)
            return sparse(x, layout_of(pickle_[given[0]]), pickle_[given[1]], depth);
        if (name == "torch._utils._rebuild_qtensor" && given.size() >= 6)
            return quantized(x, given, depth);
        refuse(x, name);
    }

    // A tensor that describes another one.
    at::Tensor part(const Pickled &x, int depth)
    {
        if (x.kind != Pickled::Call) fail(x, "a part of a tensor is not a tensor");
        at::Tensor found = called(x, depth);
        // LibTorch reads all elements of a part to check it.
        bool repeats = found.layout() != c10::kStrided ||
                       static_cast<uint64_t>(found.numel()) * found.element_size() >
                           found.storage().nbytes();
        if (repeats) fail(x, "a part of a tensor repeats its elements");
        return found;
    }

    // torch.serialization._get_layout('torch.sparse_coo')
    c10::Layout layout_of(const Pickled &x)
    {
        static const std::pair<std::string_view, c10::Layout> LAYOUTS[] = {
            {"torch.sparse_coo", c10::kSparse},       {"torch.sparse_csr", c10::kSparseCsr},
            {"torch.sparse_csc", c10::kSparseCsc},    {"torch.sparse_bsr", c10::kSparseBsr},
            {"torch.sparse_bsc", c10::kSparseBsc},
        };
        bool is_call = x.kind == Pickled::Call && arguments(x).size() == 1 &&
                       pickle_[arguments(x)[0]].kind == Pickled::Text;
        for (const auto &[name, layout] : LAYOUTS)
            if (is_call && pickle_.text(pickle_[arguments(x)[0]]) == name) return layout;
        fail(x, "a sparse tensor of an unknown layout");
    }

    // (indices values sizes [is-coalesced]), or for compressed layouts (compressed plain values sizes)
    at::Tensor sparse(const Pickled &x, c10::Layout layout, const Pickled &parts, int depth)
    {
        if (parts.kind != Pickled::Tuple) fail(x, "a sparse tensor without a description");
        const Items &given = pickle_.items(parts);
        bool is_coo = layout == c10::kSparse;
        if (given.size() < (is_coo ? 3 : 4)) fail(x, "a sparse tensor without a description");
        at::Tensor first = part(pickle_[given[0]], depth), second = part(pickle_[given[1]], depth);
        std::vector<int64_t> sizes = integers(pickle_[given[is_coo ? 2 : 3]]);
        uint64_t bytes;
        if (!byte_count(sizes, second.scalar_type(), &bytes))
            fail(x, "no tensor can have the shape " + shape_text(sizes));
        try {
            if (!is_coo) {
                at::Tensor values = part(pickle_[given[2]], depth);
                return at::sparse_compressed_tensor(first, second, values, sizes,
                                                    values.options().layout(layout));
            }
            bool is_coalesced = given.size() > 3 && pickle_[given[3]].kind == Pickled::Bool &&
                                pickle_[given[3]].number;
            at::_validate_sparse_coo_tensor_args(first, second, sizes, is_coalesced);
            at::Tensor made = at::sparse_coo_tensor(first, second, sizes, second.options().layout(layout));
            return is_coalesced ? made._coalesced_(true) : made;
        } catch (const c10::Error &error) {
            fail(x, "a damaged sparse tensor: " + std::string(error.what_without_backtrace()));
        }
    }

    double real(const Pickled &x) const
    {
        if (x.kind == Pickled::Float) return x.real;
        if (x.kind != Pickled::Int) fail(x, "a scale is not a number");
        return static_cast<double>(x.number);
    }

    // (storage offset sizes strides (scheme scale zero-point [axis]) requires-grad ...)
    at::Tensor quantized(const Pickled &x, const Items &given, int depth)
    {
        const Pickled &scheme = pickle_[given[4]];
        if (scheme.kind != Pickled::Tuple || pickle_.items(scheme).size() < 3)
            fail(x, "a quantized tensor without its scale");
        const Items &facts = pickle_.items(scheme);
        std::string name = pickle_.global_name(pickle_[facts[0]]);
        const Stored &stored = storages_.find(pickle_[given[0]]);
        if (!at::isQIntType(stored.dtype)) fail(x, "a quantized tensor of another dtype");
        if (stored.dtype == at::kQUInt4x2 || stored.dtype == at::kQUInt2x4)
            fail(x, "a quantized tensor of less than 8 bits");
        int64_t offset = integer(pickle_[given[1]]);
        std::vector<int64_t> sizes = integers(pickle_[given[2]]);
        std::vector<int64_t> strides = integers(pickle_[given[3]]);
        check_extent(x, stored, stored.dtype, offset, sizes, strides);
        at::TensorOptions options(stored.dtype);
        at::Tensor made;
        try {
            if (name == "torch.per_tensor_affine") {
                const Pickled &zero = pickle_[facts[2]];
                if (zero.kind != Pickled::Int) fail(x, "a zero point is not an integer");
                made = at::_empty_affine_quantized({0}, options, real(pickle_[facts[1]]), zero.number);
            } else if (name == "torch.per_channel_affine" && facts.size() == 4) {
                at::Tensor scales = part(pickle_[facts[1]], depth), zeros = part(pickle_[facts[2]], depth);
                made = per_channel(x, sizes, scales, zeros, integer(pickle_[facts[3]]), options);
            } else {
                fail(x, "a quantized tensor of the scheme " + name.substr(0, 100));
            }
        } catch (const c10::Error &error) {
            fail(x, "a damaged quantized tensor: " + std::string(error.what_without_backtrace()));
        }
        made.unsafeGetTensorImpl()->set_storage_keep_dtype(stored.bytes.storage());
        made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
        return made;
    }

    // Its own elements are replaced afterwards.
    at::Tensor per_channel(const Pickled &x, std::vector<int64_t> sizes, const at::Tensor &scales,
                           const at::Tensor &zeros, int64_t axis, const at::TensorOptions &options) const
    {
        bool fits = axis < static_cast<int64_t>(sizes.size()) && scales.dim() == 1 && zeros.dim() == 1 &&
                    scales.numel() == sizes[static_cast<size_t>(axis)] && zeros.sizes() == scales.sizes();
        if (!fits) fail(x, "a quantized tensor whose scales do not fit its shape");
        for (size_t k = 0; k < sizes.size(); k++)
            if (static_cast<int64_t>(k) != axis) sizes[k] = 0;
        return at::_empty_per_channel_affine_quantized(sizes, scales, zeros, axis, options);
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
        if (!lies_within(elements, offset, sizes, strides))
            fail(x, "a tensor of shape " + shape_text(sizes) + ", strides " + shape_text(strides) +
                        " and offset " + std::to_string(offset) + " extends beyond its storage of " +
                        std::to_string(elements) + " elements");
    }

    Zip zip_;
    const ZipEntry &entry_;  // the pickle's
    Pickle pickle_;
    Storages storages_;
    size_t value_count_ = 0, text_bytes_ = 0;
    Polls polls_;
};

}  // namespace

ct::Owned ct::load_state_dict(const ProcedureArguments &given)
{
    return StateDict(open_file(given.text(0))).read();
}
