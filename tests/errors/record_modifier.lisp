; A modifier, and a type that begins with a vowel.
(define-record-type <apple> (make-apple color) apple? (color apple-color set-apple-color!))
(define-record-type <pear> (make-pear color) pear? (color pear-color))
(set-apple-color! (make-pear 'green) 'red)

; error, status 70:
; record_modifier.lisp:4:1: set-apple-color!: expected an apple, got #<pear color: green>
;   4 | (set-apple-color! (make-pear 'green) 'red)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
