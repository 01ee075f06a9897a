; An operator that would overwrite what it reads, or write to elements that share their memory, is
; refused; what only looks like that is not.
(define-syntax said
  (syntax-rules ()
    ((_ e) (guard (x (#t (error-object-message x))) e))))
(define-syntax refused
  (syntax-rules ()
    ((_ e)
     (guard (x (#t (let ((text (error-object-message x)))
                     (cond ((string-contains text "would overwrite") 'overwrites)
                           ((string-contains text "share") 'shares)
                           (else text)))))
       e 'done))))

(define (matrix) (tensor '((1.0 2.0) (3.0 4.0))))
(define a (matrix))
(define b (matrix))
(define v (tensor '(1.0 2.0)))

; Products whose result is an operand.
(print (refused (tensor-mm a b :out a)))                       ; => overwrites
(print (refused (tensor-mm b a :out a)))                       ; => overwrites
(print (refused (tensor-matmul a b :out b)))                   ; => overwrites
(print (refused (tensor-mv a v :out v)))                       ; => overwrites
(print (refused (tensor-linear a b :out a)))                   ; => overwrites
(print (refused (tensor-addmm v a b :out a)))                  ; => overwrites
(print (refused (tensor-matrix-power a 2 :out a)))             ; => overwrites
(define c (tensor-stack (list (matrix) (matrix))))
(print (refused (tensor-bmm c c :out c)))                      ; => overwrites
(print (refused (tensor-baddbmm c c c :out c)))                ; => overwrites
(print (refused (tensor-addbmm a c c :out (tensor-select c 0 0))))  ; => overwrites
(print (refused (tensor-addmm! a a b)))                        ; => overwrites
(print (refused (tensor-linalg-multi-dot (list a b) :out b)))  ; => overwrites
(print (refused (tensor-outer v v :out (tensor-expand v 2 2)))) ; => shares
(print (refused (tensor-linalg-svd a :out (list a v b))))      ; => overwrites
(print a b v)                                                  ; => [[1.0 2.0] [3.0 4.0]] [[1.0 2.0] [3.0 4.0]] [1.0 2.0]

; An element of the result needs only the same element: these are right.
(print (tensor-add a b :out a))                                ; => [[2.0 4.0] [6.0 8.0]]
(print (tensor-addmm! a b b))                                  ; => [[9.0 14.0] [21.0 30.0]]
(print (tensor-addmm a b b :out a))                            ; => [[16.0 24.0] [36.0 52.0]]
(print (tensor-mul! a a))                                      ; => [[256.0 576.0] [1296.0 2704.0]]
(print (tensor-copy! a a))                                     ; => [[256.0 576.0] [1296.0 2704.0]]

; Parts of one tensor.
(define (square) (tensor-reshape (tensor-arange 9.0) 3 3))
(define s (square))
(print (refused (tensor-sub! s (tensor-slice s 1 0 1))))       ; => overwrites
(print (refused (tensor-sub! s (tensor-t s))))                 ; => overwrites
(print (refused (tensor-add! (tensor-slice s 0 1 3) (tensor-slice s 0 0 2))))  ; => overwrites
(print (refused (tensor-copy! (tensor-slice s 1 1 3) (tensor-slice s 1 0 2)))) ; => overwrites
(print (refused (tensor-add (tensor-slice s 1 0 2) 1 :out (tensor-slice s 1 1 3)))) ; => overwrites
(print (tensor-sub! (tensor-slice s 1 1 3) (tensor-slice s 1 0 1)))  ; => [[1.0 2.0] [1.0 2.0] [1.0 2.0]]
(print (tensor-add! (tensor-slice s 0 0 3 2) (tensor-slice s 0 1 2)))  ; => [[3.0 2.0 4.0] [9.0 2.0 4.0]]
(print (tensor-add! (tensor-select s 1 0) (tensor-select s 1 2)))  ; => [7.0 5.0 13.0]
(print (tensor-add! (tensor-select s 1 0) (tensor-select s 1 0)))  ; => [14.0 10.0 26.0]

; Elements that share memory.
(define (wide) (tensor-expand (tensor-zeros 1) 3))
(define mask (tensor '(#t #f #f)))
(define first-index (tensor '(0)))
(print (refused (tensor-zero! (wide))))                        ; => shares
(print (refused (tensor-masked-fill! (wide) mask 1.0)))        ; => shares
(print (refused (tensor-index-put! (wide) (list first-index) (tensor 1.0))))  ; => shares
(print (refused (tensor-index-fill! (wide) 0 first-index 1.0))) ; => shares
(print (refused (tensor-index-copy! (wide) 0 first-index (tensor '(1.0)))))   ; => shares
(print (refused (tensor-index-add! (wide) 0 first-index (tensor '(1.0)))))    ; => shares
(print (refused (tensor-scatter! (wide) 0 first-index 1.0)))   ; => shares
(print (refused (tensor-fill-diagonal! (tensor-expand (tensor-zeros 1) 2 2) 1.0)))  ; => shares
(print (refused (tensor-copy! (wide) v)))                      ; => shares
(print (refused (tensor-normal! (wide))))                      ; => shares
(print (refused (tensor-set! (wide) 0 1.0)))                   ; => shares
(print (refused (tensor-set! (wide) first-index 1.0)))         ; => shares
(print (refused (tensor-set! (tensor-unfold (tensor-zeros 4) 0 2 1) 0 0 1.0)))  ; => shares
(print (refused (tensor-add! (tensor-unfold (tensor-zeros 4) 0 2 1) 1.0)))      ; => shares
(print (refused (tensor-private--foreach-add! (list (wide)) 1.0)))     ; => shares
(print (tensor-add! (tensor-unfold (tensor-zeros 4) 0 2 2) 1.0))  ; => [[1.0 1.0] [1.0 1.0]]
(print (said (tensor-add! (wide) 1.0)))                        ; => tensor-add!: some elements share their memory, so they cannot be written to; given self float32 (3), other 1.0
(print (tensor-t! (tensor-expand (tensor-zeros 1) 2 2)))       ; => [[0.0 0.0] [0.0 0.0]]

; A number that is an element of the tensor is read first.
(define n (tensor '(1.0 2.0 3.0)))
(print (tensor-fill! n (tensor-select n 0 2)))                 ; => [3.0 3.0 3.0]
