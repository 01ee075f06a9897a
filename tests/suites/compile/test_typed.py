"""The typed entry points of operators: each returns what the same call through the schema returns.

One program holds a call of each, with tensors of several dtypes and shapes, and the same call by
`apply`, where the compiler knows no types.  Values, dtypes, shapes, gradients and the texts of
errors must be equal.
"""

import re
from pathlib import Path

from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.pipeline import compile_source
from lambent.lang.primitives.typed import TypedOperator, returns_a_tensor, typed_operators
from lambent.lang.syntax.source import Source
from tests.support.binaries import CHECKED, build_programs, finish
from tests.support.needs_libtorch import python_torch
from tests.support.paths import ROOT

# x and y [2, 2], v [2], b [2, 2, 2], m a mask [2, 2], j indices [2], p an image [1, 2, 4, 4],
# w filters [3, 2, 3, 3]; n is 1 and f 0.5, which the compiler does not know, and yes is #t.
_ANGLES = "(tensor-narrow (tensor-select (tensor-select p 0 0) 0 0) 1 0 2)"
_TABLE = "(tensor-narrow (tensor-unsqueeze j 0) 1 1 1)"
ROWS = {
    "add.Tensor": ["(tensor-add x y)", "(tensor-add x y :alpha 2)", "(tensor-add x y :alpha f)"],
    "add.Scalar": ["(tensor-add x 2)", "(tensor-add x f)", "(tensor-add x 1/2 n)"],
    "add_.Tensor": ["(tensor-add! x y)", "(tensor-add! x y :alpha -0.5)"],
    "add_.Scalar": ["(tensor-add! x 2.5)"],
    "sub.Tensor": ["(tensor-sub x y)"],
    "sub.Scalar": ["(tensor-sub x 1.5)", "(tensor-sub x 1e300)"],
    "sub_.Tensor": ["(tensor-sub! x y)"],
    "sub_.Scalar": ["(tensor-sub! x n)"],
    "rsub.Scalar": ["(tensor-rsub x 1)"],
    "mul.Tensor": ["(tensor-mul x v)"],
    "mul.Scalar": ["(tensor-mul x 3)", "(tensor-mul x f)", "(tensor-mul m 2)"],
    "mul_.Tensor": ["(tensor-mul! x y)"],
    "mul_.Scalar": ["(tensor-mul! x 0.5)"],
    "div.Tensor": ["(tensor-div x y)"],
    "div.Scalar": ["(tensor-div x 3)", "(tensor-div x 0)", "(tensor-div x f)"],
    "div_.Tensor": ["(tensor-div! x y)"],
    "div_.Scalar": ["(tensor-div! x 2)"],
    "pow.Tensor_Tensor": ["(tensor-pow x y)"],
    "pow.Tensor_Scalar": ["(tensor-pow x 2)", "(tensor-pow x f)"],
    "pow.Scalar": ["(tensor-pow 2 x)"],
    "remainder.Scalar": ["(tensor-remainder x 2)"],
    "addcmul": ["(tensor-addcmul x y v :value 0.5)"],
    "addcmul_": ["(tensor-addcmul! x y v)"],
    "addcdiv": ["(tensor-addcdiv x y v)"],
    "addcdiv_": ["(tensor-addcdiv! x y v :value 2)"],
    "lerp.Scalar": ["(tensor-lerp x y 0.25)"],
    "lerp_.Scalar": ["(tensor-lerp! x y f)"],
    "gelu": ["(tensor-gelu x)", "(tensor-gelu x :approximate 'tanh)",
             '(tensor-gelu x :approximate "none")'],
    "softplus": ["(tensor-softplus x)", "(tensor-softplus x 2 :threshold 1.5)"],
    "leaky_relu": ["(tensor-leaky-relu x)", "(tensor-leaky-relu x 0.2)"],
    "logical_and": ["(tensor-logical-and m x)"],
    "logical_or": ["(tensor-logical-or m x)"],
    "eq.Scalar": ["(tensor-eq x 1)"],
    "ne.Scalar": ["(tensor-ne x 1.0)"],
    "lt.Scalar": ["(tensor-lt x f)"],
    "le.Scalar": ["(tensor-le x 2)"],
    "gt.Scalar": ["(tensor-gt x n)"],
    "ge.Scalar": ["(tensor-ge x 2)"],
    "where.self": ["(tensor-where m x y)"],
    "masked_fill.Scalar": ["(tensor-masked-fill x m -1)", "(tensor-masked-fill x m f)"],
    "clamp": ["(tensor-clamp x 0 2)", "(tensor-clamp x :max 2)", "(tensor-clamp x #f f)",
              "(tensor-clamp x)"],
    "clamp_": ["(tensor-clamp! x :min 1)"],
    "clamp_min": ["(tensor-clamp-min x 1)"],
    "clamp_max": ["(tensor-clamp-max x f)"],
    "sum.dim_IntList": ["(tensor-sum x 0)", "(tensor-sum b '(0 -1))", "(tensor-sum x '() #t)",
                        "(tensor-sum x :dim n :keepdim yes)", "(tensor-sum x 7)"],
    "mean.dim": ["(tensor-mean x 0 #t)", "(tensor-mean x :dim '(0 1))"],
    "amax": ["(tensor-amax x)", "(tensor-amax x 0)"],
    "amin": ["(tensor-amin x '(1) #t)"],
    "argmax": ["(tensor-argmax x)", "(tensor-argmax x 1)", "(tensor-argmax x #f #t)"],
    "argmin": ["(tensor-argmin x -1)"],
    "cumsum": ["(tensor-cumsum x 0)"],
    "logsumexp": ["(tensor-logsumexp x n)"],
    "mv": ["(tensor-mv x v)"],
    "dot": ["(tensor-dot v v)"],
    "bmm": ["(tensor-bmm b b)"],
    "addmm": ["(tensor-addmm v x y)", "(tensor-addmm v x y :beta 2 :alpha f)"],
    "linear": ["(tensor-linear x y)", "(tensor-linear x y v)", "(tensor-linear x y #f)"],
    "transpose.int": ["(tensor-transpose x 0 n)", "(tensor-transpose x 0 5)"],
    "view": ["(tensor-view x 4)", "(tensor-view x '(1 -1))", "(tensor-view x n 4)",
             "(tensor-view x 3)"],
    "reshape": ["(tensor-reshape x 4)", "(tensor-reshape b '(4 2))", "(tensor-reshape x 5 n)"],
    "permute": ["(tensor-permute b 2 0 1)", "(tensor-permute x '(1 0))"],
    "squeeze.dim": ["(tensor-squeeze p 0)"],
    "unsqueeze": ["(tensor-unsqueeze x n)"],
    "expand": ["(tensor-expand v 3 2)", "(tensor-expand v '(-1 2))"],
    "flatten.using_ints": ["(tensor-flatten b)", "(tensor-flatten b 1)"],
    "contiguous": ["(tensor-contiguous x)"],
    "select.int": ["(tensor-select x 0 n)", "(tensor-select x 0 9)"],
    "narrow": ["(tensor-narrow x 0 0 1)"],
    "index_select": ["(tensor-index-select x 0 j)"],
    "gather": ["(tensor-gather x 0 (tensor-unsqueeze j 0))"],
    "tril": ["(tensor-tril x)", "(tensor-tril x -1)"],
    "triu": ["(tensor-triu x :diagonal n)"],
    "softmax.int": ["(tensor-softmax x 0)", "(tensor-softmax x :dim -1)"],
    "log_softmax.int": ["(tensor-log-softmax x n)"],
    "layer_norm": ["(tensor-layer-norm x '(2))", "(tensor-layer-norm x '(2) v v)",
                   "(tensor-layer-norm x '(2) #f v 1e-3)"],
    "rms_norm": ["(tensor-rms-norm x '(2))", "(tensor-rms-norm x '(2) v 0.5)"],
    "conv2d": ["(tensor-conv2d p w)", "(tensor-conv2d p w #f 2 1)",
               "(tensor-conv2d p w :padding '(1 0) :stride 2)"],
    "max_pool2d": ["(tensor-max-pool2d p 2)", "(tensor-max-pool2d p '(2 1) 1 0 1 #t)"],
    "avg_pool2d": ["(tensor-avg-pool2d p 2)", "(tensor-avg-pool2d p 2 :divisor-override 3)"],
    "embedding": ["(tensor-embedding x j)", "(tensor-embedding x j 0)"],
    "scaled_dot_product_attention": [
        "(tensor-scaled-dot-product-attention x y x)",
        "(tensor-scaled-dot-product-attention b b b :is-causal yes :scale 0.5)",
    ],
    "dropout": ["(tensor-dropout x 0.5 #t)", "(tensor-dropout x f #f)"],
    "mse_loss": ["(tensor-mse-loss x y)", "(tensor-mse-loss x y 0)"],
    "nll_loss": ["(tensor-nll-loss x j)", "(tensor-nll-loss x j v 2)"],
    "cross_entropy_loss": ["(tensor-cross-entropy-loss x j)",
                           "(tensor-cross-entropy-loss x j :label-smoothing 0.1)"],
    "zeros": ["(tensor-zeros 2 3)", "(tensor-zeros '(2 1))", "(tensor-zeros '())"],
    "ones": ["(tensor-ones 2 n)", "(tensor-ones -1)"],
    "full": ["(tensor-full '(2 2) 1.5)", "(tensor-full '(2) n)", "(tensor-full 2 3 f)"],
    "arange": ["(tensor-arange 3)", "(tensor-arange 2.5)"],
    "arange.start": ["(tensor-arange 1 4)"],
    "arange.start_step": ["(tensor-arange 1 4 f)"],
    "rand": ["(tensor-rand 2 2)"],
    "randn": ["(tensor-randn '(3))"],
    "copy_": ["(tensor-copy! x y)", "(tensor-copy! x v #t)"],
    "fill_.Scalar": ["(tensor-fill! x 7)", "(tensor-fill! x f)"],
    "fused_rms_norm.functional": [
        "(tensor-fused-rms-norm x v)", "(tensor-fused-rms-norm x v 0.1 f)",
    ],
    "silu_mul.functional": ["(tensor-silu-mul x y)", "(tensor-silu-mul x)"],
    "qkv_write_.functional": [
        f"(tensor-qkv-write! p p p {_ANGLES} {_ANGLES} 0)",
        f"(tensor-qkv-write! p p (tensor-cat (list p p) 2) {_ANGLES} {_ANGLES} n #t)",
    ],
    "gelu_mul.functional": ["(tensor-gelu-mul x y)", "(tensor-gelu-mul x y :approximate 'tanh)"],
    "rotary.functional": [
        "(tensor-rotary x (tensor-unsqueeze v 1) (tensor-unsqueeze v 1))",
        "(tensor-rotary x y y #t)",
    ],
    "rotary_write_.functional": [
        f"(tensor-rotary-write! p p p p p {_ANGLES} {_ANGLES} 0)",
        f"(tensor-rotary-write! p p p p p {_ANGLES} {_ANGLES} n #t)",
    ],
    "cached_attention.functional": [
        "(tensor-cached-attention p p p 4)", "(tensor-cached-attention p p p n :window 2)",
        "(tensor-cached-attention (tensor-narrow p 2 0 1) p p 3 :scale f :softcap 2.0)",
    ],
    "paged_write_.functional": [
        f"(tensor-paged-write! p p p p {_TABLE} (tensor-narrow j 0 1 1))",
    ],
    "paged_attention.functional": [
        f"(tensor-paged-attention (tensor-narrow p 2 0 1) p p {_TABLE} (tensor-narrow j 0 0 1))",
        f"(tensor-paged-attention p p p {_TABLE} j :window n)",
    ],
    "sample.functional": [
        "(tensor-sample x)", "(tensor-sample x f)", "(tensor-sample x 0.5 n :top-p 0.5)",
    ],
}
# Generic arithmetic, which uses the typed entry points, too.
ARITHMETIC = [
    f"({name} {operands})"
    for name in "+-*/"
    for operands in ("x y", "x 2", "x f", "2 x", "f x", "x 1e300", "m 1", "x v")
] + [f"({name} x)" for name in ("-", "abs", "square", "sqrt", "exp", "sin", "cos", "tan", "tanh",
                                "floor", "ceiling", "truncate", "round")
] + ["(max x y)", "(min x y)"]  # fmt: skip

