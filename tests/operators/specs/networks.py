"""What neural networks are made of: convolution, pooling, norms, losses, attention, resizing."""

from tests.operators.compare import Closeness
from tests.operators.tables import Family

CONVOLUTION = Family("convolution", """
conv1d  f32(1, 2, 6), f32(3, 2, 3) | f64(2, 2, 6), f64(4, 1, 3), f64(4), 2, 1, 1, 2 | f32(2, 6), f32(3, 2, 3) | f32(1, 2, 6), f32(3, 2, 3), padding='same' | f32(1, 2, 6), f32(3, 2, 3), bias=None, stride=(2,), padding=[1], dilation=2
conv2d  f32(1, 2, 5, 5), f32(3, 2, 3, 3) | f64(1, 2, 5, 5), f64(2, 1, 3, 3), f64(2), (2, 1), (1, 0), 1, 2 | f32(1, 2, 5, 5), f32(3, 2, 2, 2), padding='valid' | f32(1, 1, 5, 5), f32(1, 1, 3, 3), None, 1, 'same' | f32(1, 2, 4, 4).to(memory_format=T.channels_last).detach(), f32(3, 2, 3, 3), padding=1 | f32(1, 2, 5, 5), f32(3, 2, 3, 3), stride=2, dilation=1, groups=1
conv3d  f32(1, 1, 3, 3, 3), f32(2, 1, 2, 2, 2) | f64(1, 1, 3, 3, 3), f64(1, 1, 2, 2, 2), f64(1), stride=1, padding=(1, 0, 0)
conv_transpose1d  f32(1, 2, 4), f32(2, 3, 3) | f64(1, 2, 4), f64(2, 1, 3), f64(2), 2, 1, 1, 2, 1
conv_transpose2d  f32(1, 2, 3, 3), f32(2, 3, 2, 2) | f64(1, 2, 3, 3), f64(2, 3, 2, 2), bias=f64(3), stride=2, padding=1, output_padding=(1, 1), dilation=1
conv_transpose3d  f32(1, 1, 2, 2, 2), f32(1, 2, 2, 2, 2)
conv_tbc  f32(5, 1, 2), f32(3, 2, 3), f32(3) | f64(5, 2, 2), f64(2, 2, 3), f64(3), 1
convolution  f32(1, 2, 4, 4), f32(3, 2, 3, 3), f32(3), (1, 1), (0, 0), (1, 1), False, (0, 0), 1
convolution_overrideable  f32(1), f32(1), None, (1,), (0,), (1,), False, (0,), 1
conv_depthwise3d  f32(1, 2, 3, 3, 3), f32(2, 1, 2, 2, 2), (2, 2, 2), None, (1, 1, 1), (0, 0, 0), (1, 1, 1)
slow_conv3d  f32(1, 1, 3, 3, 3), f32(2, 1, 2, 2, 2), (2, 2, 2) | f32(1, 1, 3, 3, 3), f32(1, 1, 2, 2, 2), kernel_size=2, bias=f32(1), stride=1, padding=1
slow_conv_dilated2d  f32(1, 1, 5, 5), f32(2, 1, 2, 2), (2, 2), dilation=2
slow_conv_dilated3d  f32(1, 1, 4, 4, 4), f32(2, 1, 2, 2, 2), (2, 2, 2)
slow_conv_transpose2d  f32(1, 2, 3, 3), f32(2, 3, 2, 2), (2, 2)
slow_conv_transpose3d  f32(1, 1, 2, 2, 2), f32(1, 2, 2, 2, 2), (2, 2, 2)
thnn_conv2d  f32(1, 2, 4, 4), f32(3, 2, 3, 3), (3, 3) | f64(1, 2, 4, 4), f64(3, 2, 3, 3), kernel_size=3, bias=f64(3), stride=1, padding=1
im2col  f32(1, 2, 4, 4), (2, 2), (1, 1), (0, 0), (1, 1) | f64(1, 1, 4, 4), kernel_size=2, dilation=1, padding=1, stride=2
col2im  f32(1, 8, 9), (4, 4), (2, 2), (1, 1), (0, 0), (1, 1)
unfold  f32(1, 2, 5), 2, 3, 1
""", close=Closeness(1e-5, 1e-6))  # fmt: skip

