; The default comparator compares sets, bags, mappings and hashmaps, too.
(import (srfi 113) (srfi 128) (srfi 146) (srfi 146 hash))
(define default (make-default-comparator))
(define numbers (make-comparator number? = < number-hash))
(define (m . entries) (apply mapping default entries))
(define (h . entries) (apply hashmap default entries))
(define (s . elements) (apply set numbers elements))
(print (=? default (s 1 2) (s 2 1)) (=? default (s 1 2) (s 1 3)) (=? default (s 1) (bag numbers 1))) ; => #t #f #f
(print (=? default (bag numbers 1 1) (bag numbers 1 1)) (=? default (bag numbers 1 1) (bag numbers 1))) ; => #t #f
(print (= (default-hash (s 1 2)) (default-hash (s 2 1))) (set-size (set default (s 1 2) (s 2 1) (s 3)))) ; => #t 2
(print (=? default (m 'a 1) (m 'a 1)) (<? default (m 'a 1) (m 'a 2)) (<? default (m 'a 1) (m 'b 0)) (<? default (m 'b 0) (m 'a 1))) ; => #t #t #t #f
(print (=? default (h 'a 1 'b 2) (h 'b 2 'a 1)) (= (default-hash (h 'a 1)) (default-hash (h 'a 1)))) ; => #t #t
(print (mapping-ref (m (m 'a 1) 'first (m) 'empty) (m 'a 1)) (hashmap-ref (h (h 'a 1) 'first) (h 'a 1))) ; => first first
(print (=? default (list (m 'a (s 1))) (list (m 'a (s 1)))) (=? default (list (m 'a (s 1))) (list (m 'a (s 2))))) ; => #t #f

; Mappings of two comparators have different keys, whatever these are.
(print (mapping=? default (mapping numbers 1 'a) (mapping default 1 'a)) (hashmap=? default (hashmap numbers 1 'a) (hashmap default 1 'a))) ; => #f #f
(print (guard (e (#t (error-object-message e))) (mapping=? default (m) (h)))) ; => mapping=?: expected a mapping, got #<hashmap comparator: #<comparator type-test: #<procedure %a...

; Its hashes are those of the types.
(print (map (lambda (hash x) (= (hash x) (comparator-hash default x))) (list boolean-hash char-hash string-hash symbol-hash number-hash) '(#t #\a "a" a 1.5))) ; => (#t #t #t #t #t)
(print (= (char-ci-hash #\a) (char-ci-hash #\A))) ; => #t
