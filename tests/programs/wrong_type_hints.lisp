; The hint for a value of the wrong type: tensors where brackets stand for lists, arguments in
; another order, and what makes the right type.

(define (hint f) (guard (e (#t (error-object-hint e))) (f)))

(print (hint (lambda () (map abs [1 2]))))
; => [...] is a tensor, not a list: write (list 1 2) or '(1 2), or (tensor->list t)
(print (hint (lambda () ([1 2] 0))))
; => [...] is a tensor, (...) calls: write (tensor-ref t index) for an element
(print (hint (lambda () (car [1 2]))))
; => [...] is a tensor, not a list: write (tensor-ref t 0), or (tensor->list t) for a list
(print (guard (e (#t (error-object-message e))) (list-ref #(1 2) 0)))
; => list-ref: expected a list, got #(1 2)
(print (list-tail 5 0))  ; => 5
(print (guard (e (#t (error-object-message e))) (list-tail '(1) 2)))
; => list-tail: index 2 is out of range for length 1
(print (hint (lambda () (filter '(1 2) odd?))))         ; => the order is (filter procedure list)
(print (hint (lambda () (list-ref 0 '(1)))))            ; => the order is (list-ref list index)
(print (hint (lambda () (hash-ref "k" (hash-table)))))  ; => the order is (hash-ref table key default)
(print (hint (lambda () (assoc '((a 1)) 'a))))          ; => the order is (assoc key list)
(print (hint (lambda () (= 'a 'a))))                    ; => = compares numbers, equal? any values
(print (hint (lambda () (< "a" "b"))))                  ; => string<? compares strings
(print (hint (lambda () (string->symbol 'a))))          ; => it is a symbol already
(print (hint (lambda () (car '()))))                    ; => #f
