"""Tensors: the procedures that are not operators of LibTorch.

Every other `tensor-...` name is a LibTorch operator, called through its schema (`table.operator`).
The most used operators also have typed entry points (`typed.py`).
"""

from lambent.lang.primitives.attributes import Pointer, Taken
from lambent.lang.primitives.table import TABLE, alias, operator, primitive, variant

# Creating and reading tensors.

primitive("tensor",
          "(data: value, *, dtype: value = #f, requires_grad: value = #f, device: value = #f)"
          " -> tensor", "bridge_tensor",
          "A tensor of a number or of nested lists or vectors.  Floats and rationals become "
          "float32, exact integers int64, booleans bool; with any float, all elements become "
          "float32.  For integer dtypes numbers are truncated to integers, which must fit.",
          example="(print (tensor '((1 2) (3 4.5))))  ; => [[1.0 2.0] [3.0 4.5]]",
          effects="reads anything, allocates anything, fails")
alias("list->tensor", "tensor")
primitive("tensor?", "(x: value) -> boolean", "rt_is_tensor", "Whether it is a tensor.",
          effects="", example="(print (tensor? [1]) (tensor? 1))  ; => #t #f")
primitive("tensor->list", "(x: tensor) -> plain", "bridge_tensor_to_list",
          "Its elements as nested lists of numbers or booleans; of a 0-d tensor, the element.",
          example="(print (tensor->list [[1 2] [3 4]]))  ; => ((1 2) (3 4))",
          effects="reads anything, allocates anything, fails")
primitive("tensor-item", "(x: tensor) -> plain", "bridge_item",
          "The element of a tensor of one element, as a number or boolean.",
          example="(print (tensor-item [2.5]))  ; => 2.5",
          effects="reads anything, allocates anything, fails")
primitive("tensor-shape", "(x: tensor) -> plain", "bridge_shape", "Its sizes, as a list.",
          effects="reads tensor, allocates numbers objects",
          example="(print (tensor-shape [[1 2 3] [4 5 6]]))  ; => (2 3)")
primitive("tensor-rank", "(x: tensor) -> fixnum", "ct_rank", "How many dimensions it has.",
          effects="reads tensor", example="(print (tensor-rank [[1 2]]))  ; => 2")
primitive("tensor-dtype", "(x: tensor) -> plain", "bridge_dtype",
          "The type of its elements, as a symbol.",
          effects="reads tensor, allocates memory objects",
          example="(print (tensor-dtype [1.0]))  ; => float32")
primitive("tensor-device", "(x: tensor) -> plain", "bridge_device",
          "Its device, as a string.", effects="reads string tensor, allocates objects, fails",
          example="(print (tensor-device [1.0]))  ; => cpu")
primitive("tensor-to", "(x: tensor, *targets: value) -> tensor", "bridge_to",
          "The tensor with another dtype, on another device, or with both of another tensor; x "
          "itself if nothing changes and :copy is not #t.",
          example="(print (tensor-dtype (tensor-to [1 2] 'float64)))  ; => float64",
          effects="reads anything, allocates anything, fails")
primitive("tensor-copy", "(x: tensor) -> tensor", "ct_copy",
          "A copy with its own storage; gradients flow through it.",
          example="(print (tensor-copy [1 2]))  ; => [1 2]",
          effects="reads tensor, allocates anything, fails")
primitive("tensor-slice",
          "(x: tensor, dim: integer, start: value = 0, end: value = #f, step: integer = 1)"
          " -> tensor", "bridge_slice",
          "The elements of x from start up to but without end along a dimension: a view.  "
          "Negative positions count from the end; positions beyond the bounds are clamped.",
          variants=[
              variant("(x: tensor, dim: fixnum, start: fixnum, end: fixnum, step: fixnum)"
                      " -> tensor", "ct_slice",
                      effects="reads tensor, allocates anything, fails",
                      passed=(Taken(0), Taken(1), Taken(2), Pointer(Taken(3)), Taken(4))),
          ],
          example="(print (tensor-slice [[1 2 3] [4 5 6]] 1 0 2))  ; => [[1 2] [4 5]]",
          effects="reads tensor, allocates anything, fails")