POOLING = Family("pooling", """
avg_pool1d  f32(1, 2, 6), 2 | f64(2, 6), (3,), (1,), 1, True, False | f32(1, 1, 6), kernel_size=2, stride=1
avg_pool2d  f32(1, 2, 4, 4), 2 | f64(1, 4, 4), (2, 3), 1, (1, 1), False, True | f32(1, 1, 5, 5), kernel_size=3, stride=2, ceil_mode=True, count_include_pad=False, divisor_override=2
avg_pool3d  f32(1, 1, 4, 4, 4), 2 | f64(1, 2, 2, 2), (2, 1, 1), stride=1, padding=0
max_pool1d max_pool1d_with_indices  f32(1, 2, 6), 2 | f64(2, 6), (3,), (1,), 1, 1, True | f32(1, 1, 6), kernel_size=2, dilation=2, stride=1
max_pool2d max_pool2d_with_indices  f32(1, 2, 4, 4), 2 | f64(1, 4, 4), (2, 3), 1, (1, 1) | f32(1, 1, 5, 5), kernel_size=2, stride=(2, 1), dilation=1, ceil_mode=True | f32(1, 2, 4, 4), 2, None
max_pool3d max_pool3d_with_indices  f32(1, 1, 4, 4, 4), 2 | f64(1, 2, 2, 2), (2, 1, 1), stride=1
adaptive_avg_pool1d adaptive_max_pool1d  f32(1, 2, 6), 3 | f64(2, 5), (2,)
adaptive_avg_pool2d adaptive_max_pool2d  f32(1, 2, 4, 4), (2, 3) | f64(2, 5, 5), output_size=2
adaptive_avg_pool3d adaptive_max_pool3d  f32(1, 1, 4, 4, 4), (2, 2, 1)
max_unpool2d  f32(1, 1, 2, 2), t([[[[0, 3], [8, 11]]]]), (4, 4)
max_unpool3d  f32(1, 1, 1, 1, 2), t([[[[[0, 3]]]]]), (1, 2, 2), (1, 1, 1), (0, 0, 0)
fractional_max_pool2d  f32(1, 1, 5, 5), (2, 2), (3, 3), a(1, 1, 2, lo=0.1, hi=0.9)
fractional_max_pool3d  f32(1, 1, 5, 5, 5), (2, 2, 2), (3, 3, 3), a(1, 1, 3, lo=0.1, hi=0.9)
reflection_pad1d replication_pad1d  f32(1, 2, 5), (1, 2) | f64(2, 5), padding=2
reflection_pad2d replication_pad2d  f32(1, 2, 4, 4), (1, 2, 0, 1) | f64(1, 3, 3), padding=1
reflection_pad3d replication_pad3d  f32(1, 1, 3, 3, 3), (1, 1, 0, 1, 1, 0)
constant_pad_nd  f32(2, 3), (1, 2) | f64(2, 3), (1, 0, 0, 2), 1.5 | i64(3), pad=(1, 1), value=7
pad  f32(1, 2, 3), (1, 2) | f32(1, 2, 5), (1, 1), 'reflect' | f32(1, 2, 3), (1, 2), mode='constant', value=2.5 | f32(1, 2, 3), (1, 2), 'circular' | f32(1, 2, 3), (0, 2), mode='replicate', value=None
upsample_nearest1d  f32(1, 2, 3), (6,) | f32(1, 2, 3), 5, 1.5 | f32(1, 2, 3), (6,), None | f32(1, 2, 3), None, (2.0,)
upsample_linear1d  f32(1, 2, 3), (6,), False | f64(1, 2, 3), (6,), align_corners=True
upsample_nearest2d  f32(1, 2, 3, 3), (6, 5) | f32(1, 2, 3, 3), None, (2.0, 2.0) | f64(1, 1, 2, 2), output_size=(4, 4), scales_h=None, scales_w=2.0
upsample_bilinear2d upsample_bicubic2d  f32(1, 2, 3, 3), (6, 5), False | f64(1, 1, 3, 3), output_size=(2, 2), align_corners=True | f32(1, 2, 3, 3), None, False, (2.0, 1.5)
upsample_nearest3d  f32(1, 1, 2, 2, 2), (3, 4, 4) | f32(1, 1, 2, 2, 2), None, (1.5, 2.0, 2.0)
upsample_trilinear3d  f32(1, 1, 2, 2, 2), (3, 4, 4), True | f32(1, 1, 2, 2, 2), None, False, (1.5, 2.0, 2.0)
_upsample_bilinear2d_aa _upsample_bicubic2d_aa  f32(1, 2, 4, 4), (2, 3), False
_upsample_nearest_exact1d  f32(1, 2, 3), (6,)
_upsample_nearest_exact2d  f32(1, 2, 3, 3), (6, 5)
affine_grid_generator  f32(1, 2, 3), (1, 1, 3, 4), False | f64(1, 2, 3), size=(1, 1, 2, 2), align_corners=True
grid_sampler grid_sampler_2d  f32(1, 1, 3, 3), f32(1, 2, 2, 2), 0, 0, False | f64(1, 1, 3, 3), f64(1, 2, 2, 2), interpolation_mode=1, padding_mode=1, align_corners=True
grid_sampler_3d  f32(1, 1, 2, 2, 2), f32(1, 2, 2, 2, 3), 0, 0, False
""", out=True, forms=1, close=Closeness(1e-5, 1e-6))  # fmt: skip

