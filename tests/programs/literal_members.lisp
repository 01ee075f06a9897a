; Searches of literal lists: as tests they compare words, as values they return the rest of the list.

(define (kind key)
  (cond ((memv key '(#\a #\b)) 1)
        ((memq key '(x y 3 #t)) 2)
        ((or (eq? key 'z) (member (if (pair? key) (car key) key) '(z () w))) 3)
        ((memv key '(1.5 "text" 100000000000000000000)) 4)
        ((member key '("text" (1 2))) 5)
        ((not (memq key '())) 6)
        (else 7)))
(print (map kind (list #\a #\b #\c 'x 'q 3 #t #f '() 'z '(w) '(a) 1.5 "text" '(1 2) (expt 10 20))))
                                                   ; => (1 1 6 2 6 2 2 6 3 3 3 6 4 5 5 4)
(print (memq 'b '(a b c)) (memv 2 '(1)))           ; => (b c) #f
(define (from key) (cond ((memq key '(a b c)) => cdr) (else 'none)))
(print (from 'b) (from 'd))                        ; => (c) none

; The key is computed once, and its error is at its place.
(define calls 0)
(define (next!) (set! calls (+ calls 1)) calls)
(print (if (memv (next!) '(5 1 7)) calls 'no))     ; => 1
(print (guard (e (#t (error-object-message e))) (if (memq (car calls) '(a b)) 1 2)))
                                                   ; => car: expected a pair, got 1
(define (is-small? n) (if (memv n '(0 1 2)) #t #f))
(print (let loop ((n 0) (count 0)) (if (= n 10) count (loop (+ n 1) (if (is-small? n) (+ count 1) count)))))
                                                   ; => 3
(print (if (memv (tensor '(1 2)) '(1 2)) 'found 'none))   ; => none

; A procedure is searched for in one that is not used.
(define (pair-of x)
  (let ((f (lambda (y) (list y x))))
    (let ((unused (lambda () (if (memq f '(a b c)) 1 2))))
      (list f f))))
(print (map (lambda (f) (f 1)) (pair-of 2)))       ; => ((1 2) (1 2))
