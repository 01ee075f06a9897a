;; LibTorch warns of this on stderr in C++; nobody who runs a program wants to read it.
(define w (requires-grad! [1.0 2.0]))
(print (tensor-grad (* w 2)))           ; => #f
