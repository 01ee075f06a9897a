;; SRFI 9: its own example, whose type has a name that is a keyword elsewhere.
(import (srfi 9))
(define-record-type :pare
  (kons x y)
  pare?
  (x kar set-kar!)
  (y kdr))
(print (pare? (kons 1 2)) (pare? (cons 1 2)) (kar (kons 1 2)) (kdr (kons 1 2)))  ; => #t #f 1 2
(print (let ((k (kons 1 2))) (set-kar! k 3) (kar k)))  ; => 3
(print (guard (e (#t (error-object-message e))) (kar (cons 1 2))))  ; => kar: expected a :pare, got (1 . 2)
