; Layers of NF4 codes: what is lost, gradients, files, adapters, and mistakes.
(define w (tensor-sin (tensor-reshape (tensor-arange 0.0 2048.0) '(32 64))))
(define (filled columns rows)
  (let ((layer (linear columns rows)))
    (no-grad
      (tensor-copy! (linear-weight layer)
                    (tensor-narrow (tensor-narrow w 0 0 rows) 1 0 columns))
      (tensor-fill! (linear-bias layer) 0.5))
    layer))
(define layer (filled 64 32))
(define coded (quantize-linear layer :bits 'nf4))
(print (code-linear? coded) (quantized-layer? coded)) ; => #t #t
(print (tensor-shape (code-linear-scale (quantize-linear (filled 24 4) :bits 'nf4)))) ; => (4 3)
(print (tensor-shape (code-linear-scale coded)) (< 0.05 (quantization-error layer coded) 0.1)) ; => (32 1) #t
(define x (tensor-cos (tensor-reshape (tensor-arange 128.0) '(2 64))))
(define floats (dequantized coded))
(define (close? a b) (< (tensor-item (tensor-max (tensor-abs (- a b)))) 1e-4))
(print (close? (coded x) (+ 0.5 (@ x (tensor-t floats)))) (tensor-shape (coded (tensor-select x 0 0)))) ; => #t (32)
; What a code stands for is quantized to the same code.
(define again (linear 64 32))
(set-linear-weight! again floats)
(print (tensor-equal (code-linear-weight (quantize-linear again :bits 'nf4)) (code-linear-weight coded))) ; => #t
; The gradient is that of the product by the floats.
(define learned (requires-grad! (tensor-copy x)))
(backward (tensor-sum (tensor-square (coded learned))))
(define other (requires-grad! (tensor-copy x)))
(backward (tensor-sum (tensor-square (+ 0.5 (@ other (tensor-t floats))))))
(print (close? (tensor-grad learned) (tensor-grad other))) ; => #t
; A model: files, adapters, other dtypes.
(define model (quantize-model! (sequential (filled 64 32) (filled 32 8)) :bits 'nf4))
(save-model "codes.safetensors" model)
(define back (load-quantized! "codes.safetensors" (sequential (linear 64 32) (linear 32 8))))
(print (tensor-equal (back x) (model x)))         ; => #t
(define tuned (lora! (copy-module back) :targets '("0") :rank 2))
(define optimizer (adamw (map cdr (lora-parameters tuned)) :lr 0.05))
(define (loss) (tensor-mean (tensor-square (- (tuned x) 3.0))))
(define before (tensor-item (loss)))
(dotimes (step 40) (backward (loss)) (optimizer-step optimizer) (zero-grad optimizer))
(print (< (tensor-item (loss)) (* 0.5 before)) (tensor-equal (call-without-lora tuned (lambda () (tuned x))) (back x))) ; => #t #t
(print (tensor-dtype ((to! (copy-module model) 'bfloat16) (tensor-to x 'bfloat16)))) ; => bfloat16
; Mistakes.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (quantize-linear layer :bits 5)))) ; => quantize-linear: weights can have 8 or 4 bits, or 'nf4, or a kind of GGUF's blocks (Q2_K, Q3_K, Q3_K_M, Q3_K_L, Q4_K, Q4_K_M, Q5_K, Q5_K_M, Q6_K), got
(print (message (lambda () (quantize-model! model :bits 'nf4 :kernel 'torch)))) ; => quantize-model!: :kernel 'torch has 8 or 4 bits, got
(print (message (lambda () (quantize-linear (filled 31 4) :bits 'nf4)))) ; => quantize-model!: NF4 needs an even number of columns, got
(print (message (lambda () (coded (tensor-ones 2 63))))) ; => tensor-lambent::code-linear: a weight of codes of 64 columns does not multiply a tensor float32 (2 63); given x float32 (2 63), weight uint8 (32 32), scale float32 (32 1), code float32 (1 16), bias float32 (32)
(print (message (lambda () (merge-lora! tuned)))) ; => merge-lora!: the weight below an adapter is quantized:
(print (message (lambda () (load-dequantized 5)))) ; => load-dequantized: expected the path of a folder, got 5
(delete-file "codes.safetensors")
