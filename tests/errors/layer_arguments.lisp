; A constructor refuses what no layer can have.
(define (block channels)
  (sequential (conv2d channels channels 3 :padding 'same :stride 2) (relu)))
(block 4)

; error, status 70:
; layer_arguments.lisp:3:15: conv2d: padding "same" needs a stride of 1, got (2 2)
;   3 |   (sequential (conv2d channels channels 3 :padding 'same :stride 2) (relu)))
;     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: give :padding as an integer
;   in block, called at layer_arguments.lisp:4:1
