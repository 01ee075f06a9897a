; Numbers at work: large integers, fractions, divisions, doubles.
(define (factorial n) (if (< n 2) 1 (* n (factorial (- n 1)))))
(print (modulo (factorial 1000) 1000000007))      ; => 641419708

(define (fibonacci-pair n)
  "The n-th Fibonacci number and the next, by halves."
  (if (zero? n)
      (cons 0 1)
      (let* ((pair (fibonacci-pair (quotient n 2)))
             (a (car pair)) (b (cdr pair))
             (c (* a (- (* 2 b) a)))
             (d (+ (square a) (square b))))
        (if (even? n) (cons c d) (cons d (+ c d))))))
(print (car (fibonacci-pair 100)) (modulo (car (fibonacci-pair 10000)) 1000000007)) ; => 354224848179261915075 271496360

(define (bezout a b)
  "The greatest common divisor, and the factors that give it."
  (if (= b 0)
      (list a 1 0)
      (let-values (((quotient rest) (floor/ a b)))
        (let ((inner (bezout b rest)))
          (list (car inner) (caddr inner) (- (cadr inner) (* quotient (caddr inner))))))))
(print (bezout 240 46) (bezout (expt 2 100) (expt 3 60))) ; => (2 -9 47) (1 9382417277103441972390122140 -280568575543392085954464369839)

(define (power-modulo base exponent modulus)
  (let loop ((b (modulo base modulus)) (e exponent) (result 1))
    (cond ((= e 0) result)
          ((odd? e) (loop (modulo (* b b) modulus) (quotient e 2) (modulo (* result b) modulus)))
          (else (loop (modulo (* b b) modulus) (quotient e 2) result)))))
(print (power-modulo 3 (expt 10 50) 1000000007) (power-modulo 2 1000 (expt 10 20))) ; => 268921114 24386837205668069376

(define (euler terms)
  (let loop ((k 1) (term 1) (sum 1))
    (if (> k terms) sum (let ((term (/ term k))) (loop (+ k 1) term (+ sum term))))))
(print (euler 20) (inexact (euler 20)))           ; => 6613313319248080001/2432902008176640000 2.718281828459045

(define (newton x)
  (let loop ((guess 1.0) (i 0))
    (if (= i 30) guess (loop (/ (+ guess (/ x guess)) 2) (+ i 1)))))
(print (newton 2) (newton 1/2) (newton 1e10))     ; => 1.414213562373095 0.7071067811865475 100000.0

(define (pi terms)
  (let loop ((k 0) (sum 0))
    (if (= k terms)
        sum
        (let ((eight (* 8 k)))
          (loop (+ k 1)
                (+ sum (* (expt 16 (- k))
                          (- (/ 4 (+ eight 1)) (/ 2 (+ eight 4)) (/ (+ eight 5)) (/ (+ eight 6))))))))))
(print (inexact (pi 12)) (= (inexact (pi 12)) (acos -1))) ; => 3.141592653589793 #t
