"""Elementwise operators of one, two and three operands, comparison, logic and bits."""

from tests.operators.tables import Family

UNARY = Family("unary", """
abs neg positive sgn sign square ceil floor round trunc frac  *real() | *whole()
sin cos tan sinh cosh tanh asinh atan exp exp2 expm1 sigmoid  *real() | *whole() | *complexes()
rad2deg deg2rad erf erfc sinc i0 nan_to_num isfinite isnan  *real() | *whole()
asin acos atanh erfinv arcsin arccos arctanh  *real(-0.9, 0.9) | *complexes()
log log2 log10 sqrt rsqrt reciprocal log1p  *real(0.1, 3.0) | *whole() | *complexes()
acosh arccosh  *real(1.1, 3.0) | *complexes()
lgamma digamma  *real(0.2, 4.0) | i64(3, lo=1)
logit  *real(0.1, 0.9) | f32(4, lo=0, hi=1), 0.2 | f32(4, lo=0, hi=1), eps=0.1
absolute negative arcsinh arctan fix  *real()
angle conj_physical real imag conj resolve_conj resolve_neg view_as_real  *complexes()
angle real conj conj_physical resolve_conj resolve_neg isreal is_complex  *real()
isinf isposinf isneginf  t([1.0, inf, -inf, nan]) | *real() | i64(3)
signbit isfinite isnan isreal  t([1.0, -0.0, inf, -inf, nan]) | *whole()
logical_not  *real() | *whole() | *complexes()
bitwise_not  *whole()
relu relu6 selu silu mish hardsigmoid hardswish log_sigmoid softplus  *real(-4.0, 7.0)
gelu  *real() | f32(3), approximate='tanh' | f32(3), approximate='none'
celu elu leaky_relu  *real() | f32(4), 0.5 | f64(3), 0.1
elu  f32(4), 0.5, 2.0, 0.7 | f32(4), alpha=0.5, scale=2, input_scale=1
hardshrink softshrink  *real() | f32(4), 0.3 | f32(4), lambd=1
hardtanh  *real() | f32(4), -0.5, 0.5 | f32(4), min_val=-1, max_val=0.25
threshold  f32(4), 0.1, 20 | i64(4), 1, 20 | f64(4), threshold=0.5, value=-1
softplus  f32(4), 2, 10 | f64(4), beta=0.5, threshold=1.0
glu  f32(2, 4) | f32(4, 3), 0 | f64(3, 4).t(), dim=-2
prelu  f32(2, 3), f32(1) | f32(2, 3, 4), f32(3) | f64(2, 3), f64(3)
round  f32(4), decimals=2 | f64(4), decimals=-1
clamp  f32(5), -1, 1 | f32(5), min=-0.5 | f32(5), max=0.5 | i64(5), 0, 3 | i64(5), 0.5 |
  f32(2, 3), f32(3), f32(2, 1) | f32(4), None, 1.0 | f32(3), min=a(3), max=None | f16(4), -1, 1
clip  f32(5), -1, 1 | f32(5), max=a(5)
clamp_min clamp_max  f32(5), 0.5 | i64(5), 2 | f32(5), a(5)
nan_to_num  t([nan, inf, -inf, 1.0]), 3.0 | t([nan, inf, -inf]), nan=1, posinf=2.0, neginf=-2
nan_to_num  t([nan, inf], dtype=T.float64), 0.5, None, None
polygamma special_polygamma  1, f32(3, lo=0.5, hi=3) | 2, f64(2, 3, lo=0.5, hi=3)
mvlgamma special_multigammaln  f32(3, lo=3, hi=5), 2 | f64(3, lo=3, hi=5), p=3
pow  f32(3, lo=0.1), 2 | f32(3, lo=0.1), 0.5 | i64(4), 3 | 2, f32(3) | 2.5, i64(3, lo=0) | f64(2, 3), 3.0
float_power  f32(3, lo=0.1), 2 | 2, f32(3) | i64(3, lo=1), i64(3) | f32(3, lo=0.1), f32(3)
frexp  f32(5) | f64(2, 3) | f16(4)
fill  f32(2, 3), 5 | i64(2), 2.7 | f32(2), t(3.0) | b8(3), True
zero zeros_like ones_like  f32(2, 3) | i64(3, 2).t() | b8(2)
bernoulli  f32(4, lo=0, hi=1)
is_floating_point is_signed is_conj is_neg is_nonzero  f32(1) | i64(1) | u8(1) | c64(1) | c64(1).conj()
""", in_place=True, out=True)  # fmt: skip

