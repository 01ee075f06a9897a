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

// Whether it is UTF-8 without a NUL.
bool is_text(std::string_view name);
// Fails unless a text in a file is; noun says what the file has it as: "name".
void check_text(std::string_view text, const char *noun, const std::string &path, uint64_t byte);

// Reading.

// A file that is mapped as a whole, and privately: a change of a tensor does not change the file.
class File {
public:
    File(std::string path, char *data, uint64_t size);
    ~File();
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    std::string_view text(uint64_t from, uint64_t length) const { return {data + from, length}; }
    // Frees the memory of pages that lie within the bytes; they are read again when they are
    // touched.  Only for bytes that nothing has written to.
    void give_back(uint64_t from, uint64_t length) const;

    const std::string path;
    char *const data;
    const uint64_t size;
};
using FilePointer = std::shared_ptr<const File>;

FilePointer open_file(const std::string &path);
// Frees the memory of a tensor that lies in a mapped file and was not written to; nothing for
// others.
void give_back_pages(const at::Tensor &x);
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
// Until then it has another name and is locked; files that processes have left behind when they
// were killed are not locked, and the next output in their folder removes them.
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
    void create_temporary(const std::string &shown);

    std::string path_, temporary_;  // no temporary for a device or a pipe
    int descriptor_ = -1;
    uint64_t written_ = 0;
};

// Fails for a tensor that is sparse or quantized.
void check_is_dense(const at::Tensor &x);
// The elements of x as a contiguous tensor on the CPU, as files hold them.
at::Tensor as_stored(const at::Tensor &x);

}  // namespace ct
