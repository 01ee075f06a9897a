; What an operator gives back: its arguments themselves where it returns them, also in lists.
(define a [1.0 4.0])
(define values (tensor-zeros 0))
(define indices (tensor-zeros 0 :dtype 'int64))
(define both (tensor-max [[1.0 5.0] [7.0 2.0]] 0 :max values :max-values indices))
(print (eq? (car both) values) (eq? (cadr both) indices) values indices) ; => #t #t [7.0 5.0] [1 0]
(print (eq? (car (tensor-atleast-1d (list a))) a)) ; => #t

; In-place operators over lists return the list's tensors.
(define roots (tensor-private--foreach-sqrt! (list a [9.0])))
(print roots (eq? (car roots) a))            ; => ([1.0 2.0] [3.0]) #t

; Dtypes are symbols.
(print (tensor-result-type [1] [2.0]) (tensor-promote-types 'uint8 'int8)) ; => float32 int16

; A tensor without dimensions may stand for a number.
(print (tensor-add a a :alpha (tensor 2.0)) (tensor-full '(2) (tensor 3))) ; => [3.0 6.0] [3 3]

; #f leaves a list with a default out, and the empty list an optional boolean.
(print (tensor-max-pool1d [[1.0 3.0 2.0 4.0]] 2 #f)) ; => [[3.0 4.0]]
(print (tensor-shape (tensor-stft (tensor-ones 16) 4 #f #f #f :onesided '() :return-complex #t))) ; => (3 17)

; The empty list is a list where one is optional: no dimension is reduced.
(print (tensor-all [[#t #f]] :dim '()) (tensor-all [[#t #f]] :dim #f)) ; => [[#t #f]] #f
(print (tensor-dtype (tensor-randint 5 '(2) :dtype #f))) ; => int64

; What stands for an integer once is not taken for one the next time.
(print (tensor-zeros (tensor 2) 1) (tensor-reshape [1 2 3 4] (tensor 2) 2)) ; => [[0.0] [0.0]] [[1 2] [3 4]]
(define (tries n) (guard (e (#t 'refused)) (tensor-shape (tensor-zeros n 1))))
(print (map tries (list (tensor 2) (tensor 2.5)))) ; => ((2 1) refused)

; Gradients that are zero everywhere may have no storage; they print all the same.
(define signs (requires-grad! [1.0 -2.0]))
(print (gradients (tensor-sum (tensor-sgn signs)) (list signs))) ; => ([0.0 0.0])
