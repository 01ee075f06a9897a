; Beside tensors, procedures borrow what holds none; those that may meet one
; own their arguments, which die at their last use.

(define (sum items)
  (if (null? items) 0 (+ (car items) (sum (cdr items)))))
(define (scale! v factor)
  (do ((i 0 (+ i 1))) ((= i (vector-length v)) v)
    (vector-set! v i (* factor (vector-ref v i)))))
(define (total items)
  (if (null? items) 0 (+ (car items) (total (cdr items)))))

(print (sum (iota 1000)))                    ; => 499500
(print (sum (list 0.5 1/2 (expt 2 70))))     ; => 1.1805916207174113e21
(print (scale! (vector 1 2.5 1/3) 3))        ; => #(3 7.5 1)
(print (total (list 1 (tensor-ones 2) 2.5)))  ; => [4.5 4.5]
(print (guard (e (#t (error-object-message e))) (sum (list 1 'two))))
                                             ; => +: expected a number, got two
