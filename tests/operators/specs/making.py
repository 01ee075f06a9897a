"""Creation, chance, operators over lists of tensors, and methods that only write."""

from tests.operators.compare import Closeness
from tests.operators.tables import Family

CREATION = Family("creation", """
zeros ones  2, 3 | (2, 3) | 3 | () | (2,), dtype=T.int64 | 2, dtype=T.complex64 | (0, 2), dtype=T.bool | 2, dtype=T.float64, layout=T.strided, device='cpu', pin_memory=False | size=(2,)
full  (2, 3), 1.5 | (2,), 7 | (), True | [2], 3, dtype=T.float16 | (2,), fill_value=2.5, dtype=T.int32 | size=(1,), fill_value=1
arange  5 | 1, 4 | 0, 1, 0.25 | 5.0 | 3, dtype=T.float32 | start=1, end=6, step=2 | 10, 0, -3 | end=3
range  1, 4 | 0, 1, 0.5
linspace  0, 1, 5 | 0, 10, steps=3, dtype=T.float64 | t(0.0), t(1.0), 3 | 0, t(2.0), 3 | start=1, end=2, steps=2
logspace  0, 2, 3 | 0, 2, 3, 2.0 | 0, 1, steps=2, base=10, dtype=T.float64 | t(0.0), 1, 2
eye  3 | 2, 3 | 2, dtype=T.int64 | n=2, m=1
scalar_tensor  3.5 | 2 | True, dtype=T.bool
zeros_like ones_like  f32(2, 3) | i64(2), dtype=T.float64 | f32(2, 3).t(), memory_format=T.contiguous_format | f32(1, 2, 2, 2), memory_format=T.channels_last
full_like  f32(2, 3), 1.5 | i64(2), 2, dtype=T.float64 | b8(2), True
new_zeros new_ones  f32(2), (2, 3) | f32(2), 2, 3 | i64(2), (2,), dtype=T.float64 | f64(1), size=[2]
new_full  f32(2), (2, 3), 1.5 | i64(2), (2,), 2 | f64(1), size=(1,), fill_value=3, dtype=T.int32
hann_window hamming_window bartlett_window blackman_window  5 | 4, False | 6, periodic=True, dtype=T.float64
hamming_window  5, True, 0.5 | 5, True, 0.5, 0.4
kaiser_window  5 | 5, False | 6, True, 10.0
complex  t([1.0, 2.0]), t([3.0, 4.0])
""", gradients=False)  # fmt: skip

MEMORY = Family("memory", """
empty  2, 3 | (2, 3), dtype=T.int64 | (), dtype=T.float64 | (1, 2, 2, 2), memory_format=T.channels_last
empty_like  f32(2, 3) | i64(2), dtype=T.float64 | f32(2, 3).t(), memory_format=T.preserve_format
new_empty  f32(2), (2, 3) | f32(2), 2, 3, dtype=T.int32
empty_strided  (2, 3), (1, 2) | size=(2, 2), stride=(2, 1), dtype=T.float64
new_empty_strided  f32(2), (2, 3), (1, 2)
empty_permuted  (2, 3), (1, 0) | (1, 2, 3), physical_layout=[2, 0, 1]
resize  f32(4), (2, 2)
""", gradients=False, close=Closeness(values=False))  # fmt: skip

CHANCE = Family("chance", """
rand randn  2, 3 | (2, 3) | (3,), dtype=T.float64 | () | size=(2,)
rand_like randn_like  f32(2, 3) | f32(2), dtype=T.float64
randint  10, (3,) | 2, 5, (2, 2) | 5, size=(3,), dtype=T.int32 | low=0, high=3, size=[2]
randint_like  i64(3), 10 | f32(2, 2), 2, 5 | i64(3), high=4
randperm  6 | 5, dtype=T.int32
normal  0.0, 1.0, (2, 3) | a(3), 1.0 | 0.5, a(3, lo=0.1) | a(3), a(3, lo=0.1) | mean=a(2), std=2.0
bernoulli  f32(5, lo=0, hi=1) | f32(5), 0.3 | f32(5), p=0.5
multinomial  a(4, lo=0.1), 2 | a(2, 4, lo=0.1), 3, True | a(3, lo=0.1), num_samples=2, replacement=False
poisson  f32(4, lo=0.1, hi=5)
binomial  t([5.0, 9.0]), t([0.5, 0.1])
uniform exponential geometric log_normal cauchy random  a(5), 0.5
uniform_  a(5) | a(5), 1, 2 | f64(3, grad=False), **{'from': 0.5, 'to': 0.75}
normal_  a(5) | a(5), 1.0, 0.5 | f64(3, grad=False), mean=2, std=1
random_  i64(5) | i64(5), 10 | i64(5), 2, 5 | a(5), 3
bernoulli_  a(5) | a(5), 0.25 | a(5), a(5, lo=0, hi=1) | b8(4), p=0.75
exponential_  a(5) | a(5), 2.0 | a(5), lambd=0.5
geometric_  a(5), 0.5 | i64(5), p=0.25
log_normal_ cauchy_  a(5) | a(5), 0.5, 2.0
dropout  a(6), 0.5, True
_standard_gamma  f32(4, lo=0.5, hi=3)
_sample_dirichlet  f64(2, 3, lo=0.5)
""")  # fmt: skip

