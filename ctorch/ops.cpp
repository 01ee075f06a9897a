// ops.cpp - calling any operator: choose the overload by its schema, convert, call.
//
// LibTorch's boxed call trusts its caller: too few arguments make it read below the stack.  So
// every argument is bound to a parameter and checked here, before anything is pushed.
//
//     (tensor-sum x 0 :keepdim #t)  =>  aten::sum.dim_IntList(x, [0], true, None)

#include "schema.h"

#include <algorithm>

// The overloads, and how earlier calls were bound to them.
struct ct_op {
    std::string name;
    std::vector<ct::Overload> overloads;
    std::string usage;
    struct Known;
    std::vector<Known> known;
};

namespace {

using c10::IValue;
using ct::Failure;
using ct::Kind;
using ct::lisp_name;
using ct::Overload;
using ct::Parameter;

constexpr int NO = -1;              // the cost of what does not fit
constexpr int CONVERTED = 1;        // an integer for a float, a number for a list of one
constexpr int WRAPPED = 100;        // a number for a tensor: only if nothing else fits
constexpr size_t MANY_USAGES = 4;   // candidates that a hint lists
constexpr size_t MANY_KNOWN = 32;    // bindings that an operator remembers

// The arguments of a call: the positional ones, then those that keywords name.  Shallow copies.
struct Call {
    std::vector<ct_value> values;
    size_t positional = 0;
    std::vector<std::string> names;  // of the values from `positional` on, with underscores
    bool has_tensor = false;
};

// Where a parameter's value comes from: `count` values of the call from `first` on; none for its
// default.  loose: they are the elements of a list.
struct Source {
    size_t first, count;
    bool loose;
};

struct Binding {
    const Overload *overload = nullptr;
    int cost = NO;
    int fitting = 0;  // how many values found a place, to tell which candidate is nearest
    Failure problem;  // why it does not fit
    std::vector<Source> sources;  // by parameter
    size_t positional = 0;        // values, before those that keywords name
    bool requires_grad = false;
};

bool is_absent(const ct_value &value)
{
    return value.kind == CT_NONE || (value.kind == CT_BOOL && !value.i) ||
           (value.kind == CT_LIST && value.count == 0);
}

bool is_name(const ct_value &value) { return value.kind == CT_SYMBOL || value.kind == CT_STRING; }

std::optional<at::ScalarType> dtype_named(const ct_value &value)
{
    if (!is_name(value)) return std::nullopt;
    try {
        return ct::dtype_from(value.text);
    } catch (const Failure &) {
        return std::nullopt;
    }
}

struct Format {
    const char *name;
    at::MemoryFormat format;
};
constexpr Format FORMATS[] = {{"contiguous-format", at::MemoryFormat::Contiguous},
                              {"preserve-format", at::MemoryFormat::Preserve},
                              {"channels-last", at::MemoryFormat::ChannelsLast},
                              {"channels-last-3d", at::MemoryFormat::ChannelsLast3d}};

struct LayoutName {
    const char *name;
    at::Layout layout;
};
constexpr LayoutName LAYOUTS[] = {{"strided", at::kStrided},
                                  {"sparse-coo", at::kSparse},
                                  {"sparse-csr", at::kSparseCsr},
                                  {"sparse-csc", at::kSparseCsc}};

template <class Entry, size_t N>
const Entry *entry_named(const Entry (&entries)[N], const ct_value &value)
{
    if (!is_name(value)) return nullptr;
    for (const Entry &entry : entries)
        if (lisp_name(value.text) == entry.name) return &entry;
    return nullptr;
}

bool is_device(const ct_value &value)
{
    if (!is_name(value)) return false;
    try {
        at::Device device{std::string(value.text)};
        return true;
    } catch (const c10::Error &) {
        return false;
    }
}

// Which values fit.

int element_cost(Kind kind, const ct_value &value)
{
    switch (kind) {
    case Kind::Tensor:
        if (value.kind == CT_TENSOR) return 0;
        return value.kind == CT_INT || value.kind == CT_FLOAT ? WRAPPED : NO;
    case Kind::Int: return value.kind == CT_INT ? 0 : NO;
    case Kind::Float: return value.kind == CT_FLOAT ? 0 : value.kind == CT_INT ? CONVERTED : NO;
    case Kind::Number:
        if (value.kind == CT_BOOL) return CONVERTED;
        return value.kind == CT_FLOAT || value.kind == CT_INT ? 0 : NO;
    case Kind::Bool: return value.kind == CT_BOOL ? 0 : NO;
    case Kind::String: return is_name(value) ? 0 : NO;
    case Kind::Dtype: return dtype_named(value) ? 0 : NO;
    case Kind::Layout: return entry_named(LAYOUTS, value) ? 0 : NO;
    case Kind::MemoryFormat: return entry_named(FORMATS, value) ? 0 : NO;
    case Kind::Device: return is_device(value) ? 0 : NO;
    case Kind::Other: return NO;
    }
    return NO;
}

int cost_of(const Parameter &p, const ct_value &value)
{
    if (p.optional && is_absent(value) && p.kind != Kind::Bool) return 0;
    if (!p.list) return element_cost(p.kind, value);
    if (value.kind != CT_LIST) {
        int cost = p.length ? element_cost(p.kind, value) : NO;
        return cost == NO ? NO : cost + CONVERTED;
    }
    int total = 0;
    for (size_t k = 0; k < value.count; k++) {
        const ct_value &item = value.items[k];
        int cost = p.optional_elements && is_absent(item) ? 0 : element_cost(p.kind, item);
        if (cost == NO) return NO;
        total = std::max(total, cost);
    }
    return total;
}

// Binding arguments to parameters.

std::string arguments_text(size_t count)
{
    return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

size_t required_from(const Overload &overload, size_t first)
{
    size_t count = 0;
    for (size_t k = first; k < overload.positional; k++)
        if (!overload.parameters[k].fallback) count++;
    return count;
}

Failure wrong_count(const Overload &overload, size_t got)
{
    size_t least = required_from(overload, 0), most = overload.positional;
    std::string expected = least == most ? arguments_text(most)
                           : got < least ? "at least " + arguments_text(least)
                                         : std::to_string(least) + " to " + arguments_text(most);
    return {"expected " + expected + ", got " + std::to_string(got), ""};
}

// The list parameter that loose arguments may fill: the last positional one, or a creator's size.
std::optional<size_t> loose_parameter(const Overload &overload)
{
    auto collects = [&](size_t k) {
        const Parameter &p = overload.parameters[k];
        return p.list && (p.kind == Kind::Int || p.kind == Kind::Tensor) && !p.optional_elements;
    };
    if (overload.makes_tensors)
        for (size_t k = 0; k < overload.positional; k++)
            if (collects(k) && overload.parameters[k].name == "size") return k;
    if (overload.positional && collects(overload.positional - 1)) return overload.positional - 1;
    return std::nullopt;
}

// How many loose arguments parameter k takes in this call; 0 if it takes a list as usual.
size_t loose_count(const Overload &overload, size_t k, const Call &call)
{
    size_t given = call.positional, after = required_from(overload, k + 1);
    if (given <= k + after) return 0;
    size_t count = given - k - after;
    const Parameter &p = overload.parameters[k];
    if (count == 1 && cost_of(p, call.values[k]) != NO) return 0;
    ct_kind wanted = p.kind == Kind::Int ? CT_INT : CT_TENSOR;
    for (size_t j = k; j < k + count; j++)
        if (call.values[j].kind != wanted) return 0;
    return count;
}

class Binder {
public:
    Binder(const Overload &overload, const Call &call) : overload_(overload), call_(call)
    {
        binding_.overload = &overload;
        binding_.positional = call.positional;
        binding_.sources.assign(overload.parameters.size(), Source{0, 0, false});
    }

    Binding bind()
    {
        bool fits = place_positional() && place_named() && check_required() && check_types();
        binding_.cost = fits ? cost_ : NO;
        return std::move(binding_);
    }

private:
    bool fail(Failure problem)
    {
        binding_.problem = std::move(problem);
        return false;
    }

    bool place_positional()
    {
        std::optional<size_t> loose = loose_parameter(overload_);
        size_t given = call_.positional, parameter = 0;
        for (size_t k = 0; k < given; parameter++) {
            if (parameter >= overload_.positional) {
                check_types();  // to see how near it comes
                return fail(wrong_count(overload_, given));
            }
            size_t count = loose == parameter ? loose_count(overload_, parameter, call_) : 0;
            binding_.sources[parameter] = {k, count ? count : 1, count > 0};
            cost_ += static_cast<int>(count) * CONVERTED;
            k += count ? count : 1;
        }
        return true;
    }

    bool place_named()
    {
        for (size_t k = call_.positional; k < call_.values.size(); k++) {
            const std::string &name = call_.names[k - call_.positional];
            const ct_value &value = call_.values[k];
            if (overload_.makes_tensors && name == "requires_grad") {
                if (value.kind != CT_BOOL)
                    return fail({"expected a boolean for requires-grad, got " + ct::shown(value),
                                 ""});
                binding_.requires_grad = value.i;
                continue;
            }
            auto found = std::find_if(overload_.parameters.begin(), overload_.parameters.end(),
                                      [&](const Parameter &p) { return p.name == name; });
            if (found == overload_.parameters.end())
                return fail({"unknown keyword :" + lisp_name(name), ""});
            Source &source = binding_.sources[found - overload_.parameters.begin()];
            if (source.count)
                return fail({"keyword :" + lisp_name(name) + " is given twice", ""});
            source = {k, 1, false};
            binding_.fitting++;
        }
        return true;
    }

    bool check_required()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Parameter &p = overload_.parameters[k];
            if (binding_.sources[k].count || p.fallback) continue;
            if (p.keyword_only)
                return fail({"expected the keyword :" + lisp_name(p.name), ""});
            if (call_.names.empty()) return fail(wrong_count(overload_, call_.positional));
            return fail({"expected a value for " + lisp_name(p.name), ""});
        }
        return true;
    }

