(import (srfi 64))
(define (f x)
  (test-equal "sum" 4 (+ x 2)))
(f 2)
