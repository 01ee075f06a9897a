"""Views, shapes, joining and splitting; indexing, gathering and scattering."""

from tests.operators.tables import Family

VIEWS = Family("views", """
view reshape  f32(2, 3), (3, 2) | f32(2, 3), -1 | f32(2, 3), 6 | f32(2, 3), 3, 2 | f32(0, 2), (0, 5) | f32(1), () | i64(4), [2, -1]
reshape  f32(2, 3).t(), (2, 3) | f64(4, 6)[::2], (-1,)
view  f32(3), T.int32 | f64(2, 2), dtype=T.int64 | i32(2, 4), T.int64
view_as reshape_as expand_as  f32(1, 3), f32(3, 1).view(1, 3) | f32(2, 2), i64(2, 2)
type_as  f32(3), i64(1) | i64(2), f64(1)
expand broadcast_to  f32(3, 1), (3, 4) | f32(3), (2, 3) | f32(1, 3), (-1, 3) | f32(), (2, 2)
expand  f32(3, 1), 3, 4 | f32(3, 1), -1, 4 | f32(3), (2, 3), implicit=True
permute  f32(2, 3, 4), (2, 0, 1) | f32(2, 3), (-1, 0) | f64(2, 3), dims=[1, 0] | f32(), ()
transpose swapaxes swapdims  f32(2, 3, 4), 0, 2 | f64(2, 3), -1, 0 | f32(3), 0, 0
t numpy_T mT mH matrix_H adjoint  f32(2, 3) | c64(2, 2)
t numpy_T  f32(3) | f32()
movedim moveaxis  f32(2, 3, 4), 0, 2 | f32(2, 3, 4), (0, 1), (2, 0) | f64(2, 3), source=-1, destination=0
squeeze  f32(1, 3, 1) | f32(1, 3, 1), 0 | f32(1, 3, 1), (0, 2) | f32(1, 3), dim=-2 | f32(2, 3), 0
unsqueeze  f32(2, 3), 0 | f32(2, 3), -1 | f32(), dim=0
flatten  f32(2, 3, 4) | f32(2, 3, 4), 1 | f32(2, 3, 4), start_dim=0, end_dim=1 | f32(2, 3).t() | f32()
unflatten  f32(6, 2), 0, (2, 3) | f32(2, 6), -1, [3, -1] | f64(2, 6), dim=1, sizes=(2, 3)
ravel contiguous clone detach alias  f32(2, 3) | f32(2, 3).t() | i64() | f32(0)
contiguous clone  f32(2, 3, 2, 2), memory_format=T.channels_last | f32(2, 3).t(), memory_format=T.contiguous_format
select  f32(2, 3), 0, 1 | f32(2, 3), -1, -2 | f64(2, 3, 4), dim=1, index=0
narrow  f32(4, 3), 0, 1, 2 | f32(4, 3), 1, -2, 1 | f32(4), dim=0, start=t(1), length=2
slice  f32(5) | f32(5), 0, 1, 4 | f32(5, 2), 0, None, -1, 2 | f32(2, 5), dim=1, start=2
diagonal linalg_diagonal  f32(3, 4) | f32(3, 4), offset=1 | f64(2, 3, 4), offset=-1, dim1=1, dim2=2
diagonal  f32(3, 4), 1 | f32(2, 3, 4), 0, 0, 2
diag  f32(3) | f32(3, 3) | f32(2, 3), 1 | i64(3), diagonal=-1
diag_embed diagflat  f32(3) | f32(2, 3), 1 | f64(3), offset=-1
diag_embed  f32(2, 3), 1, 0, 2 | f32(2, 3), dim1=0, dim2=1
unfold  f32(6), 0, 3, 2 | f32(2, 5), -1, 2, 1 | f64(5), dimension=0, size=2, step=2
as_strided  f32(6), (2, 2), (1, 2) | f32(6), (2, 2), (3, 1), 1 | f32(6), size=(3,), stride=(2,), storage_offset=0
real imag  c64(3) | c128(2, 2).t()
view_as_complex  f32(3, 2) | f64(2, 3, 2)
view_as_real  c64(3) | c128(2, 2)
unbind  f32(2, 3) | f32(2, 3), 1 | f64(2, 3), dim=-1
split unsafe_split  f32(5, 2), 2 | f32(5, 2), 3, 0 | f32(2, 5), 2, dim=1
split split_with_sizes unsafe_split_with_sizes  f32(5, 2), (2, 3) | f32(2, 5), [1, 4], 1 | f32(2, 5), (5, 0), dim=-1
chunk unsafe_chunk  f32(5), 2 | f32(2, 5), 3, 1 | f32(2, 5), chunks=2, dim=-1
tensor_split  f32(5), 3 | f32(5), (1, 3) | f32(2, 5), 2, 1 | f32(5), indices=[2], dim=0 | f32(5), t([1, 4]) | f32(5), t(2)
hsplit dsplit vsplit  f32(4, 4, 4), 2 | f32(4, 4, 4), (1, 3)
atleast_1d atleast_2d atleast_3d  f32() | f32(3) | f32(2, 3) | f32(2, 3, 4) | (f32(), f32(3)) | [f32(2, 3)]
broadcast_tensors  (f32(3, 1), f32(4)) | [f32(2), f32()]
meshgrid  (f32(2), f32(3)) | [f32(2), f32(3)], indexing='xy' | (i64(2), i64(2)), indexing='ij'
pixel_shuffle  f32(1, 4, 2, 2), 2 | f64(4, 2, 2), upscale_factor=2
pixel_unshuffle  f32(1, 1, 4, 4), 2 | f64(1, 4, 4), downscale_factor=2
channel_shuffle native_channel_shuffle  f32(1, 4, 2, 2), 2 | f64(2, 6, 2), groups=3
view_copy  f32(2, 3), (3, 2) | f32(3), T.int32
permute_copy  f32(2, 3), (1, 0)
expand_copy  f32(3, 1), (3, 2) | f32(3), (2, 3), implicit=False
diagonal_copy  f32(3, 3) | f32(3, 4), offset=1
select_copy  f32(2, 3), 0, 1
slice_copy  f32(5), 0, 1, 4
transpose_copy  f32(2, 3), 0, 1
t_copy detach_copy alias_copy  f32(2, 3)
squeeze_copy  f32(1, 3) | f32(1, 3), 0 | f32(1, 3, 1), (0, 2)
unsqueeze_copy  f32(3), 0
unbind_copy  f32(2, 3) | f32(2, 3), 1
split_copy  f32(5), 2
split_with_sizes_copy  f32(5), (2, 3)
unfold_copy  f32(6), 0, 3, 2
as_strided_copy  f32(6), (2, 2), (1, 2)
view_as_real_copy  c64(3)
view_as_complex_copy  f32(3, 2)
numel dim is_contiguous storage_offset  f32(2, 3) | f32(2, 3).t() | f32(4)[1:]
size stride  f32(2, 3), 1 | f32(2, 3), -1
is_contiguous  f32(1, 2, 3, 4), memory_format=T.channels_last
is_set_to  f32(2), f32(2)
is_leaf is_inference retains_grad output_nr  f32(2) | i64(2)
""", in_place=True)  # fmt: skip

