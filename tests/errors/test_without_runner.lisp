(import (srfi 64))
(define (f x)
  (test-equal "sum" 4 (+ x 2)))
(f 2)

; error, status 70:
; test_without_runner.lisp:4:1: test-runner-get: there is no test runner: write (test-begin "name") before the tests
;   4 | (f 2)
;     | ^^^^^
