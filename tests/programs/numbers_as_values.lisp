; Arithmetic and comparisons as values name themselves when a tensor has several elements.

(define v [1.0 2.0])
(define (said p . arguments)
  (print (guard (e (#t (error-object-message e))) (apply p arguments))))

(said zero? v)                    ; => zero?: expected a tensor of one element, got a tensor float32 (2)
(said positive? v)                ; => positive?: expected a tensor of one element, got a tensor float32 (2)
(said negative? v)                ; => negative?: expected a tensor of one element, got a tensor float32 (2)
(said (compose not zero?) v)      ; => zero?: expected a tensor of one element, got a tensor float32 (2)
(said (lambda () (filter positive? (list v))))   ; => positive?: expected a tensor of one element, got a tensor float32 (2)
(said = v 1)                      ; => =: expected a tensor of one element, got a tensor float32 (2)
(said < 1 v)                      ; => <: expected a tensor of one element, got a tensor float32 (2)
(said >= v v)                     ; => >=: expected a tensor of one element, got a tensor float32 (2)
(said max v 1)                    ; => [1.0 2.0]
(said even? v)                    ; => even?: expected an integer, got a tensor float32 (2)
(said + v [1.0 2.0 3.0])          ; => +: shapes (2) and (3) do not broadcast
(said - [#t #f])                  ; => -: booleans cannot be negated; given self bool (2)
(said zero? [0.0])                ; => #t
(said positive? [-1])             ; => #f
(said - v)                        ; => [-1.0 -2.0]
(print (map zero? (list [0.0] [1.0] 0 -0.0 +nan.0)))    ; => (#t #f #t #t #f)
(print (apply = (list [1.0] 1)) (apply < (list [1] 2 [3.0])))   ; => #t #t
