;; structures.lisp - multiple values, promises, records and hash tables.

(define (call-with-values producer consumer)
  "The result of consumer on the values that producer gives."
  (apply consumer (%values-tail (producer) 0)))
