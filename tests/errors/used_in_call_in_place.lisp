(define x (let loop ((i 0)) (if (= i 1) ((lambda () (later))) (loop (+ i 1)))))
(define (later) 1)

; error, status 70:
; used_in_call_in_place.lisp:1:54: unbound variable: later
;   1 | (define x (let loop ((i 0)) (if (= i 1) ((lambda () (later))) (loop (+ i 1)))))
;     |                                                      ^^^^^
;   in loop, called at used_in_call_in_place.lisp:1:11
