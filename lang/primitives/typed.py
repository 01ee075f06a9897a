"""The operators with typed entry points, as LibTorch's own schemas.

Every operator can be called through its schema (`table.operator`).  Those that models call most
also have a C function whose arguments need no boxes, which calls LibTorch's C++ function.  This is
their only list.  From a line

    mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

come the function `ct_aten_mean_dim(self, dim, keepdim, &result)` (`ctorch/typed_source.py`), its
calls where the compiler knows the arguments' types (`compile/types/typed_calls.py`), and the direct
call of LibTorch's function where a call was bound by the schema (`ctorch/dispatch/direct_call.h`).
All mean the same: tests compare them, and the lines with the installed LibTorch's.
"""

import re
from functools import cache

from lambent.lang.primitives.effects import Effects
from lambent.lang.primitives.operator_effects import schema_effects
from lambent.lang.system.dataclass import dataclass

_SCHEMAS = """
add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
mul.Tensor(Tensor self, Tensor other) -> Tensor
mul.Scalar(Tensor self, Scalar other) -> Tensor
mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
div.Tensor(Tensor self, Tensor other) -> Tensor
div.Scalar(Tensor self, Scalar other) -> Tensor
div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
pow.Scalar(Scalar self, Tensor exponent) -> Tensor
remainder.Scalar(Tensor self, Scalar other) -> Tensor
maximum(Tensor self, Tensor other) -> Tensor
minimum(Tensor self, Tensor other) -> Tensor
addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)
neg(Tensor self) -> Tensor
abs(Tensor self) -> Tensor
exp(Tensor self) -> Tensor
log(Tensor self) -> Tensor
log1p(Tensor self) -> Tensor
sqrt(Tensor self) -> Tensor
rsqrt(Tensor self) -> Tensor
square(Tensor self) -> Tensor
reciprocal(Tensor self) -> Tensor
sin(Tensor self) -> Tensor
cos(Tensor self) -> Tensor
tan(Tensor self) -> Tensor
tanh(Tensor self) -> Tensor
sigmoid(Tensor self) -> Tensor
relu(Tensor self) -> Tensor
relu_(Tensor(a!) self) -> Tensor(a!)
gelu(Tensor self, *, str approximate='none') -> Tensor
silu(Tensor self) -> Tensor
softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
erf(Tensor self) -> Tensor
floor(Tensor self) -> Tensor
ceil(Tensor self) -> Tensor
round(Tensor self) -> Tensor
trunc(Tensor self) -> Tensor
sign(Tensor self) -> Tensor
logical_not(Tensor self) -> Tensor
logical_and(Tensor self, Tensor other) -> Tensor
logical_or(Tensor self, Tensor other) -> Tensor
isnan(Tensor self) -> Tensor
eq.Tensor(Tensor self, Tensor other) -> Tensor
eq.Scalar(Tensor self, Scalar other) -> Tensor
ne.Tensor(Tensor self, Tensor other) -> Tensor
ne.Scalar(Tensor self, Scalar other) -> Tensor
lt.Tensor(Tensor self, Tensor other) -> Tensor
lt.Scalar(Tensor self, Scalar other) -> Tensor
le.Tensor(Tensor self, Tensor other) -> Tensor
le.Scalar(Tensor self, Scalar other) -> Tensor
gt.Tensor(Tensor self, Tensor other) -> Tensor
gt.Scalar(Tensor self, Scalar other) -> Tensor
ge.Tensor(Tensor self, Tensor other) -> Tensor
ge.Scalar(Tensor self, Scalar other) -> Tensor
where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor
clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
clamp_min(Tensor self, Scalar min) -> Tensor
clamp_max(Tensor self, Scalar max) -> Tensor
sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
prod(Tensor self, *, ScalarType? dtype=None) -> Tensor
max(Tensor self) -> Tensor
max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
min(Tensor self) -> Tensor
min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
any(Tensor self) -> Tensor
all(Tensor self) -> Tensor
cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True)
  -> (Tensor values, Tensor indices)
sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)
matmul(Tensor self, Tensor other) -> Tensor
mm(Tensor self, Tensor mat2) -> Tensor
bmm(Tensor self, Tensor mat2) -> Tensor
mv(Tensor self, Tensor vec) -> Tensor
dot(Tensor self, Tensor tensor) -> Tensor
addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
t(Tensor(a) self) -> Tensor(a)
transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
view(Tensor(a) self, SymInt[] size) -> Tensor(a)
reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
permute(Tensor(a) self, int[] dims) -> Tensor(a)
squeeze(Tensor(a) self) -> Tensor(a)
squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)
select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
detach(Tensor(a) self) -> Tensor(a)
clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
cat(Tensor[] tensors, int dim=0) -> Tensor
stack(Tensor[] tensors, int dim=0) -> Tensor
index_select(Tensor self, int dim, Tensor index) -> Tensor
gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor
tril(Tensor self, SymInt diagonal=0) -> Tensor
triu(Tensor self, SymInt diagonal=0) -> Tensor
softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None,
  float eps=1e-05, bool cudnn_enable=True) -> Tensor
rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor
conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0,
  SymInt[2] dilation=1, SymInt groups=1) -> Tensor
max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
  int[2] dilation=1, bool ceil_mode=False) -> Tensor
avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
  bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False,
  bool sparse=False) -> Tensor
scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
  float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor
dropout(Tensor input, float p, bool train) -> Tensor
mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor
nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean,
  SymInt ignore_index=-100) -> Tensor
cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean,
  SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor
zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None) -> Tensor
ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None) -> Tensor
full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None,
  Device? device=None, bool? pin_memory=None) -> Tensor
arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None) -> Tensor
arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None,
  Device? device=None, bool? pin_memory=None) -> Tensor
arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None,
  Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None) -> Tensor
randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None) -> Tensor
zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
  bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
zero_(Tensor(a!) self) -> Tensor(a!)
fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
"""