WRITING = Family("writing", """
copy_  a(2, 3), a(3) | a(2, 3).t(), f64(3, 2, grad=False) | i64(3), a(3) | a(3), 2.5 | a(2), t([1, 2]), True | a(2), t([1, 2]), non_blocking=False
fill_  a(2, 3), 5 | i64(2), 2.7 | a(3), t(2.0)
zero_  a(2, 3) | i64(2, 2).t()
fill_diagonal_  a(3, 3), 5 | a(4, 2), 1.0, True | i64(3, 3), fill_value=2, wrap=False
index_put_  a(3, 2), [t([0, 2])], a(2, 2) | a(3, 2), (t([0, 2]), t([1, 1])), a(2), True | a(3, 2), [b8(3)], t(1.0)
resize_  a(2, 3), (3, 2) | a(6), 2, 2 | a(4), (2,)
resize_as_  a(6), i64(2, 3)
squeeze_ unsqueeze_  a(1, 3), 0
squeeze_  a(1, 3, 1) | a(1, 3, 1), (0, 2)
transpose_ swapaxes_ swapdims_  a(2, 3), 0, 1
t_  a(2, 3)
as_strided_  a(6), (2, 2), (1, 2) | a(6), (2, 2), (1, 2), 1
requires_grad_  a(3) | a(3), False
detach_  a(3)
masked_fill_  a(2, 3), b8(3), 1.5 | i64(3), b8(3), t(4)
masked_scatter_  a(2, 3), b8(2, 3), a(6)
scatter_  a(2, 3), 1, t([[0], [2]]), a(2, 1) | a(2, 3), 0, t([[1, 0, 1]]), 5.0 | a(2, 3), 1, t([[0], [2]]), 2, reduce='multiply'
scatter_add_  a(3), 0, t([1, 1]), a(2)
scatter_reduce_  a(3), 0, t([0, 0, 1]), a(3), 'sum' | a(3), 0, t([0, 0, 1]), a(3), reduce='amin', include_self=False
index_add_  a(3, 2), 0, t([0, 2]), a(2, 2) | a(3), 0, t([1]), a(1), alpha=2
index_copy_  a(3, 2), 0, t([0, 2]), a(2, 2)
index_fill_  a(3, 2), 0, t([0, 2]), 5 | a(3), 0, t([1]), t(7.0)
put_  a(2, 3), t([0, 5]), a(2) | a(3), t([0, 0]), a(2), True
addcmul_ addcdiv_  a(3), a(3), a(3, lo=0.5) | a(3), a(3), a(3, lo=0.5), value=2
addmm_  a(2, 4), a(2, 3), a(3, 4) | a(2, 2), a(2, 2), a(2, 2), beta=0.5, alpha=2
addmv_  a(2), a(2, 3), a(3)
addr_  a(2, 3), a(2), a(3)
addbmm_  a(2, 2), a(2, 2, 3), a(2, 3, 2)
baddbmm_  a(2, 2, 2), a(2, 2, 3), a(2, 3, 2), beta=2
lerp_  a(3), a(3), 0.3 | a(3), a(3), a(3)
clamp_  a(5), -1, 1 | a(5), max=0.5 | a(5), a(5)
clamp_min_ clamp_max_  a(5), 0.5 | a(5), a(5)
pow_  a(3, lo=0.1), 2 | a(3, lo=0.1), a(3)
div_  a(3), 2, rounding_mode='floor' | a(3), a(3, lo=0.5)
add_ sub_  a(3), a(3), alpha=2 | a(2, 3).t(), 1 | i64(3), 2
mul_  a(3), a(3) | a(2, 3), 2 | b8(3), b8(3)
tril_ triu_  a(3, 3) | a(3, 3), 1 | i64(3, 3), diagonal=-1
renorm_  a(2, 3), 2, 0, 1.0
cumsum_ cumprod_  a(2, 3), 1 | i64(3), 0
logit_  a(3, lo=0.1, hi=0.9) | a(3, lo=0, hi=1), 0.2
nan_to_num_  t([nan, inf]), 1.0
polygamma_  a(3, lo=0.5), 1
mvlgamma_  a(3, lo=3, hi=5), 2
embedding_renorm_  a(4, 3), t([0, 2]), 0.5, 2.0
hardtanh_ elu_ celu_ leaky_relu_  a(5)
threshold_  a(5), 0.1, 7
rrelu_  a(5), 0.1, 0.3, True
""", gradients=False)  # fmt: skip

