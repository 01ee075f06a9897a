"""Reductions, statistics, sorting, cumulation, matrices, linear algebra, Fourier transforms."""

from tests.operators.compare import Closeness
from tests.operators.tables import Family

REDUCTIONS = Family("reductions", """
sum nansum mean nanmean  f32(2, 3) | f64(2, 3), 0 | f32(2, 3).t(), (0, 1), True | f32(2, 3), dim=-1, keepdim=True | f32(2, 3), dtype=T.float64 | f32(0, 3), 0 | f32() | f16(4) | bf16(2, 3), 1 | f32(2, 3), None | f32(2, 3), dim=None, keepdim=True
sum prod  i64(2, 3) | i32(4) | u8(3) | b8(4) | i64(2, 3), 0 | i64(3), dtype=T.float32
sum mean  c64(3) | c64(2, 3), 1
prod  f32(2, 3) | f64(2, 3), 0 | f32(2, 3), dim=-1, keepdim=True | f32(2, 3), dtype=T.float64 | f32(0)
amax amin  f32(2, 3) | f32(2, 3), 0 | f64(2, 3), (0, 1) | f32(2, 3).t(), dim=[-1], keepdim=True | i64(3)
max min median nanmedian  f32(2, 3) | i64(4) | f64(2, 3), 0 | f32(2, 3), dim=-1, keepdim=True | f32(5).flip(0)
argmax argmin  f32(2, 3) | f32(2, 3), 0 | i64(4), dim=0, keepdim=True | f32(2, 3), None, False
aminmax  f32(2, 3) | f32(2, 3), dim=0 | f64(2, 3), dim=1, keepdim=True
mode  i64(2, 4) | i64(2, 4), 0 | f32(3), dim=0, keepdim=True
kthvalue  f32(5), 2 | f64(2, 3), 1, 0 | f32(2, 3), k=2, dim=-1, keepdim=True
std var  f32(2, 3) | f64(2, 3), 0 | f32(2, 3), False | f32(2, 3), (0, 1), True | f32(2, 3), 1, False, True | f32(2, 3), dim=1, correction=0 | f32(2, 3), dim=None, correction=2 | f32(2, 3), correction=0.5 | c64(3)
std_mean var_mean  f32(2, 3) | f64(2, 3), 0 | f32(2, 3), (0, 1), True | f32(2, 3), dim=1, correction=0, keepdim=True
norm  f32(3) | f32(2, 3), 1 | f32(2, 3), 2, 0 | f32(2, 3), p=3, dim=(0, 1), keepdim=True | f64(3), p=inf, dim=0 | f32(3), 2, 0, dtype=T.float64 | f32(2, 3), 'fro'
norm  f32(2, 3), None, 1 | f32(2, 3), 2, dtype=T.float64
frobenius_norm  f32(2, 3), 1 | f32(2, 3), (0, 1), True
nuclear_norm  f64(2, 3) | f64(2, 2, 3), (1, 2) | f64(2, 3), keepdim=True
logsumexp  f32(2, 3), 0 | f64(2, 3), (0, 1) | f32(2, 3), dim=[-1], keepdim=True | f32(0, 3), 0
all any  b8(4) | i64(2, 3) | b8(2, 3), 0 | b8(2, 3), dim=-1, keepdim=True | f32(3) | b8(2, 3), (0, 1) | b8(0) | b8(2, 3), dim=None
count_nonzero  i64(2, 3) | f32(2, 3), 0 | b8(2, 3), (0, 1) | i64(3), dim=None
cumsum cumprod logcumsumexp  f32(2, 3), 0 | f64(3), dim=-1 | f32(2, 3).t(), 1 | f32(), 0
cumsum cumprod  i64(3), 0 | i64(2, 3), dim=1, dtype=T.float64 | b8(3), 0
cummax cummin  f32(2, 3), 0 | i64(4), dim=-1
diff  f32(5) | f32(2, 3), 1, 0 | f64(5), n=2 | f32(3), prepend=a(1), append=a(2) | i64(4) | f32(3), 1, -1, f32(2), None
trapezoid trapz  f32(4) | f32(4), f32(4) | f32(2, 3), dx=0.5 | f64(2, 3), f64(2, 3), dim=0
cumulative_trapezoid  f32(4) | f32(4), f32(4) | f32(2, 3), dx=0.5, dim=0
quantile nanquantile  f32(5), 0.5 | f64(5), t([0.2, 0.9], dtype=T.float64) | f32(2, 3), 0.3, 1 | f32(2, 3), 0.3, dim=0, keepdim=True, interpolation='lower'
histc  f32(9) | f32(9), 4 | f64(9), 3, -1, 1 | f32(9), bins=2, min=0, max=2
histogram  a(9), 3 | a(9), t([-1.0, 0.0, 1.0]) | a(9), 2, range=(-1.0, 1.0) | a(4), 2, weight=a(4), density=True
bincount  t([0, 2, 2]) | t([0, 2, 2]), a(3) | t([1]), minlength=4 | t([], dtype=T.int64)
unique_consecutive  t([1, 1, 2, 1]) | t([1, 1, 2]), True, True | t([[1, 1], [1, 1]]), return_counts=True, dim=0
unique_dim  t([[1, 2], [1, 2], [0, 1]]), 0 | t([[1, 2], [1, 2]]), 0, True, True, True
_unique2  t([3, 1, 3]) | t([3, 1, 3]), True, True, True | a(4), sorted=True, return_inverse=True
sort  f32(5) | f32(2, 3), 0 | i64(4), -1, True | f32(2, 3), stable=True, dim=1, descending=True | b8(4) | f32(2, 3).t(), dim=0 | f32(0)
argsort  f32(5) | f32(2, 3), 0 | i64(4), dim=-1, descending=True | f32(2, 3), stable=True
msort  f32(5) | i64(2, 3)
topk  f32(5), 2 | f32(2, 3), 1, 0 | i64(5), 3, largest=False | f64(5), k=2, dim=-1, largest=True, sorted=True
renorm  f32(2, 3), 2, 0, 1.0 | f64(2, 3), p=1, dim=1, maxnorm=0.5
softmax log_softmax  f32(2, 3), 1 | f64(2, 3), dim=0 | f32(2, 3), -1, dtype=T.float64 | f16(4), 0 | f32(0, 3), 1 | bf16(2, 3).t(), -1
cov corrcoef  f64(3, 4)
cov  f64(3, 4), correction=0 | f64(3, 4), fweights=t([1, 2, 1, 1]) | f64(3, 4), aweights=f64(4, lo=0.5, grad=False)
gradient  f64(5) | f64(5), spacing=2.0 | f64(4, 4), dim=0 | f64(5), spacing=(f64(5, grad=False).sort()[0],) | f64(4, 5), spacing=0.5, dim=(0, 1), edge_order=2
hash_tensor  f32(3) | i64(2, 3)
segment_reduce  f32(4), 'sum', lengths=t([2, 2]) | f32(4, 2), 'max', lengths=t([1, 3]), axis=0 | f64(4), 'mean', offsets=t([0, 1, 4])
linalg__powsum  f32(3), 2 | f32(2, 3), 2, 0
sum_to_size  f32(2, 3), (1, 3) | f32(2, 3), 1, 3 | f32(2, 3), (3,)
vander linalg_vander  f64(3)
vander  t([1, 2, 3]), 2, True | f64(3), N=4, increasing=False
linalg_vander  f64(2, 3), N=2
nanmean  t([1.0, nan, 3.0]) | t([[1.0, nan], [2.0, 3.0]]), 0
""", out=True, close=Closeness(1e-6, 1e-7))  # fmt: skip