HEAD = """
(define (number-input) (tensor-rank [1.0]))
(define (of-kind kind float)
  (cond ((= kind 0) (requires-grad! float))
        ((= kind 1) (tensor-to float 'float64))
        ((= kind 2) (tensor-to float 'int64))
        (else (tensor-index-select float 0 [0 1 0]))))
(define (x-input kind) (of-kind kind [[1.5 -2.0] [3.0 0.5]]))
(define (y-input kind)
  (cond ((= kind 1) [[2.0 1.0] [1.0 3.0]])
        (else (tensor-to [[2.0 1.0] [1.0 3.0]] 'float32))))
(define (v-input kind) (if (= kind 3) [1.0 2.0 3.0 4.0] (of-kind kind [0.5 2.0])))
(define (b-input kind) (of-kind kind [[[1.0 2.0] [3.0 4.0]] [[0.5 0.1] [0.2 -1.0]]]))
(define (m-input kind) [[#t #f] [#f #t]])
(define (j-input kind) (if (= kind 3) [0 5] [1 0]))
(define (p-input kind)
  (of-kind (if (= kind 3) 0 kind) (tensor-reshape (tensor-sin (tensor-arange 32)) 1 2 4 4)))
(define (w-input kind)
  (of-kind kind (tensor-reshape (tensor-cos (tensor-arange 54)) 3 2 3 3)))

(define (shown x)
  (let ((port (open-output-string)))
    (write (if (tensor? x) (list (tensor-dtype x) (tensor-shape x) x) x) port)
    (get-output-string port)))

(define (gradient result x)
  (guard (e (#t (error-object-message e)))
    (shown (gradients (tensor-sum (tensor-to result 'float32)) (list x)))))

(define (outcome call kind)
  (manual-seed 0)
  (guard (e (#t (error-object-message e)))
    (let* ((found (call kind)) (result (car found)) (x (cadr found)))
      (list (shown result) (if (eq? result x) 'same 'new) (gradient result x)))))

(define good 0)
(define (compare text typed generic)
  (dotimes (kind 4)
    (let ((one (outcome typed kind)) (other (outcome generic kind)))
      (when (pair? one) (set! good (+ good 1)))
      (unless (equal? one other) (print text kind one other)))))
"""

