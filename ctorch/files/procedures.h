// procedures.h - the library procedures that C++ implements, their arguments and results.  C++ only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/handle.h"

namespace ct {

// An owned value, which the destructor releases unless it has been taken.
class Owned {
public:
    Owned() = default;
    Owned(Owned &&other) noexcept : value_(other.take()) {}
    Owned &operator=(Owned &&other) noexcept;
    ~Owned() { ct_value_clear(&value_); }

    static Owned tensor(at::Tensor &&x);  // CT_NONE for an undefined one
    static Owned object(ct_object *x);  // moved in
    static Owned text(ct_kind kind, const std::string &text);
    static Owned integer(int64_t i);
    static Owned real(double f);
    static Owned boolean(bool on);
    static Owned items(ct_kind kind, std::vector<Owned> items);  // CT_LIST or CT_TABLE

    ct_value take();

private:
    explicit Owned(ct_value value) : value_(value) {}

    ct_value value_{};
};

// The arguments of a procedure.  The accessors check the kind and throw a Failure.
struct ProcedureArguments {
    size_t count;
    const ct_value *values;

    std::string text(size_t k, const char *noun = "a string") const;
    const at::Tensor &tensor(size_t k) const;
    bool flag(size_t k) const;
};

[[noreturn]] void wrong_kind(const char *noun, const ct_value &got);

// Names with their values, in order.
template <class Thing>
using Named = std::vector<std::pair<std::string, Thing>>;

// The entries of a CT_TABLE, or of a CT_LIST that holds each name before its value, borrowed.  A
// name that occurs twice, or is not text, is a Failure; noun and name_noun say what was expected.
Named<const ct_value *> entries_of(const ct_value &table, const char *noun, const char *name_noun);
// The same where the values are tensors.
Named<at::Tensor> named_tensors(const ct_value &table);
Owned table_of(Named<at::Tensor> &&entries);

// The procedures, by file.

Owned load_tensors(const ProcedureArguments &given);     // safetensors.cpp
Owned tensors_metadata(const ProcedureArguments &given);
Owned save_tensors(const ProcedureArguments &given);     // safetensors_output.cpp
Owned tensors_checksum(const ProcedureArguments &given);
Owned load_converted(const ProcedureArguments &given);   // safetensors_index.cpp
Owned give_back_tensor(const ProcedureArguments &given);
Owned open_gguf(const ProcedureArguments &given);        // gguf.cpp
Owned gguf_metadata(const ProcedureArguments &given);
Owned gguf_value(const ProcedureArguments &given);
Owned gguf_tensors(const ProcedureArguments &given);
Owned gguf_tensor(const ProcedureArguments &given);      // gguf_tensors.cpp
Owned gguf_packed(const ProcedureArguments &given);
Owned gguf_blocks(const ProcedureArguments &given);
Owned load_npy(const ProcedureArguments &given);         // npy.cpp
Owned save_npy(const ProcedureArguments &given);
Owned load_npz(const ProcedureArguments &given);
Owned save_npz(const ProcedureArguments &given);
Owned load_image(const ProcedureArguments &given);       // images/images.cpp
Owned save_image(const ProcedureArguments &given);
Owned load_state_dict(const ProcedureArguments &given);  // pt.cpp
Owned device_names(const ProcedureArguments &given);     // tensor/device_state.cpp
Owned device_facts(const ProcedureArguments &given);
Owned device_memory(const ProcedureArguments &given);
Owned release_device_cache(const ProcedureArguments &given);
Owned reset_device_peak(const ProcedureArguments &given);
Owned synchronize_device(const ProcedureArguments &given);
Owned new_graph(const ProcedureArguments &given);        // cuda/graph.cpp
Owned begin_graph(const ProcedureArguments &given);
Owned end_graph(const ProcedureArguments &given);
Owned replay_graph(const ProcedureArguments &given);
Owned load_module(const ProcedureArguments &given);      // torchscript/module.cpp
Owned call_module(const ProcedureArguments &given);
Owned module_parameters(const ProcedureArguments &given);
Owned module_buffers(const ProcedureArguments &given);
Owned module_methods(const ProcedureArguments &given);
Owned set_module_to_train(const ProcedureArguments &given);
Owned set_module_to_evaluate(const ProcedureArguments &given);
Owned is_module(const ProcedureArguments &given);
Owned is_exported_program(const ProcedureArguments &given);

Owned make_generator(const ProcedureArguments &given);   // tensor/random_generator.cpp
Owned is_generator_value(const ProcedureArguments &given);
Owned generator_state(const ProcedureArguments &given);
Owned random_states(const ProcedureArguments &given);
Owned set_random_states(const ProcedureArguments &given);

Owned check_autocast(const ProcedureArguments &given);   // autograd/autocast.cpp
Owned enter_autocast(const ProcedureArguments &given);
Owned leave_autocast(const ProcedureArguments &given);
Owned autocast_dtype(const ProcedureArguments &given);
Owned end_recomputed_region(const ProcedureArguments &given);  // autograd/recompute.cpp
Owned take_gradients(const ProcedureArguments &given);   // autograd/accumulation.cpp
Owned weigh_gradients(const ProcedureArguments &given);

}  // namespace ct
