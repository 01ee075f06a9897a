(define (table rows columns)
  (let ((cells (tensor-zeros rows columns)))
    (+ cells 1)))
(print (table 100000000 100000000))

; error, status 70:
; out_of_memory.lisp:2:16: tensor-zeros: not enough memory for a tensor of 35.5 PiB (40000000000000000 bytes)
;   2 |   (let ((cells (tensor-zeros rows columns)))
;     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
;   in table, called at out_of_memory.lisp:4:8