NORMS = Family("norms", """
layer_norm  f32(2, 3), (3,) | f64(2, 3, 4), (3, 4), f64(3, 4), f64(3, 4) | f32(2, 3), normalized_shape=[3], weight=f32(3), eps=1e-3 | f32(2, 3), (3,), None, None, 1e-5, False | f16(2, 4), (4,)
native_layer_norm  f32(2, 3), (3,), f32(3), f32(3), 1e-5 | f64(2, 3), (3,), None, None, 1e-5
rms_norm  f32(2, 3), (3,) | f64(2, 3), [3], f64(3) | f32(2, 3), (3,), weight=f32(3), eps=1e-3
batch_norm  f32(4, 3), f32(3), f32(3), a(3), a(3, lo=0.5), False, 0.1, 1e-5, False | f64(4, 3, 2), None, None, None, None, True, 0.1, 1e-5, False | f32(4, 3), f32(3), f32(3), a(3), a(3, lo=0.5), True, 0.5, 1e-3, True
native_batch_norm  f32(4, 3), f32(3), f32(3), a(3), a(3, lo=0.5), True, 0.1, 1e-5 | f64(4, 3), None, None, None, None, True, 0.1, 1e-5
instance_norm  f32(2, 3, 4), f32(3), f32(3), None, None, True, 0.1, 1e-5, False
group_norm  f32(2, 4, 3), 2 | f64(2, 4), 2, f64(4), f64(4), 1e-3 | f32(2, 4, 3), num_groups=4, weight=f32(4)
native_group_norm  f32(2, 4, 3), f32(4), f32(4), 2, 4, 3, 2, 1e-5 | f32(2, 4, 3), None, None, 2, 4, 3, 2, 1e-5
norm_except_dim  f64(2, 3) | f64(2, 3), 2, 1
native_norm  f32(3) | f32(2, 3), 1
dropout alpha_dropout  f32(2, 3), 0.5, True | f32(2, 3), 0.5, False | f64(4), p=0.2, train=True
feature_dropout feature_alpha_dropout  f32(2, 3, 4), 0.5, True | f32(2, 3, 4), p=0.5, train=False
native_dropout  f32(2, 3), 0.5, True | f32(2, 3), 0.5, None | f32(2, 3), 0.5, False
rrelu  f32(5) | f32(5), 0.2, 0.3, True | f64(5), lower=0.1, upper=0.2, training=False
rrelu_with_noise  f32(5), a(5), 0.2, 0.3, True
embedding_bag  f32(5, 3), t([0, 1, 4]), t([0, 2]) | f64(5, 3), t([0, 1, 4]), t([0, 2]), mode=1 | f32(5, 3), t([0, 1]), t([0]), False, 2, False, None, False, -1 | f32(5, 3), t([0, 1]), t([0]), per_sample_weights=f32(2), mode=0
""", in_place=True, close=Closeness(1e-5, 1e-6))  # fmt: skip