primitive("tensor-ref", "(x: tensor, *indices: value) -> tensor", "bridge_ref",
          "The elements of x at the indices: integers, :all, (range a b), tensors of integers or "
          "booleans, :ellipsis for as many :all as are missing, :new-axis for a dimension of size "
          "1.  Always a tensor; a view where that is possible.",
          example="(print (tensor-ref [[1 2] [3 4]] 1) (tensor-ref [[1 2] [3 4]] :all 0))"
          "  ; => [3 4] [1 3]", effects="reads anything, allocates anything, fails")
primitive("tensor-set!", "(x: tensor, *indices_then_value: value) -> tensor", "bridge_set",
          "Replace the elements of x at the indices by a number or a tensor, and return x.",
          example="(print (tensor-set! [1 2 3] 0 9))  ; => [9 2 3]",
          effects="reads anything, writes tensor, allocates anything, fails")

# The short name of an operator.

TABLE["@"] = operator("tensor-matmul")

# Procedures of ctorch: files and modules.  stdlib/tensor/ defines procedures that call them.

primitive("%procedure", "(name: string, *arguments: value) -> value", "bridge_procedure",
          "Call a procedure of ctorch by its Lisp name.",
          effects="reads anything, writes tensor port state random, allocates anything, fails")

# The state of LibTorch.

primitive("default-device", "() -> plain", "bridge_default_device",
          "The device of new tensors, as a string.",
          effects="reads anything, allocates anything, fails",
          example="(print (default-device))  ; => cpu")
primitive("set-default-device!", "(device: value) -> void", "bridge_set_default_device",
          "Create new tensors on a device from now on; with-device does so in its body only.",
          example='(set-default-device! "meta") (print (tensor-device [1])) '
          '(set-default-device! "cpu")  ; => meta',
          effects="reads anything, writes state, allocates anything, fails")
primitive("with-device", "(device: value) -> plain", "bridge_swap_default_device",
          "Create new tensors on a device; returns the one before.", key="%swap-default-device",
          effects="reads anything, writes state, allocates anything, fails")
primitive("cuda-available?", "() -> boolean", "ct_cuda_available",
          "Whether LibTorch can use an NVIDIA GPU.", effects="reads state",
          example="(print (boolean? (cuda-available?)))  ; => #t")
primitive("manual-seed", "(seed: integer) -> void", "bridge_manual_seed",
          "Seed LibTorch's random numbers.",
          example="(manual-seed 0) (print (tensor-rand 1))  ; => [0.4963]",
          effects="reads anything, writes random, allocates anything, fails")
primitive("set-num-threads", "(count: index) -> void", "bridge_set_num_threads",
          "How many threads an operator may use.",
          effects="reads anything, writes state, allocates anything, fails")
primitive("tensor-memory", "() -> plain", "bridge_memory",
          "An alist: live-handles (tensors that the program can still reach), live-bytes, "
          "peak-bytes, cached-bytes (freed blocks kept for reuse), allocations and "
          "allocated-bytes (the number of blocks allocated so far, and their bytes), and "
          "collected-handles (tensors freed because only cycles that the program could not reach "
          "held them).",
          effects="reads anything, writes port state, allocates anything, fails")
primitive("tensor-cache-limit!", "(bytes: index) -> plain", "bridge_cache_limit",
          "Keep at most that many bytes of freed blocks for new tensors, and free the rest; "
          "returns the limit before.",
          example="(tensor-cache-limit! 1000) (print (tensor-cache-limit! 0))  ; => 1000",
          effects="reads anything, writes state, allocates anything, fails")
primitive("tensor-cache-release!", "() -> plain", "bridge_cache_release",
          "Return all cached blocks to the system; returns how many bytes they had.",
          effects="reads anything, writes state, allocates anything, fails",
          example="(tensor-cache-release!) (print (tensor-cache-release!))  ; => 0")
primitive("tensor-memory-limit!", "(bytes: value) -> plain", "bridge_memory_limit",
          "Let tensors use at most that many bytes; more is an error that guard can catch.  #f "
          "removes the limit.  Returns the limit before.",
          example="(print (tensor-memory-limit! 1000000) (tensor-memory-limit! #f))"
          "  ; => #f 1000000",
          effects="reads anything, writes state, allocates anything, fails")
