"""The C face of LibTorch, and its two doors for Python.

Nothing here imports Python's torch, and LibTorch is loaded by the first call of `load` or
`extension`, not by importing this package.  Both build the library when there is none yet for
the LibTorch that is installed (`build.py`); what goes wrong then is a `UsageFault`.

    load() -> (lib, ffi)     ctorch.h as it stands, through cffi: counters, seeds, names, tests
    extension()              a C module for the evaluator, with the functions below

The extension speaks in the evaluator's own values, which `configure` tells it once:

    configure(tensor=, true=, false=, nil=, pair=, vector=, string=, symbol=, keyword=, shown=)
        tensor: the class of the tensors that are made, a subclass of `extension().Tensor` without
        fields.  pair, vector, string, symbol, keyword: classes with the fields car and cdr,
        items, text, name, name; pair and string are also called to make results.  shown(value) is
        the text of a value that no operator takes.  Integers are int, doubles float, rationals
        anything with __float__.  An absent result is `false`.

Values in, values out; every failure raises `TensorError(message, hint)` (hint may be None), which
has these as attributes too, and whose message lacks the name of the operation:

    operator(name) -> Operator     "softmax", "add_": call it with Lisp values, keywords among
                                   them; tensors alone take the typed way in where there is one
    Tensor: + - * / and unary -    in Python's syntax, with tensors and numbers; what is no number
                                   gives NotImplemented.  Freed with its last Python reference.
    arithmetic(name, *operands)    "+", "expt", "exp" ... as ct_arithmetic
    compare(name, a, b) -> bool    "=", "<", ">", "<=", ">="
    make(data, dtype or None, requires_grad: bool)
    literal(shape: tuple, elements: list or tuple)
    rank(x) shape(x) -> tuple      dtype(x) device(x) -> str      describe(x) -> str
    text(x, mode) -> str           mode: DISPLAY, WRITE or REPL
    item(x) to_list(x)             Lisp values
    truth(x) -> bool               equal(a, b) -> bool
    to(x, target: str)             slice(x, dim, start, end or None)
    ref(x, *indices)               set(x, *indices, value)
    requires_grad(x, on)           backward(x, gradient or None, retain_graph, create_graph)
    grad(x) -> Tensor or None      zero_grad(x)      detach(x)
    gradients(y, xs: list or tuple, create_graph) -> list of Tensor
    set_grad_mode(on) -> bool      the mode before
"""