SPECIAL = Family("special", """
special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1  *real(0.2, 5.0) | i64(3, lo=1)
special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0  f32(3, lo=0.2) | f64(2, 2, lo=0.2) | f32(0)
special_modified_bessel_k1 special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1  f32(3, lo=0.2) | f64(2, 2, lo=0.2)
special_spherical_bessel_j0 special_airy_ai  f32(3, lo=0.2) | f64(2, 2, lo=0.2) | f32(4)[::2]
special_i0 special_i0e special_i1 special_i1e special_ndtr special_log_ndtr special_erfcx  *real() | i64(3)
special_entr special_gammaln special_psi special_digamma  *real(0.2, 3.0) | i64(3, lo=1)
special_ndtri  *real(0.1, 0.9)
special_erf special_erfc special_exp2 special_expit special_expm1 special_sinc special_round  *real() | i64(3)
special_erfinv  *real(-0.9, 0.9)
special_log1p  *real(0.1, 2.0)
special_logit  f32(3, lo=0.1, hi=0.9) | f32(3, lo=0, hi=1), eps=0.2
special_xlogy special_xlog1py xlogy  *pairs(0.1, 2.0) | f32(3, lo=0.1), 2 | 2.5, f32(3, lo=0.1)
special_zeta  *pairs(1.5, 4.0) | f32(3, lo=1.5), 2 | 2.0, f64(3, lo=1.5)
special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v  a(3), t([0.0, 1.0, 3.0]) | a(3), 2 | 0.5, t([1.0, 2.0])
special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he  a(3), t([0.0, 1.0, 3.0]) | a(3), 2 | 0.5, t([1.0, 2.0])
special_laguerre_polynomial_l special_legendre_polynomial_p  a(3), t([0.0, 1.0, 3.0]) | a(3), 2 | 0.5, t([1.0, 2.0])
special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u  a(3), t([0.0, 1.0, 3.0]) | a(3), 2 | 0.5, t([1.0, 2.0])
special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w  a(3), t([0.0, 1.0, 3.0]) | a(3), 2 | 0.5, t([1.0, 2.0])
special_gammainc special_gammaincc igamma igammac  f32(3, lo=0.2), f32(3, lo=0.2) | f64(2, 1, lo=0.2, grad=False), f64(3, lo=0.2)
special_logsumexp  f32(2, 3), 1 | f32(2, 3), (0, 1), True | f64(2, 3), dim=[-1], keepdim=True
special_softmax special_log_softmax  f32(2, 3), 1 | f32(2, 3), dim=0, dtype=T.float64
""", in_place=False, out=True)  # fmt: skip

