;; weights.scm - a part of solids.sld.

(define weight 1/2)