def rows_of(operator: TypedOperator) -> list[str]:
    """Most take a tensor, or two."""
    head = operator.schema.partition("(")[0]
    if head in ROWS:
        return ROWS[head]
    lisp = operator.name.replace("_", "-")
    lisp = lisp.removesuffix("-") + "!" if lisp.endswith("-") else lisp
    required = [p for p in operator.positional if p.default is None]
    assert all(p.type == "Tensor" for p in required), f"{head} needs a row"
    return [f"(tensor-{lisp} {' '.join('xy'[: len(required)])})"]


def function(name: str, body: str) -> str:
    """A procedure that makes the inputs, whose types the compiler then knows."""
    used = body.replace("(", " ").replace(")", " ").split()
    inputs = [f"({i} ({i}-input kind))" for i in "yvbmjpw" if i in used]
    inputs += ["(n (number-input))"] * (not {"n", "f"}.isdisjoint(used))
    inputs += ["(f (/ (inexact n) 2.0))"] * ("f" in used)
    inputs += ["(yes (tensor? x))"] * ("yes" in used)
    bindings = " ".join(["(x (x-input kind))", *inputs])
    return f"(define ({name} kind)\n  (let* ({bindings})\n    (list {body} x)))"


def program(rows: list[str]) -> str:
    """Each row as a direct call, and by apply."""
    texts = [HEAD]
    for number, row in enumerate(rows):
        name, _, arguments = row[1:-1].partition(" ")
        typed, generic = f"typed-{number}", f"generic-{number}"
        texts.append(function(typed, row))
        texts.append(function(generic, f"(apply {name} (list {arguments}))"))
        quoted = row.replace('"', '\\"')
        texts.append(f'(compare "{quoted}" {typed} {generic})')
    texts.append("(print good)")
    return "\n".join(texts)


