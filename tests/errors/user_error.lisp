; The program's own error, with irritants as write shows them, in a nested call.
(define (check amount)
  (if (< amount 0)
      (error "negative amount:" amount "given" '(a "b"))
      amount))
(define (pay amount) (+ 1 (check amount)))
(print (pay 5))
(print (pay -5))