_PAIR = "[a(3), a(2, 2)], [a(3, lo=0.5), a(2, 2, lo=0.5)]"
LISTS = Family("lists", f"""
_foreach_abs _foreach_neg _foreach_exp _foreach_sin _foreach_cos _foreach_tanh _foreach_sigmoid _foreach_sign  [a(3), f64(2, 2)]
_foreach_ceil _foreach_floor _foreach_round _foreach_trunc _foreach_frac _foreach_erf _foreach_erfc _foreach_expm1  [a(3), f64(2, 2)]
_foreach_sqrt _foreach_log _foreach_log2 _foreach_log10 _foreach_log1p _foreach_reciprocal _foreach_lgamma _foreach_rsqrt  [a(3, lo=0.1), f64(2, 2, lo=0.1)]
_foreach_sinh _foreach_cosh _foreach_tan _foreach_atan _foreach_clone _foreach_max  [a(3), f64(2, 2)]
_foreach_asin _foreach_acos  [a(3, lo=-0.9, hi=0.9)]
_foreach_add _foreach_sub  {_PAIR} | {_PAIR}, alpha=2 | [a(3), a(2)], 2 | [a(3), a(2)], [1.5, 2.0]
_foreach_mul _foreach_div _foreach_maximum _foreach_minimum _foreach_clamp_max _foreach_clamp_min  {_PAIR} | [a(3), a(2)], 2 | [a(3), a(2)], [1.5, 2.0]
_foreach_mul _foreach_div _foreach_add  [a(3), a(2)], t(2.0)
_foreach_pow  [a(3, lo=0.1), a(2, lo=0.1)], [a(3), a(2)] | [a(3), a(2)], 2 | [a(3), a(2)], [2, 3] | 2.0, [a(3), a(2)]
_foreach_addcmul _foreach_addcdiv  {_PAIR}, [a(3, lo=0.5), a(2, 2, lo=0.5)] | {_PAIR}, [a(3, lo=0.5), a(2, 2, lo=0.5)], 2 | {_PAIR}, [a(3, lo=0.5), a(2, 2, lo=0.5)], [1.5, 2.0] | {_PAIR}, [a(3, lo=0.5), a(2, 2, lo=0.5)], t([1.0, 2.0])
_foreach_lerp  {_PAIR}, 0.3 | {_PAIR}, [a(3), a(2, 2)] | {_PAIR}, [0.1, 0.2]
_foreach_norm  [a(3), a(2, 2)] | [a(3), a(2, 2)], 1
_foreach_zero_ _foreach_abs_ _foreach_neg_ _foreach_exp_ _foreach_tanh_ _foreach_sigmoid_  [a(3), a(2, 2)]
_foreach_add_ _foreach_sub_  {_PAIR} | {_PAIR}, alpha=2 | [a(3), a(2)], 2 | [a(3), a(2)], [1.5, 2.0]
_foreach_mul_ _foreach_div_ _foreach_maximum_  {_PAIR} | [a(3), a(2)], 2
_foreach_pow_  [a(3), a(2)], 2
_foreach_copy_  {_PAIR}
_foreach_addcmul_ _foreach_addcdiv_  {_PAIR}, [a(3, lo=0.5), a(2, 2, lo=0.5)], 0.5
_foreach_lerp_  {_PAIR}, 0.3
_fused_sgd_  [a(3)], [a(3)], [a(3)], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False
_fused_adam_ _fused_adamw_  [a(3)], [a(3)], [a(3, lo=0)], [a(3, lo=0)], [], [t(2.0)], lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False
_fused_adagrad_  [a(3)], [a(3)], [a(3, lo=0)], [t(2.0)], lr=0.1, lr_decay=0.0, weight_decay=0.0, eps=1e-8, maximize=False
""", close=Closeness(1e-6, 1e-7))  # fmt: skip

FAMILIES = (CREATION, MEMORY, CHANCE, WRITING, LISTS)