# Lambent's own (`ctorch/llm/operators.cpp`), whose overloads all have that name.
OWN = "functional"
_OWN_SCHEMAS = """
fused_rms_norm.functional(Tensor input, Tensor weight, float eps=1e-06, float offset=0.0) -> Tensor
silu_mul.functional(Tensor gate, Tensor? up=None) -> Tensor
gelu_mul.functional(Tensor gate, Tensor? up=None, *, str approximate='none') -> Tensor
rotary.functional(Tensor input, Tensor cos, Tensor sin, bool interleaved=False) -> Tensor
rotary_write_.functional(Tensor(a!) keys, Tensor(b!) values, Tensor query, Tensor key, Tensor value,
  Tensor cos, Tensor sin, int start, bool interleaved=False) -> Tensor
qkv_write_.functional(Tensor(a!) keys, Tensor(b!) values, Tensor joined, Tensor cos, Tensor sin,
  int start, bool interleaved=False) -> Tensor
cached_attention.functional(Tensor query, Tensor keys, Tensor values, int length,
  Tensor? padding=None, int? window=None, *, float? scale=None, float softcap=0.0) -> Tensor
paged_write_.functional(Tensor(a!) keys, Tensor(b!) values, Tensor key, Tensor value, Tensor table,
  Tensor starts) -> Tensor(a!)
paged_attention.functional(Tensor query, Tensor keys, Tensor values, Tensor table, Tensor lengths,
  int? window=None, *, float? scale=None, float softcap=0.0) -> Tensor
argmax_last.functional(Tensor input) -> Tensor
sample.functional(Tensor logits, float temperature=1.0, int? top_k=None, float top_p=1.0,
  float min_p=0.0, float typical_p=1.0, *, Generator? generator=None) -> Tensor
"""

