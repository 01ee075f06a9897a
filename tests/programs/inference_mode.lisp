; inference-mode holds for its body only, and with-grad inside is ordinary.
(define w (requires-grad! [2.0]))
(define y (inference-mode (* w w)))
(print y (tensor-is-inference y) (requires-grad? y))    ; => [4.0] #t #f
(print (inference-mode?) (grad-enabled?))               ; => #f #t
(inference-mode
  (print (inference-mode?) (grad-enabled?))             ; => #t #f
  (with-grad
    (print (inference-mode?) (grad-enabled?))           ; => #f #t
    (backward (* w w))
    (no-grad
      (print (inference-mode?) (grad-enabled?))))       ; => #t #f
  (print (inference-mode?) (grad-enabled?)))            ; => #t #f
(print (tensor-grad w))                                 ; => [4.0]
(no-grad
  (inference-mode (print (inference-mode?)))            ; => #t
  (print (inference-mode?) (grad-enabled?)))            ; => #f #f
(inference-mode (inference-mode 1) (print (inference-mode?)))  ; => #t
; Every exit restores the mode: an error, an escape, a tail call.
(print (guard (e (#t (inference-mode?))) (inference-mode (error "no"))))  ; => #f
(print (let/cc out (inference-mode (out 3))) (grad-enabled?))   ; => 3 #t
(define (in-tail n)
  (if (= n 0) (inference-mode (* w 2)) (in-tail (- n 1))))
(print (in-tail 3) (inference-mode?))                   ; => [4.0] #f
(print ((grad (lambda (x) (* x x))) 3.0))               ; => 6.0
(print (inference-mode ((grad (lambda (x) (* x x))) 3.0)))  ; => 6.0
(print (no-grad (* w y)))                               ; => [8.0]
; Tensors made before may be changed; those made inside may be copied.
(define cache (tensor-zeros 3))
(inference-mode (tensor-set! cache 1 5.0))
(print cache (tensor-is-inference cache))               ; => [0.0 5.0 0.0] #f
(define c (requires-grad! (tensor-copy y)))
(backward (* c w))
(print (tensor-grad c))                                 ; => [2.0]
(define (wrong thunk)
  (guard (e (#t (display (error-object-message e)) (newline))) (thunk)))
(wrong (lambda () (backward y)))  ; => backward: the tensor was computed in inference-mode, which records nothing
(wrong (lambda () (requires-grad! y)))  ; => requires-grad!: a tensor that was made in inference-mode has no gradient
(wrong (lambda () (* w y)))  ; => *: a tensor that was made in inference-mode takes no part in gradients
(wrong (lambda () (tensor-add! y 1)))  ; => tensor-add!: a tensor that was made in inference-mode cannot be changed in place outside of it