LEAK_FREE = "live handles: 0, live objects: 0\n"


def test_typed_entry_points_agree_with_the_schema(tmp_path: Path) -> None:
    operators = [operator for operator in typed_operators() if operator.has_function]
    rows = [row for operator in operators for row in rows_of(operator)] + ARITHMETIC
    anf = compile_source(Source("typed.lisp", program(rows)))
    text = emit_c(anf)
    assert [o.symbol for o in operators if f"{o.symbol}(" not in text] == []
    binary = build_programs({"typed": anf}, tmp_path, Options(optimize=False))
    output, errors, _ = finish([binary, "typed"], tmp_path, CHECKED)
    good = output.split()[-1]
    assert (output.splitlines()[:-1], errors) == ([], LEAK_FREE)
    assert int(good) > 2 * len(rows), "most calls succeed"


def test_schemas_are_those_of_the_installed_libtorch() -> None:
    torch = python_torch()

    own = re.sub(r'"\s*"', "", (ROOT / "ctorch/llm/operators.cpp").read_text(encoding="utf-8"))
    for operator in typed_operators():
        if operator.is_own:
            assert f'"{operator.schema.replace(".functional", "")}"' in own, operator.schema
            continue
        overload = operator.overload or ""
        found = torch._C._get_schema(f"aten::{operator.name}", overload)
        assert with_plain_defaults(str(found)) == with_plain_defaults(f"aten::{operator.schema}")


