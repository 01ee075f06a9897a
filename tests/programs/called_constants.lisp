;; A call of a constant fails as any call of what is not a procedure.

(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (id x) x)

(print (message (lambda () (id (#t 1)))))     ; => not a procedure: #t
(print (message (lambda () (id (#f)))))       ; => not a procedure: #f
(print (message (lambda () (id ('() 1 2)))))  ; => not a procedure: ()
(print (message (lambda () (id ((if #f #f) 1)))))  ; => not a procedure: #<unspecified>
(print (message (lambda () (id ('a 1)))))     ; => not a procedure: a
(print (message (lambda () (id (#\a 1)))))    ; => not a procedure: #\a
(print (message (lambda () (id (:key 1)))))   ; => not a procedure: :key
(print (message (lambda () (id ("text" 1)))))  ; => not a procedure: "text"
(print (message (lambda () (id (5 1)))))      ; => not a procedure: 5
(print (message (lambda () (id (2.5)))))      ; => not a procedure: 2.5
(print (message (lambda () (id (1/2)))))      ; => not a procedure: 1/2
(print (message (lambda () (id ('(1 2) 0)))))  ; => not a procedure: (1 2)
(print (message (lambda () (id (#(1) 0)))))   ; => not a procedure: #(1)
(print (message (lambda () (id (#u8(1) 0)))))  ; => not a procedure: #u8(1)
(print (message (lambda () (id ((eof-object) 0)))))  ; => not a procedure: #<eof>
(print (guard (e (#t (error-object-message e))) (id ('() 1))))  ; => not a procedure: ()
(define (in-place x) (guard (e (#f 1)) (#t x)))
(print (message (lambda () (in-place 1))))    ; => not a procedure: #t
(let ((a:b 5))
  (print (message (lambda () (id (a:b 1))))))  ; => not a procedure: 5
