// errors.h - from LibTorch's exceptions to Lambent's messages: what the modules share.  C++ only.
//
//     mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
//  =>  failure_from_arguments, failure_from_tables
//      {"inner sizes differ: (2 3) times (2 3)", "(tensor-transpose {1} 0 1) ..."}
//
//     Expected p.dim() == 1 to be true, but got false.  (Could this error message be improved?)
//  =>  cleaned_message  "expected the rank of p = 1"
//  =>  with_arguments   "expected the rank of p = 1; given p float32 (2 3), n 4"
//
// report.cpp tries them in this order, after what is about memory, gradients and devices.  To change
// the wording of a message, look for LibTorch's text in message_table.cpp,
// message_table_families.cpp, messages_from_arguments.cpp, device_failures.cpp,
// autograd/gradient_errors.cpp and memory/out_of_memory.cpp, which share the patterns of
// message_pattern.cpp; a text that is in none of them goes through message_cleaning.cpp.
#pragma once

#include "tensor/handle.h"

#include <optional>

namespace ct {

// An argument of the operation that failed.
struct Given {
    std::string name;  // of the parameter, as Lisp writes it; empty if the operation has no schema
    ct_value value;    // borrowed
    size_t position;   // among the call's arguments: hints quote it
};
using Givens = std::vector<Given>;

// given_arguments.cpp: the arguments of a failed operation.

Givens unnamed(Operands operands);
// The message, followed by the arguments unless it already contains the tensors' shapes.
std::string with_arguments(const std::string &message, const Givens &givens);
// The arguments that are tensors, those in lists too.
std::vector<at::Tensor> tensors_of(const Givens &givens);
// How a hint refers to the argument's source text: "{0|input}", its name where the call is in the
// library.
std::string quoted(const Given &given);
// The tensor argument of that name; NULL if there is none.
const Given *find_given(const Givens &givens, const std::string &name);

// message_pattern.cpp: texts with holes.

using Holes = std::vector<std::string>;

// Whether the pattern occurs anywhere in the text, in capitals or not, and what its holes match, in
// Lisp's spelling:  <n> a number, <s> a shape, <t> a dtype, <w> a name, <v> a value, <d> a device,
// <o> an operator, <g> the operation of a node of gradients (autograd/backward.h), <l> the rest of
// a line, <*> anything.
bool occurs(const char *pattern, const std::string &text, Holes &holes);
// The text with $1, $2 ... replaced.
std::string filled(const char *text, const Holes &holes);

// "[2, 3]" or "2x3" => "(2 3)".
std::string shape_word(const std::string &text);
// "Float", "long int", "torch.FloatTensor", "c10::complex<float>" => "float32" ...; the text itself
// if it names no dtype.
std::string dtype_word(const std::string &text);

// message_table.cpp: the messages that any operator may raise.

// A change of dtype that would make the call work, which the hint then shows: to the dtype of the
// other tensors, or to what the operator takes.
enum class DtypeFix { NONE, SAME, TO_FLOAT, TO_INT, TO_BOOL };

struct MessageRow {
    const char *theirs;  // a pattern
    const char *ours;
    const char *hint = "";
    DtypeFix fix = DtypeFix::NONE;
};

std::optional<Failure> failure_from_tables(const std::string &text, const Givens &givens);
// message_table_families.cpp: the messages of one family of operators, such as convolutions.
c10::ArrayRef<MessageRow> family_rows();
// messages_from_arguments.cpp: the messages that only the arguments explain.
std::optional<Failure> failure_from_arguments(const std::string &text, const Givens &givens);

// device_failures.cpp: tensors on several devices; a GPU that failed, for which the arguments of the
// call that reports it say nothing.
std::optional<Failure> mixed_devices(const std::string &text);
std::optional<Failure> gpu_failure(const std::string &text);

// dtype_hint.cpp: the hint that shows the change of dtype; empty for NONE.
std::string dtype_hint(DtypeFix fix, const Givens &givens);

// message_cleaning.cpp: any other message, without the C++ in it; never empty.
std::string cleaned_message(const std::string &text);

// lisp_wording.cpp: the text with C++'s, Python's and PyTorch's words replaced by Lisp's.
std::string in_lisp_words(std::string text);

// report.cpp: the exception in flight as a failure, with the arguments of the operation.
Failure explained(const Givens &givens);

}  // namespace ct
