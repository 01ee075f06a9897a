; An error object among its own irritants, in a list, a table and a record, has an end when it is printed.
(define l (list 1))
(print (guard (e (#t (set-car! l e) e)) (error "in a list" l)))
; => #<error in a list (#<error in a list (#<error in a list ...>)>)>
(set-car! l 1)
(define t (make-hash-table))
(print (guard (e (#t (hash-set! t 'e e) t)) (error "in a table" 5 t)))
; => #<hash-table e: #<error in a table 5 #<hash-table e: #<error in a table 5 #<hash-table e: #<error in a table ...>>>>>>
(hash-clear! t)
(define (nested n) (guard (e (#t (if (= n 0) e (guard (f (#t f)) (error "level" n (nested (- n 1))))))) (error "level" n)))
(print (nested 1))  ; => #<error level 1 #<error level 0>>
(print (nested 3))  ; => #<error level 3 #<error level 2 #<error level ...>>>
(print (guard (e (#t e)) (error "plain" "text" 'x)))  ; => #<error plain "text" x>
