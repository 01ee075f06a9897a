; A call without arguments as Python writes it.
(define (main) (print 1))
main()

; error, status 65:
; call_without_arguments.lisp:3:5: expected an expression, got ()
;   3 | main()
;     |     ^^
; hint: write (main); '() is the empty list
