; An error inside of with-autocast.
(define (product x)
  (with-autocast 'bfloat16
    (tensor-matmul x x)))
(list (product (tensor-ones 2 3)))

; error, status 70:
; in_with_autocast.lisp:4:5: tensor-matmul: inner sizes differ: (2 3) times (2 3)
;   4 |     (tensor-matmul x x)))
;     |     ^^^^^^^^^^^^^^^^^^^
; hint: (tensor-transpose x 0 1) has shape (3 2)
;   in product, called at in_with_autocast.lisp:5:7
