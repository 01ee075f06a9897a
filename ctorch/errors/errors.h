// errors.h - from LibTorch's exceptions to Lambent's messages: what the modules share.  C++ only.
//
//     mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
//  =>  known_failure    {"inner sizes differ: (2 3) times (2 3)", "(tensor-transpose {1} 0 1) ..."}
//
//     Expected p.dim() == 1 to be true, but got false.  (Could this error message be improved? ...)
//  =>  cleaned          "expected the rank of p = 1"
//  =>  with_given       "expected the rank of p = 1; given p float32 (2 3), n 4"
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

// given.cpp: what an operation was given.

Givens unnamed(Operands operands);
// The message, and after it the arguments if it does not tell the tensors' shapes itself.
std::string with_given(const std::string &message, const Givens &givens);
// The arguments that are tensors, and those among them that have a name.
std::vector<at::Tensor> tensors_of(const Givens &givens);
const Given *find_given(const Givens &givens, const std::string &name);

// pattern.cpp: texts with holes.

using Holes = std::vector<std::string>;

// Whether the pattern stands anywhere in the text, whatever the case of its letters, and what its
// holes hold, in Lisp's spelling:  <n> a number, <s> a shape, <t> a dtype, <w> a name, <v> a value,
// <*> anything.
bool occurs(const char *pattern, const std::string &text, Holes &holes);
// The text with $1, $2 ... replaced.
std::string filled(const char *text, const Holes &holes);

// "[2, 3]" or "2x3" => "(2 3)".
std::string shape_word(const std::string &text);
// "Float", "long int", "torch.FloatTensor", "c10::complex<float>" => "float32" ...; the text itself
// if it names no dtype.
std::string dtype_word(const std::string &text);

// messages.cpp: what LibTorch says most, in our words.

// A change of dtype that would make the call work, which the hint then shows: to the dtype of the
// other tensors, or to what the operator takes.
enum class Fix { NONE, SAME, TO_FLOAT, TO_INT, TO_BOOL };

struct Row {
    const char *theirs;  // a pattern
    const char *ours;
    const char *hint = "";
    Fix fix = Fix::NONE;
};

std::optional<Failure> known_failure(const std::string &text, const Givens &givens);
// families.cpp: what only operators of one family say.
c10::ArrayRef<Row> family_rows();
// explain.cpp: those messages that only the arguments explain.
std::optional<Failure> looked_at(const std::string &text, const Givens &givens);

// fixes.cpp: the hint that shows the change of dtype; empty for NONE.
std::string dtype_hint(Fix fix, const Givens &givens);

// cleaning.cpp: any other message.

// What is left of it when the C++ is taken away; never empty.
std::string cleaned(const std::string &text);

// wording.cpp

// The text with C++'s, Python's and PyTorch's words replaced by Lisp's.
std::string reworded(std::string text);

// errors.cpp

// The exception in flight, as a failure that tells what the operation was given.
Failure explained(const Givens &givens);

}  // namespace ct
