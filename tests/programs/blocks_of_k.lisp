;; Layers whose weights are GGUF's blocks of K: quantised, called, saved, loaded,
;; with gradients and adapters.

(manual-seed 3)
(define (loss a b)
  (tensor-item (/ (tensor-norm (- a b)) (tensor-norm b))))

;; Each type: what is lost, and the product by a few rows and by many.
(define layer (linear 512 48))
(define x (tensor-randn 3 512))
(define many (tensor-randn 2 40 512))
(define (shown type most)
  (no-grad
    (let* ((blocks (quantize-linear layer :bits type))
           (floats (dequantized blocks))
           (by-floats (lambda (x) (tensor-linear x floats (linear-bias layer)))))
      (print (block-linear-type blocks)
             (tensor-shape (block-linear-weight blocks))
             (< (quantization-error layer blocks) most)
             (< (loss (blocks x) (by-floats x)) 0.01)
             (< (loss (blocks many) (by-floats many)) 1e-5)
             (tensor-dtype (blocks (tensor-to x 'bfloat16)))))))
(for-each shown '(Q2_K Q3_K Q4_K Q5_K Q6_K) '(0.24 0.13 0.06 0.03 0.014))
; => Q2_K (48 168) #t #t #t bfloat16
; => Q3_K (48 220) #t #t #t bfloat16
; => Q4_K (48 288) #t #t #t bfloat16
; => Q5_K (48 352) #t #t #t bfloat16
; => Q6_K (48 420) #t #t #t bfloat16

;; A model: kinds give some matrices more bits.
(define (fresh)
  (manual-seed 4)
  (eval-mode! (llama :vocabulary 40 :width 256 :hidden 512 :layers 4 :heads 4
                     :kv-heads 2)))
(define ids (tensor '((1 2 3 4 5 6 7 8))))
(define (logits model) (no-grad (model ids)))
(define wanted (logits (fresh)))
(define model (quantize-model! (fresh) :bits 'Q4_K_M))
(define (type-at path) (block-linear-type (module-at model path)))
(print (map type-at '("layers.0.self_attn.qkv_proj" "layers.0.self_attn.o_proj"
                      "layers.0.mlp.gate_up_proj" "layers.0.mlp.down_proj"
                      "layers.2.mlp.down_proj")))
; => (Q5_K Q4_K Q4_K Q4_K Q6_K)
(print (< (loss (logits model) wanted) 0.3))                        ; => #t

;; Saved and loaded: the same, without the floats.
(define folder (create-temp-folder))
(save-llm model (string folder "/saved"))
(define again (load-llm (string folder "/saved")))
(print (block-linear? (module-at again "layers.1.mlp.down_proj"))
       (tensor-equal (logits again) (logits model)))                 ; => #t #t
(save-llm (fresh) (string folder "/floats"))
(print (tensor-equal (logits (load-llm (string folder "/floats") :bits 'Q4_K_M))
                     (logits model)))                                ; => #t

;; GGUF: two and three bits stay in their blocks.
(save-gguf (fresh) (string folder "/two.gguf") :kind 'Q2_K)
(define two (load-llm (string folder "/two.gguf")))
(print (map (lambda (path) (block-linear-type (module-at two path)))
            '("layers.0.mlp.gate_up_proj" "layers.0.mlp.down_proj")))
; => (Q2_K Q3_K)
(print (< (loss (logits two) wanted) 0.9))                          ; => #t

;; A model in blocks is written as it is, and so with each kind.
(define (all-blocks model)
  (map (lambda (entry) (block-linear-weight (cdr entry)))
       (filter (lambda (entry) (block-linear? (cdr entry))) (named-modules model))))
(save-gguf two (string folder "/three.gguf"))
(define three (load-llm (string folder "/three.gguf")))
(print (length (all-blocks three))
       (every tensor-equal (all-blocks three) (all-blocks two)))     ; => 12 #t
(print (< (loss (logits three) (logits two)) 0.02))                  ; => #t
(save-gguf model (string folder "/four.gguf") :kind 'F32)
(print (< (loss (logits (load-llm (string folder "/four.gguf"))) (logits model))
          0.02))                                                     ; => #t
(delete-folder folder :recursive #t)

;; Adapters learn through the floats that blocks stand for.
(define tuned (lora! (quantize-model! (fresh) :bits 'Q3_K_M)
                     :targets '("down_proj" "v_proj") :rank 2))
(backward (tensor-mean (tensor-square (tuned ids))))
(print (> (tensor-item (tensor-norm (tensor-grad
                                     (cdr (cadr (lora-parameters tuned))))))
          0))                                                        ; => #t
(define g (tensor-randn 3 512 :requires-grad #t))
(define block (quantize-linear layer :bits 'Q6_K))
(backward (tensor-sum (block g)))
(print (< (loss (tensor-grad g)
                (tensor-expand (tensor-sum (dequantized block) 0) '(3 512)))
          1e-5))                                                     ; => #t

(print (tensor-shape (no-grad (block (tensor-zeros 0 512)))))         ; => (0 48)

;; Rows that are not whole blocks, and what is refused.
(define told (open-output-string))
(parameterize ((current-error-port told))
  (define odd (quantize-model! (llama :vocabulary 40 :width 256 :hidden 96
                                      :layers 1 :heads 4)
                               :bits 'Q4_K_M))
  (print (int8-linear? (module-at odd "layers.0.mlp.down_proj"))
         (int4-linear? (module-at odd "layers.0.mlp.down_proj"))))
; => #t #f
(write-string (get-output-string told))
; => quantize-model!: a layer got integers instead of blocks, since its rows are not a multiple of 256 columns: layers.0.mlp.down_proj
(define (message thunk)
  (guard (e ((error-object? e) (print (error-object-message e)
                                      (error-object-irritants e))))
    (thunk)))
(message (lambda () (quantize-linear layer :bits 'Q7_K)))
; => quantize-linear: weights can have 8 or 4 bits, or 'nf4, or a kind of GGUF's blocks (Q2_K, Q3_K, Q3_K_M, Q3_K_L, Q4_K, Q4_K_M, Q5_K, Q5_K_M, Q6_K), got (Q7_K)
(message (lambda () (block-linear 100 8)))
; => block-linear: expected a multiple of 256 for in-features, got (100)
(message (lambda () (block-linear 256 8 :type 'Q8_0)))
; => block-linear: expected Q2_K, Q3_K, Q4_K, Q5_K, Q6_K as the type, got (Q8_0)
(message (lambda () (block-linear 256 8 :packed (tensor-zeros 3 3 :dtype 'uint8))))
; => block-linear: expected a uint8 tensor of 8 rows of K's blocks for 256 columns, got a tensor uint8 (3 3) ()
(message (lambda () (quantize-model! (sequential (linear 256 8)) :bits 'Q4_K :head-bits 'Q7)))
; => quantize-model!: weights can have 8 or 4 bits, or 'nf4, or a kind of GGUF's blocks (Q2_K, Q3_K, Q3_K_M, Q3_K_L, Q4_K, Q4_K_M, Q5_K, Q5_K_M, Q6_K), got (Q7)
(message (lambda () (block-linear-type layer)))
; => block-linear-type: expected a block-linear, got a module, linear ()