LOSSES = Family("losses", """
mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss  f32(2, 3), f32(2, 3) | f64(3), f64(3), 0 | f32(2, 3), f32(2, 3), reduction=2
smooth_l1_loss  f32(3), f32(3), 1, 0.5 | f32(3), f32(3), beta=2
huber_loss  f32(3), f32(3), 1, 0.5 | f32(3), f32(3), delta=2
binary_cross_entropy  f32(3, lo=0.1, hi=0.9), a(3, lo=0, hi=1) | f64(3, lo=0.1, hi=0.9), f64(3, lo=0, hi=1, grad=False), f64(3, lo=0, grad=False), 0 | f32(3, lo=0.1, hi=0.9), a(3, lo=0, hi=1), weight=None, reduction=2
binary_cross_entropy_with_logits  f32(3), a(3, lo=0, hi=1) | f64(3), f64(3, lo=0, hi=1, grad=False), None, f64(3, lo=0.1, grad=False), 0 | f32(3), a(3), weight=a(3), reduction=2
cross_entropy_loss  f32(2, 3), t([0, 2]) | f64(2, 3), t([0, 2]), f64(3, lo=0.1, grad=False), 0, -100, 0.1 | f32(2, 3), a(2, 3, lo=0, hi=1) | f32(2, 3, 2), t([[0, 1], [2, 2]]), reduction=2, ignore_index=2 | f32(3), t(1), label_smoothing=0.5
nll_loss nll_loss_nd  f32(2, 3), t([0, 2]) | f64(2, 3), t([0, 2]), f64(3, lo=0.1, grad=False), 0, 0 | f32(2, 3), t([0, 2]), reduction=2, ignore_index=-1
nll_loss2d  f32(1, 3, 2, 2), t([[[0, 1], [2, 0]]]) | f32(1, 3, 2, 2), t([[[0, 1], [2, 0]]]), None, 0, -100
nll_loss_forward  f32(2, 3), t([0, 2]), None, 1, -100
kl_div  f32(2, 3), f32(2, 3, lo=0.1, hi=1) | f64(3), f64(3), 2, log_target=True | f32(2, 3), a(2, 3, lo=0.1), reduction=0
poisson_nll_loss  f32(3), a(3, lo=0.1), True, False, 1e-8, 1 | f64(3, lo=0.1), f64(3, lo=0.2, grad=False), False, True, 1e-8, 0
margin_ranking_loss  f32(3), f32(3), t([1.0, -1.0, 1.0]) | f64(3), f64(3), t([1.0, -1.0, 1.0], dtype=T.float64), 0.5, 2
hinge_embedding_loss  f32(3), t([1.0, -1.0, 1.0]) | f32(3), t([1.0, -1.0, 1.0]), margin=0.5, reduction=0
cosine_embedding_loss  f32(2, 3), f32(2, 3), t([1.0, -1.0]) | f32(2, 3), f32(2, 3), t([1.0, -1.0]), margin=0.1, reduction=2
triplet_margin_loss  f32(2, 3), f32(2, 3), f32(2, 3) | f64(2, 3), f64(2, 3), f64(2, 3), 0.5, 1, 1e-6, True, 2
multi_margin_loss  f32(2, 3), t([0, 2]) | f64(2, 3), t([0, 2]), 2, 0.5, None, 0 | f32(3), t(1), p=1, margin=1
multilabel_margin_loss  f32(2, 3), t([[0, -1, 1], [2, 1, -1]]) | f32(3), t([0, 1, -1]), reduction=2
ctc_loss  f64(5, 2, 4).log_softmax(-1).detach().requires_grad_(), t([[1, 2], [2, 3]]), [5, 5], [2, 2] | f32(5, 2, 4).log_softmax(-1).detach(), t([[1, 2], [2, 3]]), t([5, 4]), t([2, 1]), 0, 2, True | f32(5, 1, 4).log_softmax(-1).detach(), t([[1, 2]]), (5,), (2,), reduction=0, zero_infinity=False
""", close=Closeness(1e-5, 1e-6))  # fmt: skip

RECURRENT = Family("recurrent", """
scaled_dot_product_attention  f32(1, 2, 3, 4), f32(1, 2, 3, 4), f32(1, 2, 3, 4) | f64(2, 3, 4), f64(2, 5, 4), f64(2, 5, 4), f64(3, 5), 0.0, False | f32(1, 2, 3, 4), f32(1, 2, 3, 4), f32(1, 2, 3, 4), is_causal=True, scale=0.3 | f32(1, 4, 3, 2), f32(1, 2, 3, 2), f32(1, 2, 3, 2), enable_gqa=True | f32(1, 1, 2, 2), f32(1, 1, 2, 2), f32(1, 1, 2, 2), attn_mask=t([[True, False], [True, True]]), dropout_p=0
gru_cell  f32(2, 3), f32(2, 4), f32(12, 3), f32(12, 4) | f64(2, 3), f64(2, 4), f64(12, 3), f64(12, 4), f64(12), f64(12)
lstm_cell  f32(2, 3), [f32(2, 4), f32(2, 4)], f32(16, 3), f32(16, 4) | f64(2, 3), (f64(2, 4), f64(2, 4)), f64(16, 3), f64(16, 4), f64(16), f64(16)
rnn_relu_cell rnn_tanh_cell  f32(2, 3), f32(2, 4), f32(4, 3), f32(4, 4) | f64(2, 3), f64(2, 4), f64(4, 3), f64(4, 4), b_ih=f64(4), b_hh=f64(4)
gru  f64(3, 2, 3), f64(1, 2, 4), [f64(12, 3), f64(12, 4), f64(12), f64(12)], True, 1, 0.0, False, False, False
rnn_relu rnn_tanh  f64(3, 2, 3), f64(1, 2, 4), [f64(4, 3), f64(4, 4), f64(4), f64(4)], True, 1, 0.0, False, False, False
lstm  f64(3, 2, 3), [f64(1, 2, 4), f64(1, 2, 4)], [f64(16, 3), f64(16, 4)], False, 1, 0.0, False, False, True
""", close=Closeness(1e-5, 1e-6))  # fmt: skip

FAMILIES = (CONVOLUTION, POOLING, NORMS, LOSSES, RECURRENT)
