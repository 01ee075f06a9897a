;; (deep solids), asked for by modules.lisp: paths are relative to this file.

(define-library (deep solids)
  (export volume (rename secret shown) area)
  (import (scheme base) "../shapes.lisp")
  (include "weights.scm")
  (begin
    (define secret 'found)
    (define (volume r) (* (area r) r weight))))