    bool check_types()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Source &source = binding_.sources[k];
            if (!source.count || source.loose) continue;
            const Parameter &p = overload_.parameters[k];
            const ct_value &value = call_.values[source.first];
            int cost = cost_of(p, value);
            if (cost == NO || (cost >= WRAPPED && !call_.has_tensor)) {
                std::string place = overload_.positional == 1 && !p.keyword_only
                                        ? "" : " for " + lisp_name(p.name);
                return fail({"expected " + ct::noun(p) + place + ", got " + ct::shown(value), ""});
            }
            cost_ += cost;
            binding_.fitting++;
        }
        return true;
    }

    const Overload &overload_;
    const Call &call_;
    Binding binding_;
    int cost_ = 0;
};

// Choosing the overload.

// The values with those that keywords name at the end.
std::vector<ct_value> in_order(size_t count, const ct_value *arguments)
{
    std::vector<ct_value> values;
    values.reserve(count);
    for (size_t k = 0; k < count; k++)
        if (arguments[k].kind == CT_KEYWORD) k++;
        else values.push_back(arguments[k]);
    for (size_t k = 0; k + 1 < count; k++)
        if (arguments[k].kind == CT_KEYWORD) values.push_back(arguments[++k]);
    return values;
}

Call split(size_t count, const ct_value *arguments)
{
    Call call;
    for (size_t k = 0; k < count; k++) {
        if (arguments[k].kind == CT_TENSOR) call.has_tensor = true;
        if (arguments[k].kind != CT_KEYWORD) continue;
        std::string name = arguments[k].text;
        if (k + 1 == count || arguments[k + 1].kind == CT_KEYWORD)
            throw Failure{"keyword :" + name + " has no value", ""};
        std::replace(name.begin(), name.end(), '-', '_');
        if (std::count(call.names.begin(), call.names.end(), name))
            throw Failure{"keyword :" + lisp_name(name) + " is given twice", ""};
        call.names.push_back(name);
    }
    call.values = in_order(count, arguments);
    call.positional = call.values.size() - call.names.size();
    return call;
}

