// files.h - what the readers and writers of files share.  C++ only.
//
// Readers map a file and check every size and offset against the mapping before they create
// anything; tensors then lie in the mapped pages, which are read when they are touched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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
struct Arguments {
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

// Failures.

// "model.pt" in quotes, as Lisp writes it.
std::string in_quotes(std::string_view text);
// `cannot open "x": No such file or directory`; verb is open, read or write.
[[noreturn]] void fail_system(const char *verb, const std::string &path, int error);
[[noreturn]] void fail_about(const std::string &path, const std::string &what,
                             const std::string &hint = "");
// `"x", byte 8: what`.
[[noreturn]] void fail_at(const std::string &path, uint64_t byte, const std::string &what,
                          const std::string &hint = "");

// Fails unless a name in a file is UTF-8 without a NUL.
void check_name(std::string_view name, const std::string &path, uint64_t byte);

// Reading.

// A file that is mapped as a whole, and privately: a change of a tensor does not change the file.
class File {
public:
    File(std::string path, char *data, uint64_t size)
        : path(std::move(path)), data(data), size(size) {}
    ~File();
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    std::string_view text(uint64_t from, uint64_t length) const { return {data + from, length}; }

    const std::string path;
    char *const data;
    const uint64_t size;
};
using FilePointer = std::shared_ptr<const File>;

FilePointer open_file(const std::string &path);
bool is_folder(const std::string &path);
bool exists(const std::string &path);

constexpr size_t MOST_DIMS = 64;  // LibTorch's own limit

// The name of a dtype in a format.
struct DtypeCode {
    const char *code;
    at::ScalarType dtype;
};
using DtypeCodes = c10::ArrayRef<DtypeCode>;
// NULL if there is none.
const DtypeCode *find_dtype(DtypeCodes codes, const std::string &code);
const DtypeCode *find_code(DtypeCodes codes, at::ScalarType dtype);

// The bytes that a tensor of the sizes takes; false if they overflow 63 bits.
bool byte_count(at::IntArrayRef sizes, at::ScalarType dtype, uint64_t *bytes);

// The strides of a contiguous tensor.
std::vector<int64_t> strides_in_a_row(at::IntArrayRef sizes);

// Keeps memory alive.
using Keeper = std::shared_ptr<const void>;

// The tensor whose elements lie in memory from start on, within bounds that the caller has checked.
// It holds the keeper; elements that are not aligned are copied.
at::Tensor tensor_at(Keeper keeper, char *start, at::ScalarType dtype, at::IntArrayRef sizes,
                     at::IntArrayRef strides);
// The same for contiguous elements in a file, from that byte on.
at::Tensor tensor_in(const FilePointer &file, uint64_t from, at::ScalarType dtype,
                     at::IntArrayRef sizes);

// Little-endian numbers of a file.
template <class Number>
Number number_at(const char *bytes)
{
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

// Writing.

// A file that appears under its name when it is complete: an older one stays if anything fails.
class Output {
public:
    explicit Output(const std::string &path);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    void write(const void *bytes, size_t size);
    void write(std::string_view text) { write(text.data(), text.size()); }
    uint64_t written() const { return written_; }
    void commit();

private:
    std::string path_, temporary_;  // no temporary for a device or a pipe
    int descriptor_ = -1;
    uint64_t written_ = 0;
};

// Fails for a tensor that is sparse or quantized.
void check_is_dense(const at::Tensor &x);
// The elements of x as a contiguous tensor on the CPU, as files hold them.
at::Tensor as_stored(const at::Tensor &x);

// The procedures, by file.

Owned load_tensors(const Arguments &given);     // safetensors.cpp
Owned tensors_metadata(const Arguments &given);
Owned save_tensors(const Arguments &given);     // safetensors_output.cpp
Owned load_npy(const Arguments &given);         // npy.cpp
Owned save_npy(const Arguments &given);
Owned load_npz(const Arguments &given);
Owned save_npz(const Arguments &given);
Owned load_state_dict(const Arguments &given);  // pt.cpp
Owned load_module(const Arguments &given);      // module.cpp
Owned call_module(const Arguments &given);
Owned module_parameters(const Arguments &given);
Owned module_buffers(const Arguments &given);
Owned module_methods(const Arguments &given);
Owned set_module_to_train(const Arguments &given);
Owned set_module_to_evaluate(const Arguments &given);
Owned is_module(const Arguments &given);

Owned make_generator(const Arguments &given);   // random_generator.cpp
Owned is_generator_value(const Arguments &given);
Owned generator_state(const Arguments &given);

}  // namespace ct
