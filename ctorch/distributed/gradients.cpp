// gradients.cpp - the gradients of parameters, averaged over the ranks while backward computes.
//
// Parameters are divided into buckets, the last ones first, because backward comes to them first.  A
// hook of each parameter copies its gradient into its bucket; a full bucket is sent at once, in the
// order of the buckets, so that all ranks send the same.  When backward has ended, the averages
// replace the gradients; its caller waits for them moment by moment, so that Ctrl-C ends the wait.
//
//     bucket 0:  b2 w2 | used b2, used w2      bucket 1:  b1 w1 | used b1, used w1
//
// Compressed buckets have a smaller dtype than the gradients: they are divided by the number of ranks
// before they are rounded, so that sums cannot overflow, and the average is that of rounded ones.
//
// A gradient that a rank has not computed counts as zeros.  Behind the elements, a bucket counts
// the ranks that have computed each gradient: one that no rank has computed stays #f.

#ifdef CT_GLOO

#include "autograd/backward.h"
#include "distributed/group.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_map>

namespace {

using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;
using ct::distributed::Group;
using ct::distributed::Operation;
using ct::distributed::Work;

// The first bucket is smaller, so that sending begins early.
constexpr int64_t FIRST_BYTES = 1 << 20;

struct Parameter {
    at::Tensor value;
    std::string name;
    size_t bucket = 0, place = 0;  // its number among the bucket's parameters
    int64_t offset = 0;
    bool is_ready = false;
};

struct Bucket {
    std::vector<size_t> members;
    int64_t size = 0;      // elements
    at::Tensor flat;       // of the members, then their counts
    size_t left = 0;       // members that are not ready
    bool is_sent = false, is_old = false;
    Work work;
};

// What one call of data-parallel! has.
class Gradients {
public:
    Gradients(Group &g, std::vector<Parameter> parameters, int64_t bucket_bytes,
              std::optional<at::ScalarType> compressed);
    ~Gradients();
    Gradients(const Gradients &) = delete;
    Gradients &operator=(const Gradients &) = delete;

    // The gradient of a parameter has been computed.
    void ready(size_t k);
    // Continue for a moment after backward; whether all gradients are averages.
    bool finish();

    std::vector<Parameter> parameters;
    std::vector<Bucket> buckets;

private:
    void divide(int64_t bucket_bytes);
    void start();
    void copy_in(Parameter &p);
    void copy_out(const Bucket &bucket);
    void send_full_buckets();
    void send(Bucket &bucket);
    void copy_rest();
    bool wait();
    bool has_old() const;

    Group &g_;
    std::optional<at::ScalarType> compressed_;  // what gradients are sent as
    Operation operation_;
    bool is_active_ = false;
    size_t next_ = 0;         // the bucket to send next
    int64_t backward_ = 0;    // the number of the backward that it is in
};

struct Hook final : torch::autograd::PostAccumulateGradHook {
    Hook(Gradients &gradients, size_t k) : gradients(gradients), k(k) {}
    void operator()(const at::Tensor &) override { gradients.ready(k); }