bool is_candidate(const Overload &overload, const Call &call)
{
    return !overload.out || std::count(call.names.begin(), call.names.end(), *overload.out);
}

std::string usage_hint(const ct_op &op, const Call &call)
{
    std::vector<std::string> usages;
    for (const Overload &overload : op.overloads) {
        std::string usage = ct::usage_text(op.name, overload);
        bool listed = std::count(usages.begin(), usages.end(), usage);
        if (is_candidate(overload, call) && !listed && usages.size() < MANY_USAGES)
            usages.push_back(usage);
    }
    std::string hint = "usage: ";
    for (const std::string &usage : usages) hint += (&usage == &usages[0] ? "" : " or ") + usage;
    return hint;
}

Binding choose(const ct_op &op, const Call &call)
{
    Binding best, nearest;
    nearest.fitting = -1;
    for (const Overload &overload : op.overloads) {
        if (!is_candidate(overload, call)) continue;
        Binding binding = Binder(overload, call).bind();
        if (binding.cost == NO) {
            if (binding.fitting > nearest.fitting) nearest = std::move(binding);
        } else if (best.cost == NO || binding.cost < best.cost) {
            best = std::move(binding);
        }
    }
    if (best.cost != NO) return best;
    if (!nearest.overload) throw Failure{"this operator only writes to :out", op.usage};
    throw Failure{nearest.problem.message, usage_hint(op, call)};
}

// Conversion.

at::Scalar scalar_of(const ct_value &value)
{
    if (value.kind == CT_FLOAT) return value.f;
    if (value.kind == CT_BOOL) return value.i != 0;
    return value.i;
}