# Elementwise operators that may write their result over their first argument, if that has no other
# reference.  They have an in-place operator: `relu_`.
_REUSING = frozenset(
    ("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "mul.Tensor", "mul.Scalar",
     "div.Tensor", "div.Scalar", "addcmul", "addcdiv", "lerp.Scalar",
     "neg", "abs", "exp", "log", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos",
     "tan", "tanh", "sigmoid", "relu", "gelu", "silu", "leaky_relu", "erf", "floor", "ceil",
     "round", "trunc", "sign", "clamp", "clamp_min", "clamp_max")
)  # fmt: skip
_REUSING_SUFFIX = "_reusing"
# Operators with an overload, LibTorch's or Lambent's own, that does not return exactly one tensor.
_RETURN_OTHERS = frozenset(("max", "min", "sort", "topk", "where", "max_pool2d"))
# The C types of parameters.
_C_TYPES = {
    "Tensor": "ct_tensor *", "Tensor?": "ct_tensor *", "bool": "bool ", "str": "const char *",
    "int": "int64_t ", "SymInt": "int64_t ", "float": "double ",
    "int?": "ct_number ", "float?": "ct_number ", "Scalar": "ct_number ", "Scalar?": "ct_number ",
}  # fmt: skip
# Types of parameters that the C functions do not have: they keep their defaults.
_LEFT_OUT = (
    "ScalarType?", "Layout?", "Device?", "bool?", "MemoryFormat", "MemoryFormat?", "Generator?",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """type: LibTorch's, without aliasing annotations: `Tensor`, `int[1]?`.  default: its text."""

    name: str
    type: str
    default: str | None
    keyword_only: bool

    @property
    def c_type(self) -> str:
        """Its type in C, as in typed.h."""
        return "ct_ints " if self.is_list else _C_TYPES[self.type]

    @property
    def is_list(self) -> bool:
        return "[" in self.type

    @property
    def length(self) -> int:
        """The 2 of `int[2]`, which a single number fills; otherwise 0."""
        found = re.search(r"\[(\d+)\]", self.type)
        return int(found[1]) if found else 0

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?")

    @property
    def is_left_out(self) -> bool:
        return self.type in _LEFT_OUT


@dataclass(frozen=True, slots=True)
class TypedOperator:
    """One line: an overload of an operator."""

    schema: str
    name: str
    overload: str
    parameters: tuple[Parameter, ...]
    result: str

    @property
    def aten(self) -> str:
        """Its name in LibTorch's C++: `sum_dim_IntList`."""
        return f"{self.name}_{self.overload}" if self.overload else self.name

    @property
    def symbol(self) -> str:
        return f"ct_aten_{self.aten}"

    @property
    def effects(self) -> Effects:
        return schema_effects(self.schema)

    @property
    def in_place(self) -> str | None:
        """The C++ name of the in-place operator, if there is a reusing function."""
        if self.schema.partition("(")[0] not in _REUSING:
            return None
        return f"{self.name}__{self.overload}" if self.overload else f"{self.name}_"

    @property
    def is_own(self) -> bool:
        """Whether it is Lambent's, not LibTorch's."""
        return self.overload == OWN

    @property
    def written_count(self) -> int:
        """How many tensors it writes to: its first ones."""
        return self.schema.rpartition(" -> ")[0].count("!")

    @property
    def returns_view(self) -> bool:
        """Whether its result shares the elements of its first argument, and it changes none."""
        return self.result == "Tensor(a)"

    @property
    def has_function(self) -> bool:
        """Whether there is a C function: not for lists of tensors, in or out."""
        takes_tensors = any(p.type == "Tensor[]" for p in self.parameters)
        return self.result.startswith("Tensor") and not takes_tensors

    @property
    def creates_tensors(self) -> bool:
        return any(p.name == "pin_memory" for p in self.parameters)

    @property
    def taken(self) -> tuple[Parameter, ...]:
        """The parameters of the C function."""
        return tuple([p for p in self.parameters if not p.is_left_out])

    @property
    def declaration(self) -> str:
        """`int ct_aten_relu(ct_tensor *self, ct_tensor **result)`"""
        return self._declared(self.symbol)

    @property
    def reusing_declaration(self) -> str:
        """That of the function that consumes its first argument."""
        return self._declared(reusing_symbol(self.symbol))

    def _declared(self, symbol: str) -> str:
        parameters = [f"{p.c_type}{p.name}" for p in self.taken]
        return f"int {symbol}({', '.join([*parameters, 'ct_tensor **result'])})"

    @property
    def positional(self) -> tuple[Parameter, ...]:
        return tuple([p for p in self.parameters if not p.keyword_only])


def _parse(schema: str) -> TypedOperator:
    head, _, rest = schema.partition("(")
    inside, _, result = rest.rpartition(") -> ")
    name, _, overload = head.partition(".")
    parameters: list[Parameter] = []
    keyword_only = False
    for part in inside.split(", "):
        if part == "*":
            keyword_only = True
            continue
        type_, _, named = part.rpartition(" ")
        parameter, _, default = named.partition("=")
        type_ = re.sub(r"\(.*\)", "", type_)
        parameters.append(Parameter(parameter, type_, default or None, keyword_only))
    return TypedOperator(schema, name, overload, tuple(parameters), result)


@cache
def _all() -> dict[str, tuple[TypedOperator, ...]]:
    found: dict[str, tuple[TypedOperator, ...]] = {}
    for line in f"{_SCHEMAS.strip()}{_OWN_SCHEMAS}".replace("\n  ", " ").strip().splitlines():
        operator = _parse(line)
        found[operator.name] = (*found.get(operator.name, ()), operator)
    return found


def typed_overloads(name: str) -> tuple[TypedOperator, ...]:
    """The overloads of an operator with typed entry points, by its ATen name; none for most."""
    return _all().get(name, ())


def typed_operators() -> tuple[TypedOperator, ...]:
    """All overloads, in order."""
    return tuple([operator for overloads in _all().values() for operator in overloads])


def reusing_symbol(symbol: str) -> str:
    """`ct_aten_relu_reusing`: it consumes its first argument, and may return it changed."""
    return symbol + _REUSING_SUFFIX


def may_reuse(name: str) -> bool:
    """Whether some overload of the operator may write its result over its first argument."""
    return any(key.partition(".")[0] == name for key in _REUSING)


@cache
def operator_of_symbol(symbol: str) -> TypedOperator | None:
    """The overload that a C function calls; None if it is not a typed entry point."""
    return next((o for o in typed_operators() if o.has_function and o.symbol == symbol), None)


def reuses(symbol: str) -> bool:
    """Whether a C function has a reusing counterpart."""
    operator = operator_of_symbol(symbol)
    return operator is not None and operator.in_place is not None


def typed_declaration(symbol: str) -> str:
    """The C declaration of `ct_aten_relu`, or of `ct_aten_relu_reusing`."""
    base = symbol.removesuffix(_REUSING_SUFFIX)
    operator = next(o for o in typed_operators() if o.symbol == base)
    return operator.declaration if symbol == base else operator.reusing_declaration


def returns_a_tensor(name: str) -> bool:
    """Whether each call of the operator returns one tensor, whatever the overload."""
    return name in _all() and name not in _RETURN_OTHERS