    Gradients &gradients;
    size_t k;
};

std::vector<std::unique_ptr<Gradients>> all;
bool is_syncing = true;

bool finish_all()
{
    for (const auto &gradients : all)
        if (!gradients->finish()) return false;
    return true;
}

// The parameters.

void check_parameter(const Parameter &p)
{
    if (p.value.layout() != at::kStrided || !(p.value.is_floating_point() || p.value.is_complex()))
        throw Failure{p.name + " is not a tensor of floating-point numbers: " + ct::describe(p.value),
                      ""};
    if (!p.value.is_leaf())
        throw Failure{p.name + " is the result of a computation", "a parameter is not"};
    if (p.value.requires_grad() && torch::autograd::impl::post_acc_grad_hooks(p.value))
        throw Failure{p.name + " is data-parallel already", "one data-parallel! for each parameter"};
}

std::vector<Parameter> parameters_of(const ct_value &names, const ct_value &values)
{
    std::vector<Parameter> found;
    std::unordered_map<const c10::TensorImpl *, std::string> seen;
    for (size_t k = 0; k < values.count; k++) {
        if (values.items[k].kind != CT_TENSOR) ct::wrong_kind("a tensor", values.items[k]);
        Parameter p;
        p.value = values.items[k].tensor->value;
        p.name = names.items[k].text;
        auto [before, is_new] = seen.emplace(p.value.unsafeGetTensorImpl(), p.name);
        if (!is_new) throw Failure{p.name + " is the same tensor as " + before->second, ""};
        check_parameter(p);
        found.push_back(std::move(p));
    }
    if (found.empty()) throw Failure{"there is no parameter", ""};
    return found;
}

std::string detail_of(const std::vector<Parameter> &parameters,
                      std::optional<at::ScalarType> compressed)
{
    std::string text = "the gradients are sent as ";
    text += (compressed ? ct::dtype_name(*compressed) : "they are") + std::string("\n");
    for (const Parameter &p : parameters)
        text += p.name + " is " + ct::dtype_name(p.value.scalar_type()) + " " +
                ct::shape_text(p.value) + (p.value.requires_grad() ? "\n" : ", frozen,\n");
    return text;
}

// The elements of a dense tensor as a vector, complex ones as two reals.
at::Tensor elements(const at::Tensor &x)
{
    at::Tensor real = x.is_complex() ? at::view_as_real(x.resolve_conj()) : x;
    return real.reshape({-1});
}

Gradients::Gradients(Group &g, std::vector<Parameter> given, int64_t bucket_bytes,
                     std::optional<at::ScalarType> compressed)
    : parameters(std::move(given)), g_(g), compressed_(compressed)
{
    divide(bucket_bytes);
    for (size_t k = 0; k < parameters.size(); k++)
        if (parameters[k].value.requires_grad())
            torch::autograd::impl::set_post_acc_grad_hooks(parameters[k].value,
                                                           std::make_unique<Hook>(*this, k));
}

Gradients::~Gradients()
{
    for (const Parameter &p : parameters)
        if (p.value.requires_grad()) torch::autograd::impl::post_acc_grad_hooks(p.value).reset();
}

// The last parameters first; a bucket has one dtype.
void Gradients::divide(int64_t bucket_bytes)
{
    std::unordered_map<int, size_t> open;  // by dtype
    for (size_t k = parameters.size(); k-- > 0;) {
        Parameter &p = parameters[k];
        if (!p.value.requires_grad()) continue;
        int dtype = static_cast<int>(p.value.scalar_type());
        int64_t count = elements(p.value.detach()).numel();
        auto found = open.find(dtype);
        int64_t limit = found != open.end() && found->second == 0 ? std::min(FIRST_BYTES, bucket_bytes)
                                                                 : bucket_bytes;
        bool is_full = found == open.end() ||
                       (buckets[found->second].size + count) * p.value.element_size() > limit;
        if (is_full) {
            open[dtype] = buckets.size();
            buckets.emplace_back();
        }
        p.bucket = open[dtype];
        Bucket &bucket = buckets[p.bucket];
        p.place = bucket.members.size();
        p.offset = bucket.size;
        bucket.members.push_back(k);
        bucket.size += count;
    }
    for (Bucket &bucket : buckets) {
        at::ScalarType dtype = parameters[bucket.members[0]].value.scalar_type();
        bucket.flat = at::zeros({bucket.size + static_cast<int64_t>(bucket.members.size())},
                                compressed_.value_or(c10::toRealValueType(dtype)));
    }
}

// During backward.

void Gradients::start()
{
    is_active_ = true;
    backward_ = ct::backward_number();
    next_ = 0;
    for (Parameter &p : parameters) p.is_ready = false;
    for (Bucket &bucket : buckets) {
        bucket.left = bucket.members.size();
        bucket.is_sent = bucket.is_old = false;
    }
    operation_ = Operation();
    operation_.text = "backward";
    operation_.detail = "the gradients of " + std::to_string(parameters.size()) + " parameters";
    operation_.checks = g_.settings.check;
    begin(g_, operation_);
}

void Gradients::ready(size_t k)
{
    if (!is_syncing || !g_.broken.empty()) return;
    if (is_active_ && backward_ != ct::backward_number()) {
        g_.broken = "a backward failed while gradients were sent";
        return;
    }
    if (!is_active_) start();
    Parameter &p = parameters[k];
    Bucket &bucket = buckets[p.bucket];
    // Checkpointed parts of a model may add to a gradient several times.
    if (bucket.is_sent) bucket.is_old = true;
    if (bucket.is_sent) return;
    at::NoGradGuard guard;
    copy_in(p);
    if (!p.is_ready) bucket.left--;
    p.is_ready = true;
    send_full_buckets();
}

void Gradients::copy_in(Parameter &p)
{
    Bucket &bucket = buckets[p.bucket];
    const at::Tensor &gradient = p.value.grad();
    int64_t count = p.value.is_complex() ? 2 * p.value.numel() : p.value.numel();
    at::Tensor part = bucket.flat.narrow(0, p.offset, count);
    at::Tensor used = bucket.flat.narrow(0, bucket.size + static_cast<int64_t>(p.place), 1);
    used.fill_(gradient.defined() ? 1 : 0);
    if (!gradient.defined()) {
        part.zero_();
        return;
    }
    at::Tensor own = elements(gradient.is_sparse() ? gradient.to_dense() : gradient.detach());
    part.copy_(compressed_ ? own / g_.settings.world : own);
}

// Only those that need no wait.
void Gradients::send_full_buckets()
{
    if (operation_.check && !operation_.check->isCompleted()) return;
    if (operation_.check && !operation_.check->isSuccess()) return;
    if (!passes_check(g_, operation_)) return;
    while (next_ < buckets.size() && buckets[next_].left == 0) send(buckets[next_++]);
}

void Gradients::send(Bucket &bucket)
{
    if (!compressed_) bucket.flat.narrow(0, 0, bucket.size).mul_(1.0 / g_.settings.world);
    bucket.work = reduce_in_place(g_, bucket.flat);
    bucket.is_sent = true;
}

// Continues the exchange of all buckets for a moment; whether it has ended.
bool Gradients::wait()
{
    if (!passes_check(g_, operation_)) return false;
    while (next_ < buckets.size()) send(buckets[next_++]);
    for (Bucket &bucket : buckets) {
        if (bucket.work && !wait_for(g_, operation_, bucket.work)) return false;
        bucket.work.reset();
    }
    return true;
}

// Those that backward has not computed.
void Gradients::copy_rest()
{
    for (Parameter &p : parameters)
        if (p.value.requires_grad() && !p.is_ready && !buckets[p.bucket].is_sent) copy_in(p);
}

bool Gradients::has_old() const
{
    for (const Bucket &bucket : buckets)
        if (bucket.is_old) return true;
    return false;
}

bool Gradients::finish()
{
    if (!g_.broken.empty()) ct::distributed::working_group();  // throws
    if (!is_active_) return true;
    at::NoGradGuard guard;
    copy_rest();
    if (!wait()) return false;
    if (has_old()) {  // send all once more
        start();
        return false;
    }
    for (const Bucket &bucket : buckets) copy_out(bucket);
    is_active_ = false;
    return true;
}

void Gradients::copy_out(const Bucket &bucket)
{
    at::Tensor counts = bucket.flat.narrow(0, bucket.size, static_cast<int64_t>(bucket.members.size()))
                            .to(at::kFloat);
    for (size_t k : bucket.members) {
        Parameter &p = parameters[k];
        at::Tensor &gradient = p.value.mutable_grad();
        if (!gradient.defined() && counts[static_cast<int64_t>(p.place)].item<float>() == 0) continue;
        int64_t count = p.value.is_complex() ? 2 * p.value.numel() : p.value.numel();
        at::Tensor part = bucket.flat.narrow(0, p.offset, count)
                              .to(c10::toRealValueType(p.value.scalar_type()));
        at::Tensor mean = p.value.is_complex()
                              ? at::view_as_complex(part.view({-1, 2})).view(p.value.sizes())
                              : part.view(p.value.sizes());
        if (gradient.defined() && !gradient.is_sparse() && !gradient.requires_grad())
            gradient.copy_(mean);
        else gradient = mean.to(p.value.device()).clone();
    }
}

// The first rank's elements for all, one parameter after the other.
Operation first_exchange(Group &g, const std::vector<Parameter> &parameters,
                         std::optional<at::ScalarType> compressed)
{
    Operation operation;
    operation.text = "data-parallel! of " + std::to_string(parameters.size()) + " parameters";
    operation.detail = detail_of(parameters, compressed);
    std::vector<at::Tensor> flats;
    at::NoGradGuard guard;
    for (const Parameter &p : parameters)
        if (p.value.numel() > 0)
            flats.push_back(elements(p.value.detach()).to(at::kCPU).contiguous().clone());
    operation.next = [&g, flats, k = size_t{0}]() mutable -> Work {
        if (k == flats.size()) return {};
        return broadcast_in_place(g, flats[k++], 0);
    };
    operation.finish = [parameters, flats]() -> Owned {
        at::NoGradGuard guard;
        size_t k = 0;
        for (const Parameter &p : parameters)
            if (p.value.numel() > 0) {
                at::Tensor own = p.value.is_complex() ? at::view_as_real(p.value.detach())
                                                      : p.value.detach();
                own.copy_(flats[k++].view(own.sizes()));
                p.value.unsafeGetTensorImpl()->bump_version();
            }
        return {};
    };
    return operation;
}

int64_t bucket_bytes_of(const ct_value &value)
{
    bool is_number = value.kind == CT_INT || value.kind == CT_FLOAT;
    double size = value.kind == CT_INT ? static_cast<double>(value.i) : value.f;
    if (!is_number || !(size > 0) || size > 1e6)
        ct::wrong_kind("a positive number of megabytes for :bucket-size", value);
    return static_cast<int64_t>(size * (1 << 20));
}

std::optional<at::ScalarType> compressed_dtype_of(const ct_value &value)
{
    if (value.kind == CT_BOOL && !value.i) return {};
    std::string name = value.kind == CT_SYMBOL || value.kind == CT_STRING ? value.text : "";
    if (name == "bfloat16") return at::kBFloat16;
    if (name == "float16") return at::kHalf;
    throw Failure{"expected a dtype for :compress, got " + ct::shown(value),
                  "'bfloat16 or 'float16; #f sends gradients as they are"};
}

// The parameters of sharded optimizers.

// What one rank sends: its parameters one after the other, as bytes.
struct Shard {
    std::vector<at::Tensor> parameters;
    at::Tensor bytes;
};

constexpr int64_t ALIGNMENT = 16;  // bytes: the largest element's

int64_t aligned_bytes(const at::Tensor &x)
{
    return (static_cast<int64_t>(x.nbytes()) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Calls the function with each parameter, and its elements among the shard's bytes.
void for_each_in(const Shard &shard,
                 const std::function<void(const at::Tensor &own, const at::Tensor &sent)> &visit)
{
    at::NoGradGuard guard;
    int64_t offset = 0;
    for (const at::Tensor &x : shard.parameters) {
        int64_t count = static_cast<int64_t>(x.nbytes());
        if (count > 0)
            visit(x, shard.bytes.narrow(0, offset, count).view(x.scalar_type()).view(x.sizes()));
        offset += aligned_bytes(x);
    }
}

int64_t size_of(const Shard &shard)
{
    int64_t size = 0;
    for (const at::Tensor &x : shard.parameters) size += aligned_bytes(x);
    return size;
}

void pack(Shard &shard, bool is_own)
{
    shard.bytes = at::zeros({size_of(shard)}, at::kByte);
    if (!is_own) return;
    for_each_in(shard, [](const at::Tensor &own, const at::Tensor &sent) { sent.copy_(own.detach()); });
}

void unpack(Shard &shard, bool is_own)
{
    if (!is_own)
        for_each_in(shard, [](const at::Tensor &own, const at::Tensor &sent) {
            own.detach().copy_(sent);
            own.unsafeGetTensorImpl()->bump_version();
        });
    shard.bytes = at::Tensor();
}

std::vector<Shard> shards_of(const Group &g, const ct_value &tensors, const ct_value &owners)
{
    std::vector<Shard> shards(static_cast<size_t>(g.settings.world));
    for (size_t k = 0; k < tensors.count; k++) {
        int64_t owner = owners.items[k].i;
        if (owner >= g.settings.world)
            throw Failure{"the optimizer is sharded over more ranks than the " +
                              std::to_string(g.settings.world) + " that there are",
                          "shard it inside of this with-distributed"};
        shards[static_cast<size_t>(owner)].parameters.push_back(tensors.items[k].tensor->value);
    }
    return shards;
}

// One broadcast from each rank that has elements.
Operation sharing(Group &g, const ct_value &tensors, const ct_value &owners)
{
    auto shards = std::make_shared<std::vector<Shard>>(shards_of(g, tensors, owners));
    Operation operation;
    operation.text = "optimizer-step of " + std::to_string(tensors.count) + " sharded parameters";
    for (size_t k = 0; k < shards->size(); k++) {
        operation.detail += "rank " + std::to_string(k) + " steps " +
                            std::to_string(size_of((*shards)[k])) + " bytes\n";
    }
    operation.checks = g.settings.check;
    auto rank = static_cast<size_t>(g.settings.rank);
    operation.next = [&g, shards, rank, k = size_t{0}]() mutable -> Work {
        if (k > 0) unpack((*shards)[k - 1], k - 1 == rank);
        while (k < shards->size() && size_of((*shards)[k]) == 0) k++;
        if (k == shards->size()) return {};
        Shard &shard = (*shards)[k];
        pack(shard, k == rank);
        k++;
        return broadcast_in_place(g, shard.bytes, static_cast<int>(k - 1));
    };
    return operation;
}

}  // namespace

void ct::distributed::release_parameters()
{
    ct::exchange_gradients = nullptr;
    all.clear();
    is_syncing = true;
}

namespace ct {

// "start", names, tensors, megabytes, the dtype of gradients that are sent or #f.
Owned data_parallel(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &g) {
        int64_t bytes = bucket_bytes_of(given.values[3]);
        std::optional<at::ScalarType> compressed = compressed_dtype_of(given.values[4]);
        std::vector<Parameter> parameters = parameters_of(given.values[1], given.values[2]);
        Operation operation = first_exchange(g, parameters, compressed);
        operation.finish = [&g, parameters, bytes, compressed, exchange = operation.finish] {
            if (g.settings.world == 1) return Owned();
            Owned nothing = exchange();
            all.push_back(std::make_unique<Gradients>(g, parameters, bytes, compressed));
            ct::exchange_gradients = finish_all;
            return nothing;
        };
        return operation;
    });
}

// "start", tensors, the rank that steps each: give its elements to all others.
Owned share_parameters(const ProcedureArguments &given)
{
    return distributed::step(
        given, [&](Group &g) { return sharing(g, given.values[1], given.values[2]); });
}

// Whether backward averages gradients from now on; returns whether it did.
Owned sync_gradients(const ProcedureArguments &given)
{
    return Owned::boolean(std::exchange(is_syncing, given.flag(0)));
}

// Whether backward averages gradients over several ranks.
Owned averages_gradients(const ProcedureArguments &)
{
    return Owned::boolean(is_syncing && !all.empty());
}

}  // namespace ct

#endif  // CT_GLOO
