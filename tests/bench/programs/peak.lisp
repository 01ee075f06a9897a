
;; Appended to examples/digits.lisp by the benchmark.

(print "peak bytes" (cdr (assq 'peak-bytes (tensor-memory))))