BINARY = Family("binary", """
add sub mul  *pairs() | *whole_pairs() | f32(3), 2 | i64(3), 2.5 | c64(3), c64(3) | f32(2), c128(2, 1) | f32(3), True
add sub  f32(3), f32(3), alpha=2 | i64(3), i64(3), alpha=-3 | f32(3), 1, alpha=0.5 | f64(2, 3), f64(3), alpha=t(2.0)
subtract multiply  *pairs() | f32(3), 2
subtract rsub  f32(3), f32(3), alpha=2 | f32(3), 1 | i64(2), 3.5, 2
div divide true_divide  *pairs(0.5, 2.0) | *whole_pairs() | f32(3), 2 | i64(3), 2 | c64(3), c64(3)
div divide  f32(4), f32(4, lo=0.3), rounding_mode='floor' | i64(4), 2, rounding_mode='trunc' | f64(4), 0.3, rounding_mode=None
floor_divide remainder fmod  *pairs(0.3, 3.0) | *whole_pairs() | f32(3), 0.7 | i64(3), 2 | i64(3), 2.5
remainder  7, i64(3, lo=1) | 2.5, f32(3, lo=0.2)
maximum minimum fmax fmin max min  *pairs() | *whole_pairs()
atan2 arctan2 hypot copysign logaddexp logaddexp2 nextafter  *pairs(0.2, 3.0)
copysign  f32(3), -1 | f32(3), 2.0 | i64(3), -1.5
ldexp  f32(3), i64(3) | f64(2, 1), f64(3)
heaviside  f32(4), f32(4) | i64(3), i64(3) | t([0.0, 1.0, -1.0]), t(0.5)
gcd lcm  i64(4), i64(4) | i32(2, 1), i64(3) | u8(3), u8(3)
eq ne lt gt le ge less less_equal greater greater_equal not_equal  *pairs() | *whole_pairs() | f32(3), 0 | i64(3), 0.5 | b8(3), True
eq ne  c64(3), c64(3)
isclose  f32(3), f32(3), 0.5, 0.5 | f64(2), f64(2), rtol=1 | t([nan, 1.0]), t([nan, 1.0]), equal_nan=True | i64(3), i64(3)
allclose equal  f32(3), f32(3) | t([1, 2]), t([1, 2]) | f32(0), f32(0)
allclose  t([nan, 1.0]), t([nan, 1.0]), equal_nan=True | f32(3), f32(3), 10.0, 10.0
logical_and logical_or logical_xor  *pairs() | *whole_pairs() | b8(3), b8(2, 1) | c64(2), b8(2)
bitwise_and bitwise_or bitwise_xor  *whole_pairs() | b8(3), b8(2, 1) | i64(3), 6 | 6, i64(3) | b8(3), True
bitwise_left_shift bitwise_right_shift  i64(3, lo=0), i64(3, lo=0) | i32(3, lo=0), 2 | 5, i64(3, lo=0) | u8(3), u8(3, hi=4)
__and__ __or__ __xor__  i64(3), i64(3) | i64(3), 6 | b8(2), b8(2)
__lshift__ __rshift__  i64(3, lo=0), i64(3, lo=0) | i64(3, lo=0), 2
dist  f32(3), f32(3) | f32(2, 3), f32(3), 1 | f64(3), f64(3), p=3.5
cross linalg_cross  f32(2, 3), f32(2, 3) | f64(3, 2), f64(3, 2), dim=0
pow  *pairs(0.2, 2.0) | i64(3, lo=1), i64(3, lo=0) | c64(2), c64(2) | f32(3, lo=0.1), t(2.0)
complex  a(3), a(3) | f64(2, 1, grad=False), f64(3, grad=False) | f32(2), f32(2)
polar  f32(3, lo=0.1), f32(3) | f64(2, lo=0.1), f64(2)
lerp  f32(3), f32(3), 0.3 | f64(2, 3), f64(3), f64(2, 1) | f32(3), f32(3), weight=1
addcmul addcdiv  f32(3), f32(3), f32(3, lo=0.5) | f32(2, 3), f32(3), f32(2, 1, lo=0.5), value=0.5 | f64(3), f64(3), f64(3, lo=0.5), value=2
where  b8(2, 3), f32(2, 3), f32(3) | b8(3), f32(3), 2.0 | b8(3), 1, f64(3) | b8(3), 1.5, 2.5 | b8(3, 1), i64(3), f32(1) | b8(2, 3)
result_type  f32(2), i64(2) | i64(2), 2.5 | f32(), f64(2) | 1, 2.5 | t(1), t(1.0)
can_cast  T.float32, T.int64 | T.int32, T.float64
promote_types  T.float32, T.int64 | T.uint8, T.int8
is_same_size  f32(2, 3), f32(2, 3) | f32(2), f32(3)
""", in_place=True, out=True)  # fmt: skip

FAMILIES = (UNARY, SPECIAL, BINARY)