MATRICES = Family("matrices", """
matmul linalg_matmul  f32(2, 3), f32(3, 4) | f32(3), f32(3) | f32(2, 3), f32(3) | f32(3), f32(3, 2) | f64(2, 1, 2, 3), f64(4, 3, 2) | f32(3, 2).t(), f32(4, 3).t() | f32(0, 3), f32(3, 2) | i64(2, 3), i64(3, 2) | c64(2, 3), c64(3, 2) | bf16(2, 3), bf16(3, 2)
mm  f32(2, 3), f32(3, 4) | f64(3, 2).t(), f64(3, 2) | i64(2, 2), i64(2, 2) | f16(2, 3), f16(3, 2)
mv  f32(2, 3), f32(3) | f64(3, 2).t(), f64(3)
dot inner vdot linalg_vecdot  f32(3), f32(3) | f64(4)[::2], f64(2) | c64(3), c64(3)
dot  i64(3), i64(3)
inner  f32(2, 3), f32(4, 3)
linalg_vecdot  f32(2, 3), f32(2, 3) | f64(3, 2), f64(3, 2), dim=0
outer ger  f32(2), f32(3) | f64(4)[::2], f64(1)
bmm  f32(2, 2, 3), f32(2, 3, 2) | f64(0, 2, 3), f64(0, 3, 2)
addmm  f32(2, 4), f32(2, 3), f32(3, 4) | f32(4), f32(2, 3), f32(3, 4), beta=0.5, alpha=2 | f64(2, 2), f64(2, 2), f64(2, 2), alpha=0 | i64(2, 2), i64(2, 2), i64(2, 2), beta=2
addmv  f32(2), f32(2, 3), f32(3) | f64(2), f64(2, 3), f64(3), beta=2, alpha=0.5
addr  f32(2, 3), f32(2), f32(3) | f64(2, 3), f64(2), f64(3), beta=0.5, alpha=3
addbmm baddbmm  f32(2, 2, 2)[0], f32(2, 2, 3), f32(2, 3, 2) | f64(2, 2), f64(3, 2, 3), f64(3, 3, 2), beta=0.5, alpha=2
chain_matmul linalg_multi_dot  [f64(2, 3), f64(3, 4), f64(4, 2)] | (f32(2, 3), f32(3, 2))
tensordot  f32(2, 3), f32(3, 2), [1], [0] | f64(2, 3, 4), f64(4, 3, 2), [1, 2], [1, 0] | f32(2), f32(2), dims_self=[], dims_other=[]
einsum  'ij,jk->ik', [f64(2, 3), f64(3, 2)] | 'ii', [f64(3, 3)] | 'bij,bjk->bik', (f32(2, 2, 3), f32(2, 3, 2)) | '...i->...', [f32(2, 3)]
matrix_power linalg_matrix_power  f64(3, 3), 2 | f64(2, 2, 2), n=0 | f64(3, 3), 3
matrix_exp linalg_matrix_exp  f64(3, 3) | f32(2, 2, 2)
trace  f32(3, 3) | f64(2, 3) | i64(2, 2)
linear  f32(2, 3), f32(4, 3) | f64(2, 3), f64(4, 3), f64(4) | f32(3), f32(4, 3), bias=f32(4) | f32(2, 2, 3), f32(4, 3), None
bilinear  f32(2, 3), f32(2, 4), f32(5, 3, 4) | f64(2, 3), f64(2, 4), f64(5, 3, 4), f64(5)
cdist  f32(3, 2), f32(4, 2) | f64(2, 3, 2), f64(2, 2, 2), 1.0 | f32(3, 2), f32(4, 2), p=inf | f32(3, 2), f32(4, 2), compute_mode=2
pdist  f32(4, 3) | f64(4, 3), 1.0
cosine_similarity pairwise_distance  f32(2, 3), f32(2, 3) | f64(3), f64(3), 0 | f32(2, 3), f32(3), eps=1e-3
""", out=True, close=Closeness(1e-5, 1e-6))  # fmt: skip