at::Tensor tensor_of(const ct_value &value)
{
    return value.kind == CT_TENSOR ? value.tensor->value : ct::wrapped_number(value);
}

double float_of(const ct_value &value)
{
    return value.kind == CT_FLOAT ? value.f : static_cast<double>(value.i);
}

IValue converted(Kind kind, const ct_value &value)
{
    switch (kind) {
    case Kind::Tensor: return tensor_of(value);
    case Kind::Int: return value.i;
    case Kind::Float: return float_of(value);
    case Kind::Bool: return value.i != 0;
    case Kind::Number: return scalar_of(value);
    case Kind::String: return std::string(value.text);
    case Kind::Dtype: return ct::dtype_from(value.text);
    case Kind::Layout: return entry_named(LAYOUTS, value)->layout;
    case Kind::MemoryFormat: return entry_named(FORMATS, value)->format;
    case Kind::Device: return ct::device_from(value.text);
    case Kind::Other: break;
    }
    throw Failure{"expected nothing, got " + ct::shown(value), ""};
}

template <class Element, class Convert>
IValue list_of(const ct_value *items, size_t count, Convert convert)
{
    c10::List<Element> list;
    list.reserve(count);
    for (size_t k = 0; k < count; k++) list.push_back(convert(items[k]));
    return list;
}

IValue converted_list(const Parameter &p, const ct_value *items, size_t count)
{
    switch (p.kind) {
    case Kind::Tensor:
        if (p.optional_elements)
            return list_of<std::optional<at::Tensor>>(items, count, [](const ct_value &item) {
                return is_absent(item) ? std::nullopt : std::optional(tensor_of(item));
            });
        return list_of<at::Tensor>(items, count, tensor_of);
    case Kind::Int: return list_of<int64_t>(items, count, [](auto &item) { return item.i; });
    case Kind::Float: return list_of<double>(items, count, float_of);
    case Kind::Bool: return list_of<bool>(items, count, [](auto &item) { return item.i != 0; });
    case Kind::Number: return list_of<at::Scalar>(items, count, scalar_of);
    case Kind::String:
        return list_of<std::string>(items, count, [](auto &item) { return item.text; });
    default: throw Failure{"expected nothing, got a list", ""};
    }
}

IValue argument(const Parameter &p, const Source &source, const ct_value *values)
{
    if (!source.count) return *p.fallback;
    const ct_value &value = values[source.first];
    if (source.loose) return converted_list(p, &value, source.count);
    if (p.optional && is_absent(value) && p.kind != Kind::Bool) return IValue();
    if (!p.list) return converted(p.kind, value);
    if (value.kind == CT_LIST) return converted_list(p, value.items, value.count);
    std::vector<ct_value> repeated(static_cast<size_t>(p.length), value);  // 2 for int[2]: (2 2)
    return converted_list(p, repeated.data(), repeated.size());
}

ct_value list_value(size_t count)
{
    ct_value list{};
    list.kind = CT_LIST;
    list.items = static_cast<ct_value *>(std::calloc(count ? count : 1, sizeof(ct_value)));
    if (!list.items) throw std::bad_alloc();
    list.count = count;
    return list;
}

// Releases a result that is not complete when something fails.
struct Unfinished {
    ct_value value;
    ~Unfinished() { ct_value_clear(&value); }
    ct_value finish() { return std::exchange(value, ct_value{}); }
};

class Results {
public:
    Results(size_t count, const ct_value *values) : count_(count), values_(values) {}

    ct_value all(torch::jit::Stack &stack) const
    {
        if (stack.size() == 1) return one(std::move(stack[0]));
        if (stack.empty()) return ct_value{};
        return list(stack);
    }

private:
    // An operator that works in place returns its argument: that is the same handle.
    ct_tensor *tensor(at::Tensor &&result) const
    {
        for (size_t k = 0; k < count_; k++)
            if (values_[k].kind == CT_TENSOR && values_[k].tensor->value.is_same(result))
                return ct_clone(values_[k].tensor);
        return ct::handle(std::move(result));
    }

    template <class Items>
    ct_value list(Items &&items) const
    {
        Unfinished out{list_value(items.size())};
        size_t k = 0;
        for (auto &&item : items) out.value.items[k++] = one(IValue(item));
        return out.finish();
    }