def with_plain_defaults(schema: str) -> str:
    """The schema with its defaults in one notation."""
    text = schema.replace("=Mean", "=1").replace("=contiguous_format", "=0").replace('"', "'")
    text = re.sub(r"=\[(\d), \1\]", r"=\1", text)
    return re.sub(r"=([-\d.e]+)", lambda match: f"={float(match[1])}", text)


def test_operators_that_return_one_tensor() -> None:
    torch = python_torch()

    dispatched = set(torch._C._dispatch_get_all_op_names())
    for name in sorted({operator.name for operator in typed_operators()}):
        full = f"aten::{name}"
        schemas = [
            schema
            for schema in torch._C._jit_get_schemas_for_operator(full)
            if (f"{full}.{schema.overload_name}" if schema.overload_name else full) in dispatched
        ]
        one = all([str(r.type) for r in schema.returns] == ["Tensor"] for schema in schemas)
        is_one = one and name != "max_pool2d"  # with :return-indices, an overload of our own
        assert is_one == returns_a_tensor(name), name


def test_no_operator_with_a_guard_has_a_typed_entry_point() -> None:
    """Guards read the arguments of a call through the schema, which typed ones do not have."""
    guards = "".join(path.read_text() for path in (ROOT / "ctorch" / "guards").glob("*.cpp"))
    guards = re.sub(r"OUT_GUARDS\[\] = \{.*?^\};", "", guards, flags=re.MULTILINE | re.DOTALL)
    guarded = set(re.findall(r'^ +\{"(\w+)", [\w<>]+\},', guards, re.MULTILINE))
    assert {"gcd", "_stack", "resize_"} <= guarded and "addmv" not in guarded
    assert not [x for x in typed_operators() if "out" in {one.name for one in x.parameters}]
    assert guarded & {operator.name for operator in typed_operators()} == set()
