; A call over several lines: the carets stop at the end of its first.
(print
  (vector-ref
    (vector 1 2)
    7))