    ct_value one(IValue &&result) const
    {
        ct_value value{};
        if (result.isTensor()) {
            value.tensor = tensor(std::move(result).toTensor());
            value.kind = value.tensor ? CT_TENSOR : CT_NONE;
        } else if (result.isBool()) {
            value.kind = CT_BOOL;
            value.i = result.toBool();
        } else if (result.isInt()) {
            value.kind = CT_INT;
            value.i = result.toInt();
        } else if (result.isDouble()) {
            value.kind = CT_FLOAT;
            value.f = result.toDouble();
        } else if (result.isString()) {
            value.text = ct::text_for_c(result.toStringRef());
            value.kind = CT_STRING;
        } else if (result.isList()) {
            return list(result.toListRef());
        } else if (result.isTuple()) {
            return list(result.toTupleRef().elements());
        } else if (!result.isNone()) {
            throw Failure{"the result has no counterpart in Lisp: " + result.tagKind(), ""};
        }
        return value;
    }

    size_t count_;
    const ct_value *values_;
};

// The call.

// What decides how a call is bound, as a text: kinds, names, and what stands in lists.  False for
// values of which there are too many sorts.
bool add_to_pattern(std::string &pattern, const ct_value &value)
{
    pattern += static_cast<char>('0' + value.kind);
    switch (value.kind) {
    case CT_BOOL: pattern += value.i ? 't' : 'f'; return true;
    case CT_KEYWORD:
    case CT_SYMBOL:
    case CT_STRING: (pattern += value.text) += '\0'; return true;
    case CT_LIST: {
        ct_kind first = value.count ? value.items[0].kind : CT_NONE;
        pattern += static_cast<char>('0' + first);
        bool simple = first == CT_INT || first == CT_FLOAT || first == CT_TENSOR;
        return value.count == 0 ||
               (simple && std::all_of(value.items, value.items + value.count,
                                      [&](const ct_value &item) { return item.kind == first; }));
    }
    case CT_OTHER: return false;
    default: return true;
    }
}

bool make_pattern(std::string &pattern, size_t count, const ct_value *arguments)
{
    pattern.clear();
    for (size_t k = 0; k < count; k++)
        if (!add_to_pattern(pattern, arguments[k])) return false;
    return true;
}

}  // namespace

struct ct_op::Known {
    std::string pattern;
    Binding binding;
};

namespace {

const Binding *remembered(const ct_op &op, const std::string &pattern)
{
    for (const ct_op::Known &known : op.known)
        if (known.pattern == pattern) return &known.binding;
    return nullptr;
}

ct_value run(const Binding &binding, const ct_value *values, size_t count)
{
    static torch::jit::Stack stack;  // its memory is kept from call to call
    struct Clear {
        ~Clear() { stack.clear(); }
    } clear;
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    for (size_t k = 0; k < parameters.size(); k++)
        stack.push_back(argument(parameters[k], binding.sources[k], values));
    binding.overload->handle.callBoxed(stack);
    if (binding.requires_grad && !stack.empty() && stack[0].isTensor())
        stack[0].toTensor().requires_grad_(true);
    return Results(count, values).all(stack);
}

ct_value call(ct_op &op, size_t count, const ct_value *arguments)
{
    static std::string pattern;  // its memory is kept, too
    bool simple = make_pattern(pattern, count, arguments);
    if (const Binding *known = simple ? remembered(op, pattern) : nullptr) {
        if (known->positional == count) return run(*known, arguments, count);
        std::vector<ct_value> values = in_order(count, arguments);
        return run(*known, values.data(), values.size());
    }
    Call call = split(count, arguments);
    Binding binding = choose(op, call);
    if (simple && op.known.size() < MANY_KNOWN) op.known.push_back({pattern, binding});
    return run(binding, call.values.data(), call.values.size());
}

int report_call(size_t count, const ct_value *arguments)
{
    std::vector<ct_tensor *> operands;
    for (size_t k = 0; k < count; k++)
        operands.push_back(arguments[k].kind == CT_TENSOR ? arguments[k].tensor : nullptr);
    return ct::report(operands);
}

}  // namespace

extern "C" {

int ct_op_find(const char *name, ct_op **op)
{
    static auto &found = *new std::unordered_map<std::string, ct_op *>;  // never given back
    return ct::guarded({}, [&] {
        ct_op *&entry = found[name];
        if (!entry) {
            std::vector<Overload> overloads = ct::overloads_of(name);
            if (overloads.empty()) throw ct::unknown_operator(name);
            std::string usage;
            for (const Overload &overload : overloads)
                usage += ct::usage_text(name, overload) + "\n";
            entry = new ct_op{name, std::move(overloads), std::move(usage), {}};
        }
        *op = entry;
    });
}

int ct_op_call(ct_op *op, size_t count, const ct_value *arguments, ct_value *result)
{
    try {
        *result = call(*op, count, arguments);
        return 0;
    } catch (...) {
        return report_call(count, arguments);
    }
}

const char *ct_op_usage(ct_op *op) { return op->usage.c_str(); }

}  // extern "C"