LINALG = Family("linalg", """
linalg_det det logdet linalg_slogdet slogdet  spd(3) | f64(3, 3).matmul(f64(3, 3)).detach() | f64(2, 2, 2, lo=1)
linalg_inv inverse  spd(3) | f32(2, 2, lo=1)
linalg_inv_ex linalg_cholesky_ex  spd(3) | spd(2), check_errors=True
linalg_cholesky  spd(3) | spd(2), upper=True
cholesky  spd(3) | spd(2), True
cholesky_inverse  spd(3).detach().tril() | spd(3).detach().triu(), True
cholesky_solve  f64(3, 2), spd(3).detach().tril() | f64(3, 1), spd(3).detach().triu(), upper=True
linalg_solve  spd(3), f64(3) | spd(3), f64(3, 2) | spd(2), f64(3, 2), left=False
linalg_solve_ex  spd(3), f64(3) | spd(2), f64(2, 2), check_errors=True
linalg_solve_triangular  f64(3, 3, lo=1).tril(), f64(3, 2), upper=False | f64(2, 2, lo=1).triu(), f64(3, 2), upper=True, left=False, unitriangular=True
triangular_solve  f64(3, 2), f64(3, 3, lo=1).triu() | f64(3, 2), f64(3, 3, lo=1), upper=False, transpose=True
linalg_qr qr  f64(3, 2) | f64(2, 3)
linalg_qr  f64(3, 2), 'complete' | f64(3, 2), mode='r'
qr  f64(3, 2), False
linalg_eigh  spd(3) | spd(2), 'U'
linalg_eigvalsh  spd(3) | spd(2), UPLO='U'
linalg_eig linalg_eigvals  spd(3).detach()
linalg_svd  f64(3, 2).detach() | f64(3, 2).detach(), False | f64(2, 2).detach(), full_matrices=True, driver=None
svd  f64(3, 2).detach() | f64(3, 2).detach(), True, False
linalg_svdvals  f64(3, 2) | f64(2, 3), driver=None
linalg_lu  spd(3) | f64(3, 2), pivot=True
linalg_lu_factor linalg_lu_factor_ex  spd(3) | f64(3, 3), pivot=True
linalg_lu_solve  spd(3).detach(), t([1, 2, 3], dtype=T.int32), f64(3, 2) | spd(3).detach(), t([1, 2, 3], dtype=T.int32), f64(3, 2), left=True, adjoint=True
lu_unpack  spd(3), t([1, 3, 3], dtype=T.int32) | spd(2), t([2, 2], dtype=T.int32), unpack_data=True, unpack_pivots=False
lu_solve  f64(3, 2), spd(3).detach(), t([1, 2, 3], dtype=T.int32)
linalg_ldl_factor linalg_ldl_factor_ex  spd(3).detach() | spd(2).detach(), hermitian=True
linalg_ldl_solve  spd(3).detach(), t([1, 2, 3], dtype=T.int32), f64(3, 1, grad=False)
linalg_lstsq  f64(3, 2), f64(3, 1) | f64(3, 2), f64(3, 1), rcond=None, driver='gelsd' | f64(3, 2).detach(), f64(3, 2).detach(), driver='gelsy'
linalg_pinv pinverse  f64(3, 2) | f64(2, 2)
linalg_pinv  f64(3, 2), 0.1 | spd(3), hermitian=True | spd(2), rtol=1e-3, atol=0.0
linalg_matrix_rank  f64(3, 2) | f64(2, 2), 0.1 | spd(2), hermitian=True | f64(2, 2), tol=0.5, hermitian=False | f64(2, 2), rtol=0.1
linalg_cond  spd(3) | spd(2), 1 | spd(2), 'fro' | spd(2), p=-2
linalg_norm  f64(3) | f64(2, 3) | f64(3), 1 | f64(2, 3), 'nuc' | f64(2, 3), inf, (0, 1), True | f64(3), ord=3, dim=0, keepdim=True | f32(3), dtype=T.float64 | f64(2, 3), None, 0
linalg_vector_norm  f32(3) | f64(2, 3), 1 | f64(2, 3), inf, 0 | f32(2, 3), 0.5, dim=(0, 1), keepdim=True | f32(3), dtype=T.float64
linalg_matrix_norm  f64(2, 3) | f64(2, 3), 'nuc' | f64(2, 3), 1 | f64(2, 3), ord=-inf, dim=(0, 1), keepdim=True | f32(2, 3), 2, dtype=T.float64
linalg_householder_product orgqr  f64(3, 2), f64(2)
ormqr  f64(3, 2), f64(2), f64(3, 2) | f64(3, 2), f64(2), f64(2, 3), left=False, transpose=True
geqrf  f64(3, 2).detach()
linalg_tensorinv  f64(2, 2, 4), 2 | f64(4, 2, 2), ind=1
linalg_tensorsolve  f64(2, 2, 4), f64(2, 2) | f64(2, 4, 2), f64(2, 2), dims=(1,)
""", out=True, forms=1, close=Closeness(1e-5, 1e-7))  # fmt: skip

