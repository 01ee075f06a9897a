; What is copied does not fit.
(define target (make-bytevector 3))
(bytevector-copy! target 1 #u8(1 2 3) 0 2)
(bytevector-copy! target 1 #u8(1 2 3))

; error, status 70:
; bytevector_copy.lisp:4:1: bytevector-copy!: index 4 is out of range for length 3
;   4 | (bytevector-copy! target 1 #u8(1 2 3))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
