;; What LibTorch itself would not survive is an error like any other: guards.cpp.

(import "modules/wrong.lisp")

(define x (tensor-ones 2 3))                   ; [2, 3] float32
(define image (tensor-ones 1 2 4 4))           ; [batch, channels, height, width]
(define scores (tensor-log-softmax (tensor-ones 5 1 4) :dim 2))  ; [time, batch, classes]

;; Operators in general.
(wrong tensor-range 0 5 0.5 :dtype 'int64)
; => tensor-range: expected a step of 1 or more for integers; given start 0, end 5, step 0.5, dtype int64
(wrong tensor-matrix-power (tensor-ones 2 2) (- (expt 2 63)))
; => tensor-matrix-power: expected -9223372036854775807 or more for n, got -9223372036854775808; given self float32 (2 2), n -9223372036854775808
(wrong tensor-private--stack '())
; => tensor-private--stack: expected at least one tensor; given tensors ()
(wrong tensor-private--foreach-copy '() (list x))
; => tensor-private--foreach-copy: expected a list of 0 for src, got 1; given self (), src (float32 (2 3))
(wrong tensor-private--cummax-helper x (tensor-zeros 1) [1] 0)
; => tensor-private--cummax-helper: expected shape (2 3) for values, got (1); given self float32 (2 3), values float32 (1), indices int64 (1), dim 0
(wrong tensor-private--fft-r2c x '(7) 0 #t)
; => tensor-private--fft-r2c: expected 0 to 1 for dim, got 7; given self float32 (2 3), dim (7), normalization 0, onesided #t
(wrong tensor-segment-reduce [1.0 2.0] "mean" :offsets [0 5])
; => tensor-segment-reduce: expected 0 to 2 for offsets, got 5; given data float32 (2), reduce "mean", offsets int64 (2)
(wrong tensor-segment-reduce [1.0 2.0] "mean" :offsets [2 0])
; => tensor-segment-reduce: expected ascending elements for offsets, got 2 before 0; given data float32 (2), reduce "mean", offsets int64 (2)
(wrong tensor-private--remove-batch-dim x 0 1 0)
; => tensor-private--remove-batch-dim: cannot be called from Lisp: it only works inside LibTorch's vmap

;; Paddings, pools and convolutions.
(wrong tensor-reflection-pad2d-backward x x '())
; => tensor-reflection-pad2d-backward: expected a list of 4 for padding, got 0; given grad-output float32 (2 3), self float32 (2 3), padding ()
(wrong tensor-reflection-pad2d-backward image image 9)
; => tensor-reflection-pad2d-backward: expected shape (1 2 22 22) for grad-output, got (1 2 4 4); given grad-output float32 (1 2 4 4), self float32 (1 2 4 4), padding 9
(wrong tensor-fractional-max-pool2d-backward image image 2 2 [0])
; => tensor-fractional-max-pool2d-backward: expected shape (1 2 2 2) for grad-output, got (1 2 4 4); given grad-output float32 (1 2 4 4), self float32 (1 2 4 4), kernel-size 2, output-size 2, indices int64 (1)
(wrong tensor-max-pool2d-with-indices-backward (tensor-ones 1 2 1 1) image 4 4 0 1 #f (tensor-full '(1 2 1 1) 99))
; => tensor-max-pool2d-with-indices-backward: expected 0 to 15 for indices, got 99; given grad-output float32 (1 2 1 1), self float32 (1 2 4 4), kernel-size 4, stride 4, padding 0, dilation 1, ceil-mode #f, indices int64 (1 2 1 1)
(wrong tensor-slow-conv-transpose3d (tensor-ones 1 1 2 2 2) (tensor-ones 1 2 2 6 2) 2)
; => tensor-slow-conv-transpose3d: expected shape (1 2 2 2 2) for weight, got (1 2 2 6 2); given self float32 (1 1 2 2 2), weight float32 (1 2 2 6 2), kernel-size 2

;; Recurrent layers: LibTorch reads states and weights as if they had the right shapes.
(define series (tensor-ones 4 2 3))            ; [time, batch, features]
(define steps (tensor-ones 8 3))               ; the same, without padding
(define twice (tensor-to [2 2 2 2] "cpu"))     ; how many examples a step has, never on a GPU
(define state (tensor-ones 1 2 3))             ; [layers, batch, features]
(define (weights . rows)                       ; a list of [rows, 3]
  (map (lambda (count) (tensor-ones count 3)) rows))
(define (gru-of . params) (tensor-gru series state params #f 1 0.0 #f #f #f))
(define (lstm-of . params) (tensor-lstm series (list state state) params #f 1 0.0 #f #f #f))
(wrong gru-of x x)
; => tensor-gru: expected shape (9 3) for params, got (2 3); given input float32 (4 2 3), hx float32 (1 2 3), params (float32 (2 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong gru-of (tensor-ones 9 3) x)
; => tensor-gru: expected shape (9 3) for params, got (2 3); given input float32 (4 2 3), hx float32 (1 2 3), params (float32 (9 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong lstm-of (tensor-ones 0 3) (tensor-ones 0 3))
; => tensor-lstm: expected shape (12 3) for params, got (0 3); given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (0 3), float32 (0 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong lstm-of x x)
; => tensor-lstm: expected shape (12 3) for params, got (2 3); given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (2 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong lstm-of (tensor-ones 12 3) (tensor-ones 12 2))
; => tensor-lstm: expected shape (12 3) for params, got (12 2); given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (12 3), float32 (12 2)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong lstm-of (tensor-ones 12 3) (tensor-ones 12 3) x x)
; => tensor-lstm: expected a list of 2 for params, got 4; given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (12 3), float32 (12 3), float32 (2 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-lstm series (list state state) (append (weights 12 12) (list (tensor-ones 0) (tensor-ones 0))) #t 1 0.0 #f #f #f)
; => tensor-lstm: expected shape (12) for params, got (0); given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (12 3), float32 (12 3), float32 (0), float32 (0)), has-biases #t, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-lstm series (list (tensor-ones 1 1 3) (tensor-ones 1 1 3)) (weights 12 12) #f 1 0.0 #f #f #f)
; => tensor-lstm: expected shape (1 2 3) for hx, got (1 1 3); given input float32 (4 2 3), hx (float32 (1 1 3), float32 (1 1 3)), params (float32 (12 3), float32 (12 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-lstm series (list state (tensor-ones 1 5 3)) (weights 12 12) #f 1 0.0 #f #f #f)
; => tensor-lstm: expected shape (1 2 3) for hx, got (1 5 3); given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 5 3)), params (float32 (12 3), float32 (12 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-lstm series (list (tensor-ones 1 2 2) state) (list x (tensor-ones 2 2) x) #f 1 0.0 #f #f #f)
; => tensor-lstm: expected shape (12 3) for params, got (2 3); given input float32 (4 2 3), hx (float32 (1 2 2), float32 (1 2 3)), params (float32 (2 3), float32 (2 2), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-lstm series (list state state) (weights 12 12) #f -1 0.0 #f #f #f)
; => tensor-lstm: expected 1 to 2147483647 for num-layers, got -1; given input float32 (4 2 3), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (12 3), float32 (12 3)), has-biases #f, num-layers -1, dropout 0.0, train #f, bidirectional #f, ...
(wrong tensor-gru steps (tensor-zeros '(0) :dtype 'int64 :device "cpu") state (weights 9 9) #f 1 0.0 #f #f)
; => tensor-gru: expected at least one batch size; given data float32 (8 3), batch-sizes int64 (0), hx float32 (1 2 3), params (float32 (9 3), float32 (9 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, ...
(wrong tensor-gru steps twice state (weights 2 2) #f 1 0.0 #f #f)
; => tensor-gru: expected shape (9 3) for params, got (2 3); given data float32 (8 3), batch-sizes int64 (4), hx float32 (1 2 3), params (float32 (2 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, ...
(wrong tensor-lstm steps (tensor-zeros '(0) :dtype 'int64 :device "cpu") (list state state) (weights 12 12) #f 1 0.0 #f #f)
; => tensor-lstm: expected at least one batch size; given data float32 (8 3), batch-sizes int64 (0), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (12 3), float32 (12 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, ...
(wrong tensor-lstm steps twice (list state state) (weights 2 2) #f 1 0.0 #f #f)
; => tensor-lstm: expected shape (12 3) for params, got (2 3); given data float32 (8 3), batch-sizes int64 (4), hx (float32 (1 2 3), float32 (1 2 3)), params (float32 (2 3), float32 (2 3)), has-biases #f, num-layers 1, dropout 0.0, train #f, ...
(wrong tensor-gru-cell (tensor-ones 2 2 2) (tensor-ones 2 2 2) (tensor-ones 2 2) (tensor-ones 2 2))
; => tensor-gru-cell: weight-ih first dim must be 3 * hidden-size = 6, but got 2; given input float32 (2 2 2), hx float32 (2 2 2), w-ih float32 (2 2), w-hh float32 (2 2)
(wrong tensor-gru-cell x x (tensor-ones 9 3) x)
; => tensor-gru-cell: weight-hh first dim must be 3 * hidden-size = 9, but got 2; given input float32 (2 3), hx float32 (2 3), w-ih float32 (9 3), w-hh float32 (2 3)
(wrong tensor-lstm-cell x (list x x) x x)
; => tensor-lstm-cell: weight-ih first dim must be 4 * hidden-size = 12, but got 2; given input float32 (2 3), hx (float32 (2 3), float32 (2 3)), w-ih float32 (2 3), w-hh float32 (2 3)
(print (tensor-shape (car (tensor-gru steps twice state (weights 9 9) #f 1 0.0 #f #f))))  ; => (8 3)
(print (tensor-shape (car (tensor-lstm series (list (tensor-ones 1 2 2) state) (list (tensor-ones 12 3) (tensor-ones 12 2) (tensor-ones 2 3)) #f 1 0.0 #f #f #f))))  ; => (4 2 2)

;; Normalizations, cells and losses.
(wrong tensor-native-batch-norm x #f #f #f #f #f 0.1 0.1)
; => tensor-native-batch-norm: expected a running-mean and a running-var, as training is #f; given input float32 (2 3), training #f, momentum 0.1, eps 0.1
(wrong tensor-batch-norm-update-stats x (tensor-ones 2) (tensor-ones 3) 0.1)
; => tensor-batch-norm-update-stats: expected 3 elements for running-mean, got 2; given input float32 (2 3), running-mean float32 (2), running-var float32 (3), momentum 0.1
(wrong tensor-private--weight-norm x (tensor-ones 5))
; => tensor-private--weight-norm: expected 2 elements for g, got 5; given v float32 (2 3), g float32 (5)
(wrong tensor-quantized-lstm-cell x (list x) x x x x x x x x 1 1 0 0)
; => tensor-quantized-lstm-cell: expected a list of 2 for hx, got 1; given input float32 (2 3), hx (float32 (2 3)), w-ih float32 (2 3), w-hh float32 (2 3), b-ih float32 (2 3), b-hh float32 (2 3), packed-ih float32 (2 3), packed-hh float32 (2 3), ...
(wrong tensor-private--pad-packed-sequence x (tensor-to [1 2] "cpu") #f 0 0)
; => tensor-private--pad-packed-sequence: expected ascending elements for batch-sizes, got 2 before 1; given data float32 (2 3), batch-sizes int64 (2), batch-first #f, padding-value 0, total-length 0
(wrong tensor-ctc-loss scores [[7 1]] '(5) '(2))
; => tensor-ctc-loss: expected 0 to 3 for targets, got 7; given log-probs float32 (5 1 4), targets int64 (1 2), input-lengths (5), target-lengths (2)
(print (tensor-ctc-loss scores [[1 7]] '(5) '(1)))  ; => 4.2234
(wrong tensor-embedding-dense-backward x [9 9] 4 -1 #t)
; => tensor-embedding-dense-backward: expected 0 to 3 for indices, got 9; given grad-output float32 (2 3), indices int64 (2), num-weights 4, padding-idx -1, scale-grad-by-freq #t