JOINING = Family("joining", """
cat concat concatenate  (f32(2, 3), f32(1, 3)) | [f32(2, 3), f32(2, 1)], 1 | [f32(2), i64(1)] | (f32(2, 3), f64(2, 3).t().t()), dim=-1 | [f32(0), f32(2, 2)]
stack  (f32(2), f32(2)) | [f32(2, 3), f64(2, 3)], 1 | [i64(2), i64(2)], dim=-1
hstack vstack dstack column_stack row_stack  (f32(2), f32(2)) | [f32(2, 3), f32(2, 3)] | (f32(), f32())
block_diag  (f32(2, 2), f32(1, 3)) | [f32(2), f64(1, 1)]
flip  f32(2, 3), 0 | f32(2, 3), (0, 1) | f64(2, 3), dims=[-1]
fliplr flipud  f32(2, 3) | i64(3, 2).t()
roll  f32(5), 2 | f32(2, 3), 1, 0 | f32(2, 3), (1, -1), (0, 1) | f64(2, 3), shifts=1 | f32(2, 3), 1, dims=1
rot90  f32(2, 3) | f32(2, 3), 2 | f32(2, 3, 2), 1, (1, 2) | f64(2, 3), k=-1, dims=[0, 1]
repeat  f32(2, 3), (2, 1) | f32(2), 3 | f32(2), 2, 2 | f64(2), repeats=[2, 3] | f32(), ()
tile  f32(2, 3), (2,) | f32(2), (2, 2) | f64(2), dims=[3]
repeat_interleave  f32(3), 2 | f32(2, 3), 2, 1 | f32(3), t([1, 0, 2]) | f32(2, 3), t([1, 2]), dim=0 | t([2, 0, 1]) | f32(3), t([1, 1, 1]), output_size=3
kron  f32(2, 2), f32(1, 3) | f64(2), f64(2) | f32(2, 1, 2), f32(2)
tril triu  f32(3, 4) | f32(3, 4), 1 | f64(2, 3, 3), diagonal=-1 | i64(2, 2)
tril_indices triu_indices  3, 4 | 3, 4, 1 | 2, 3, offset=-1, dtype=T.int32
cartesian_prod  (t([1, 2]), t([3, 4])) | [f32(2)]
combinations  f32(4) | f32(3), 2 | i64(4), r=3, with_replacement=True
pad_sequence  [f32(2, 3), f32(1, 3)] | [f32(2), f32(3)], True, 0.5 | [f32(2), f32(3)], batch_first=True, padding_value=-1, padding_side='left'
flatten_dense_tensors  [f32(2, 2), f32(3)]
unflatten_dense_tensors  f32(7), [f32(2, 2), f32(3)]
""", out=True)  # fmt: skip