FFT = Family("fft", """
fft_fft fft_ifft  f32(5) | f64(2, 4), 3 | c64(4), None, 0, 'ortho' | c64(2, 4), n=6, dim=-1, norm='forward' | f32(4)[::2]
fft_rfft fft_ihfft  f32(5) | f64(2, 4), 3 | f32(4), norm='ortho' | f64(2, 4), n=6, dim=0, norm='backward'
fft_irfft fft_hfft  c64(4) | c64(2, 4), 5 | c128(4), norm='ortho' | c64(2, 4), n=6, dim=0
fft_fft2 fft_ifft2 fft_fftn fft_ifftn  f32(3, 4) | c64(2, 3, 4) | c64(3, 4), (2, 2) | c64(3, 4), s=(4, 4), dim=(0, 1), norm='ortho' | f64(3, 4), dim=(-1, -2)
fft_rfft2 fft_rfftn fft_ihfft2 fft_ihfftn  f32(3, 4) | f64(2, 3, 4), (2, 2), (0, 1) | f32(3, 4), norm='ortho'
fft_irfft2 fft_irfftn fft_hfft2 fft_hfftn  c64(3, 4) | c128(2, 3, 4), (2, 3), (0, 1) | c64(3, 4), s=(3, 5), norm='forward'
fft_fftshift fft_ifftshift  f32(5) | f64(2, 3), 1 | f32(2, 3), dim=(0, 1)
fft_fftfreq fft_rfftfreq  5 | 4, 0.5 | 6, d=2, dtype=T.float64
stft  f32(32), 8, return_complex=True | f64(2, 32), 8, 4, return_complex=True | f32(32), n_fft=8, hop_length=2, win_length=6, window=a(6), normalized=True, onesided=True, return_complex=True
istft  c64(5, 9), 8, window=T.ones(8) | c128(5, 9), 8, 2, window=T.ones(8, dtype=T.float64), center=True, length=12
""", out=True, forms=1, close=Closeness(1e-5, 1e-6))  # fmt: skip

FAMILIES = (REDUCTIONS, MATRICES, LINALG, FFT)
