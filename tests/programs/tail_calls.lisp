; Tail calls take no room: self, mutual, through unknown procedures, through apply, cond and and/or.
(define (count-down n) (if (= n 0) 'done (count-down (- n 1))))
(print (count-down 1000000))                      ; => done
(define (ping n) (if (= n 0) 'ping (pong (- n 1))))
(define (pong n) (if (= n 0) 'pong (ping (- n 1))))
(print (ping 1000000) (ping 999999))              ; => ping pong
(define (bounce f g n) (if (= n 0) 'landed (f g f (- n 1))))
(print (bounce bounce bounce 1000000))            ; => landed
(define (through step n) (cond ((= n 0) 'end) (else (step (- n 1)))))
(define (stepper n) (through (lambda (m) (stepper m)) n))
(print (stepper 300000))                          ; => end
(define (logical n) (and #t (or #f (if (= n 0) 'out (logical (- n 1))))))
(print (logical 1000000))                         ; => out
(define (applied n) (if (= n 0) 'applied (apply applied (list (- n 1)))))
(print (applied 300000))                          ; => applied
(define (held n big) (if (= n 0) (length big) (held (- n 1) (list n n n))))
(print (held 1000000 '()))                        ; => 3
(define (in-let n) (let* ((m (- n 1)) (l (list m))) (when (>= m 0) (in-let (car l)))))
(in-let 1000000)
(define (machine state n)
  (case state
    ((start) (machine 'middle n))
    ((middle) (if (= n 0) (machine 'stop n) (machine 'start (- n 1))))
    (else state)))
(print (machine 'start 500000))                   ; => stop
(define (local n)
  (define (even n) (if (= n 0) #t (odd (- n 1))))
  (define (odd n) (if (= n 0) #f (even (- n 1))))
  (even n))
(print (local 1000001))                           ; => #f
(define dispatch (vector (lambda (n) (run 1 n)) (lambda (n) (run 0 n))))
(define (run which n) (if (= n 0) which ((vector-ref dispatch which) (- n 1))))
(print (run 0 600001))                            ; => 1