INDEXING = Family("indexing", """
index_select  f32(3, 4), 0, t([2, 0]) | f64(3, 4).t(), dim=-1, index=t([0]) | f32(3), 0, t([], dtype=T.int64) | f32(3, 4), 1, t([1, 1], dtype=T.int32) | i64(3), 0, t(1)
gather  f32(2, 3), 1, t([[0, 2], [1, 1]]) | f64(3, 2), 0, t([[0, 1]]) | f32(2, 3), dim=-1, index=t([[0]]), sparse_grad=False | f32(), 0, t(0)
take  f32(2, 3), t([0, 5, -1]) | i64(4), t([[1, 2]]) | f32(3), index=t(0)
take_along_dim  f32(2, 3), t([[0], [2]]), 1 | f32(2, 3), t([5, 0]) | f64(2, 3), t([[1, 0, 0]]), dim=0
masked_select  f32(2, 3), b8(2, 3) | f32(2, 3), b8(3) | i64(3), t([False, False, False])
masked_fill  f32(2, 3), b8(3), 1.5 | i64(3), b8(3), 2 | f32(3), b8(3), t(4.0) | f32(2, 3).t(), b8(3, 1), value=-inf
masked_scatter  f32(2, 3), b8(2, 3), f32(6) | i64(3), b8(3), i64(3)
scatter  f32(2, 3), 1, t([[0], [2]]), f32(2, 1) | f32(2, 3), 0, t([[1, 0, 1]]), 5.0 | f32(2, 3), 1, t([[0], [2]]), a(2, 1), reduce='add' |
  f32(2, 3), 1, t([[0], [2]]), 2, reduce='multiply' | i64(3), dim=0, index=t([1]), src=t([9]) | i64(3), dim=0, index=t([1]), value=7
scatter_add  f32(2, 3), 1, t([[0, 0], [2, 1]]), f32(2, 2) | f64(3), dim=0, index=t([1, 1]), src=f64(2)
scatter_reduce  f32(3), 0, t([0, 0, 1]), f32(3), 'sum' | f32(3), 0, t([0, 0, 1]), f32(3), 'prod', include_self=False | f64(3), 0, t([0, 2, 2]), f64(3), reduce='mean' | f32(3), 0, t([0, 0, 1]), f32(3), 'amax'
index_add  f32(3, 2), 0, t([0, 2]), f32(2, 2) | f64(3, 2), 1, t([1]), f64(3, 1), alpha=2 | i64(3), dim=0, index=t([0, 0]), source=t([1, 2])
index_copy  f32(3, 2), 0, t([0, 2]), f32(2, 2) | f64(2, 3), dim=1, index=t([1]), source=f64(2, 1)
index_fill  f32(3, 2), 0, t([0, 2]), 5 | f64(2, 3), 1, t([1]), 2.5 | f32(3), 0, t([1]), t(7.0) | i64(3), dim=0, index=t([1]), value=3
index_reduce  f32(3, 2), 0, t([0, 2]), f32(2, 2), 'prod' | f64(3), 0, t([1, 1]), f64(2), reduce='mean', include_self=False | f32(3), 0, t([1]), f32(1), 'amin'
index_put  f32(3, 2), [t([0, 2])], f32(2, 2) | f32(3, 2), (t([0, 2]), t([1, 1])), f32(2), True | f32(3, 2), [b8(3)], t(1.0) | i64(2, 3), [None, t([0])], t(9), accumulate=False
put  f32(2, 3), t([0, 5]), f32(2) | f64(3), t([0, 0]), f64(2), accumulate=True
select_scatter  f32(2, 3), f32(3), 0, 1 | f64(2, 3), f64(2), dim=1, index=-1
slice_scatter  f32(5), f32(2), 0, 1, 3 | f64(2, 5), f64(2, 2), dim=1, start=1, end=5, step=2 | f32(3), f32(3)
diagonal_scatter  f32(3, 3), f32(3) | f32(3, 4), f32(3), 1 | f64(2, 3, 3), f64(2, 3), offset=0, dim1=1, dim2=2
as_strided_scatter  f32(6), f32(2, 2), (2, 2), (2, 1) | f32(6), f32(2), (2,), (2,), 1
nonzero argwhere  i64(2, 3) | b8(4) | f32(2, 2) | i64(0) | t(1)
nonzero_numpy  i64(2, 3) | b8(4)
nonzero_static  i64(2, 3), size=4 | b8(4), size=5, fill_value=-7
index  f32(3, 4), [t([0, 2])] | f32(3, 4), (t([0, 2]), t([1, 1])) | f32(3, 4), [b8(3)] | f32(3, 4), [None, t([[0], [1]])] | f64(2, 3), [b8(2, 3)]
embedding  f32(5, 3), t([0, 4, 4]) | f64(5, 2), t([[1, 2]]), 1 | f32(5, 3), t([0, 1, 1]), padding_idx=0, scale_grad_by_freq=True | f32(5, 3), t(2)
one_hot  t([0, 2, 1]) | t([0, 2]), 4 | t([[1]]), num_classes=3
searchsorted  t([1.0, 2.0, 3.0]), t([0.5, 2.0, 9.0]) | t([1, 3, 5]), 3 | t([1, 3, 5]), t([3]), right=True | t([1, 3, 5]), t([1, 5]), out_int32=True, side='right' | t([5, 1, 3]), t([3]), sorter=t([1, 2, 0])
bucketize  t([0.5, 2.0]), t([1.0, 2.0]) | 2, t([1, 2, 3]) | t([2]), t([1, 2, 3]), right=True | 1.5, t([1.0, 2.0]), out_int32=True
isin  t([1, 2, 3]), t([2, 5]) | 2, t([1, 2]) | t([1, 2]), 2 | t([1, 2]), t([2]), invert=True, assume_unique=True
""", in_place=True, out=True)  # fmt: skip

FAMILIES = (VIEWS, JOINING, INDEXING)
