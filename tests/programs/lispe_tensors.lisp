; The tensor functions of LispETorch: each with a checked result.
(use 'lispe_torch)

; Creation and inspection.
(setq a (torch_tensor (floats 1 2 3 4)))
(setq m (tensor_reshape (tensor_create (floats 1 2 3 4 5 6)) (integers 2 3)))
(println a (torch_dtype a) (torch_dtype (tensor_create (integers 1 2))) (torch_dtype (tensor_create (numbers 1 2))))  ; => [1.0 2.0 3.0 4.0] float32 int64 float64
(println (tensor_create (list (list 1 2) (list 3 4))) (tensor_create (list 1.5 2)))  ; => [[1 2] [3 4]] [1.5 2.0]
(println (tensor_zeros (integers 2 3)) (tensor_ones 2) (tensor_full (integers 2) 7.5))  ; => [[0.0 0.0 0.0] [0.0 0.0 0.0]] [1.0 1.0] [7.5 7.5]
(println (tensor_full_like a 2) (tensor_shape (tensor_randn (integers 3 4))))  ; => [2.0 2.0 2.0 2.0] (3 4)
(println (tensor_shape (tensor_randint 0 5 (integers 10))) (tensor_max (tensor_randint 3 4 (integers 5))))  ; => (10) 3
(println (tensor_to_list m) (tensor_to_list (tensor_create (integers 1 2))) (tensor_size m) (tensor_shape m))  ; => ((1 2 3) (4 5 6)) (1 2) (2 3) (2 3)
(println (tensor_item (tensor_sum m)) (tensor_item (tensor_create (floats 5))) (> (tensor_in_memory) 1))  ; => 21 5 true
(println (torch_tensor_at a 0) (at a -1) (@ m 1 2) (@ m 1))  ; => 1 4 6 [4.0 5.0 6.0]
(println (catch (at a 10)))  ; => Error: tensor index out of bounds
(println (catch (tensor_item a)))  ; => Error: tensor must contain exactly one element, but has 4 elements

; Arithmetic.
(println (tensor_add a a) (tensor_sub a (tensor_ones 4)) (tensor_mul a a) (tensor_div a a))  ; => [2.0 4.0 6.0 8.0] [0.0 1.0 2.0 3.0] [1.0 4.0 9.0 16.0] [1.0 1.0 1.0 1.0]
(println (tensor_matmul m (tensor_transpose m 0 1)) (tensor_linear m (tensor_ones (integers 2 3))))  ; => [[14.0 32.0] [32.0 77.0]] [[6.0 6.0] [15.0 15.0]]
(println (tensor_mul_scalar a 2) (tensor_add_scalar a 0.5) (tensor_div_scalar a 2) (tensor_pow a 2))  ; => [2.0 4.0 6.0 8.0] [1.5 2.5 3.5 4.5] [0.5 1.0 1.5 2.0] [1.0 4.0 9.0 16.0]
(println (tensor_einsum "ij,kj->ik" (list m m)))  ; => [[14.0 32.0] [32.0 77.0]]
(setq r (tensor_create (floats -1.5 0 0.5)))
(println (tensor_relu r) (tensor_neg r) (tensor_abs r) (tensor_floor r) (tensor_ceil r) (tensor_round r))  ; => [0.0 0.0 0.5] [1.5 0.0 -0.5] [1.5 0.0 0.5] [-2.0 0.0 0.0] [-1.0 0.0 1.0] [-2.0 0.0 0.0]
(defun near(x y) (< (tensor_max (tensor_abs (tensor_sub x (tensor_create (floats y))))) 0.0001))
(println (near (tensor_sigmoid r) (floats 0.182426 0.5 0.622459)) (near (tensor_tanh r) (floats -0.905148 0 0.462117)) (near (tensor_gelu r) (floats -0.100211 0 0.345731)) (near (tensor_silu r) (floats -0.273639 0 0.31123)))  ; => true true true true
(setq p (tensor_create (floats 0.25 0.5 1)))
(println (near (tensor_exp p) (floats 1.284025 1.648721 2.718282)) (near (tensor_sqrt p) (floats 0.5 0.707107 1)) (near (tensor_rsqrt p) (floats 2 1.414214 1)) (near (tensor_log p) (floats -1.386294 -0.693147 0)))  ; => true true true true
(println (near (tensor_log10 p) (floats -0.60206 -0.30103 0)) (near (tensor_log2 p) (floats -2 -1 0)) (near (tensor_sin p) (floats 0.247404 0.479426 0.841471)) (near (tensor_cos p) (floats 0.968912 0.877583 0.540302)))  ; => true true true true
(println (near (tensor_tan p) (floats 0.255342 0.546302 1.557408)) (near (tensor_asin p) (floats 0.25268 0.523599 1.570796)) (near (tensor_acos p) (floats 1.318116 1.047198 0)) (near (tensor_atan p) (floats 0.244979 0.463648 0.785398)))  ; => true true true true
(println (near (tensor_sinh p) (floats 0.252612 0.521095 1.175201)) (near (tensor_cosh p) (floats 1.031413 1.127626 1.543081)) (near (tensor_reciprocal p) (floats 4 2 1)))  ; => true true true
(println (near (tensor_softmax p 0) (floats 0.227206 0.291738 0.481055)) (near (tensor_log_softmax p 0) (floats -1.481898 -1.231898 -0.731898)))  ; => true true
(println (tensor_clamp r -1 0.25) (tensor_clamp r nil 0) (tensor_cumsum a 0))  ; => [-1.0 0.0 0.25] [-1.5 0.0 0.0] [1.0 3.0 6.0 10.0]
(println (near (tensor_rms_norm p (tensor_ones 3)) (floats 0.37796 0.75593 1.51186)) (near (tensor_rms_norm p (tensor_ones 3) 1.0) (floats 0.208514 0.417029 0.834058)))  ; => true true

; Reductions give numbers.
(println (tensor_sum a) (tensor_mean a) (tensor_max a) (tensor_min a) (round (* 1000 (tensor_std a)) 1000) (torch_norm (tensor_create (floats 3 4))))  ; => 10 2.5 4 1 1.291 5
(println (tensor_mean_dim m 1) (tensor_argmax m 1) (tensor_argmax m 1 false) (+ 1 (tensor_sum a)))  ; => [2.0 5.0] [[2] [2]] [2 2] 11

; Shapes and indices.
(println (tensor_shape (tensor_unsqueeze m 0)) (tensor_shape (tensor_squeeze (tensor_unsqueeze m 0) 0)) (tensor_contiguous (tensor_transpose m 0 1)))  ; => (1 2 3) (2 3) [[1.0 4.0] [2.0 5.0] [3.0 6.0]]
(println (tensor_slice m 1 0 2) (tensor_select m 0 1) (tensor_cat (list m m) 0) (tensor_triu m 1) (tensor_tril m 0))  ; => [[1.0 2.0] [4.0 5.0]] [4.0 5.0 6.0] [[1.0 2.0 3.0] [4.0 5.0 6.0] [1.0 2.0 3.0] [4.0 5.0 6.0]] [[0.0 2.0 3.0] [0.0 0.0 6.0]] [[1.0 0.0 0.0] [4.0 5.0 0.0]]
(println (tensor_set_item m (integers 0 1) 9) (tensor_set_item m 1 0) m)  ; => [[1.0 9.0 3.0] [4.0 5.0 6.0]] [[1.0 2.0 3.0] [0.0 0.0 0.0]] [[1.0 2.0 3.0] [4.0 5.0 6.0]]
(println (tensor_gather m 1 (tensor_create (list (list 2) (list 0)))) (tensor_masked_fill_ (clone a) (torch_ge a 3) 0))  ; => [[3.0] [4.0]] [1.0 2.0 0.0 0.0]
(println (torch_topk a 2 0 true) (torch_sort r 0 true) (torch_sort a) (torch_topk a 1))  ; => ([4.0 3.0] [3 2]) ([0.5 0.0 -1.5] [2 1 0]) ([1.0 2.0 3.0 4.0] [0 1 2 3]) ([4.0] [3])
(println (torch_multinomial (tensor_create (floats 0 1 0)) 3 true) (tensor_multinomial (tensor_create (floats 0 1)) 1))  ; => [1 1 1] [1]

; Aliases.
(println (torch_zeros 2) (torch_ones 2) (torch_shape (tensor_rand (integers 2 3))) (torch_shape (torch_randn 3)) (torch_full_like a 1))  ; => [0.0 0.0] [1.0 1.0] (2 3) (3) [1.0 1.0 1.0 1.0]
(println (torch_add a a) (torch_sub a a) (torch_mul a a) (torch_div_scalar a 2) (torch_matmul m (torch_transpose m 0 1)))  ; => [2.0 4.0 6.0 8.0] [0.0 0.0 0.0 0.0] [1.0 4.0 9.0 16.0] [0.5 1.0 1.5 2.0] [[14.0 32.0] [32.0 77.0]]
(println (torch_reshape a (integers 2 2)) (torch_shape (torch_unsqueeze a 0)) (torch_contiguous a) (near (torch_softmax p 0) (floats 0.227206 0.291738 0.481055)) (torch_item (torch_ones 1)))  ; => [[1.0 2.0] [3.0 4.0]] (1 4) [1.0 2.0 3.0 4.0] true 1
(println (torch_size (torch_rand (integers 2 3))) (torch_numel m) (torch_stack (list a a) 0) (torch_where (torch_ge a 2) a (torch_zeros 4)) (torch_index_put_ (clone a) (integers 0 2) 9))  ; => (2 3) 6 [[1.0 2.0 3.0 4.0] [1.0 2.0 3.0 4.0]] [0.0 2.0 3.0 4.0] [9.0 2.0 9.0 4.0]
(println (torch_device a) (torch_dtype (torch_to_dtype a "float16")) (torch_dtype (torch_float16 a)) (torch_dtype (torch_float32 a)) (torch_int64 a) (torch_tensor_slice m 1 -1) (torch_tensor_slice m 0 -2) (torch_tensor_slice m 1 0 1))  ; => cpu float16 float16 float32 [1 2 3 4] [[2.0 3.0] [5.0 6.0]] [[1.0 2.0] [4.0 5.0]] [[1.0] [4.0]]

; Devices.
(println (or (torch_cuda_is_available) (== (torch_cuda_device_count) 0)) (in (list "cpu" "cuda" "mps") (torch_get_best_device)))  ; => true true
(println (== (torch_cuda_available) (torch_cuda_is_available)) (== (torch_mps_available) (torch_mps_is_available)))  ; => true true
(println (>= (torch_cuda_memory_allocated) 0) (>= (torch_cuda_memory_total) 0) (torch_cuda_empty_cache) (torch_mps_synchronize) (torch_mps_synchronize true))  ; => true true true true true
(println (torch_to_device a "cpu") (torch_to_cpu a) (torch_shape (torch_to_mps a)) (== (torch_on_mps (torch_to_mps a)) (torch_mps_is_available)))  ; => [1.0 2.0 3.0 4.0] [1.0 2.0 3.0 4.0] (4) true
(torch_set_device "cpu")
(println (if (torch_cuda_is_available) (torch_device (torch_to_cuda a)) "no cuda") (maybe (torch_to_cuda a) "not moved"))  ; => no cuda not moved
(println (> (torch_memory_usage) 0) (>= (torch_peak_memory) (torch_memory_usage)) (keyp (torch_memory_map) "live-bytes") (> (memory_size) 1000000))  ; => true true true true

; Decomposition.
(setq t (tensor_reshape (tensor_sin (tensor_mul_scalar (tensor_create (floats (iota0 60))) 0.37)) (integers 3 4 5)))
(setq full (torch_tucker_decomposition t (integers 3 4 5)))
(println (< (torch_norm (tensor_sub t (torch_tucker_reconstruct (@ full 0) (@ full 1)))) 0.0001))  ; => true
(setq small (torch_tucker_decomposition t 2 50 0.000001))
(println (tensor_shape (@ small 0)) (map 'tensor_shape (@ small 1)) (< (torch_norm (tensor_sub t (torch_tucker_reconstruct (@ small 0) (@ small 1)))) (torch_norm t)))  ; => (2 2 2) ((3 2) (4 2) (5 2)) true
(println (torch_tucker_compression_ratio (integers 3 4 5) (integers 2 2 2) (list (integers 3 2) (integers 4 2) (integers 5 2))))  ; => 1.875
(println (torch_khatri_rao_product (tensor_create (list (list 1 2) (list 3 4))) (tensor_create (list (list 1 1) (list 2 3)))))  ; => [[1 2] [2 6] [3 4] [6 12]]
