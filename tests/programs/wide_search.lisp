;; Searches in texts that are not Latin: long needles are searched for in another way.
(define (times n text) (apply string-append (make-list n text)))
(define (place n)
  "Where a needle of n characters stands after one that is almost the same."
  (let ((needle (string (times (- n 1) "λ") "μ")))
    (list (string-contains (string (times n "λ") "x" needle "x" needle) needle)
          (string-contains (string (times (* 2 n) "λ") "x") needle)
          (string-contains needle (string needle "μ"))
          (string-contains needle needle)
          (length (string-split (string needle "a" needle needle "b") needle)))))
(print (place 2))  ; => (3 #f #f 0 4)
(print (place 15)) ; => (16 #f #f 0 4)
(print (place 16)) ; => (17 #f #f 0 4)
(print (place 17)) ; => (18 #f #f 0 4)
(print (place 90)) ; => (91 #f #f 0 4)

;; Needles whose beginnings come again in them.
(define (found text needle) (string-contains text (times 4 needle)))
(print (found (string (times 3 "αβαβγ") "αβαβαβαβγ" (times 4 "αβαβγ")) "αβαβγ"))  ; => 19
(print (found (string (times 3 "ααβαα") "α" (times 4 "ααβαα")) "ααβαα"))          ; => 16
(print (found (string "𝄞" (times 9 "abcd")) "abcd"))                             ; => 1
(print (found (times 9 "abcd") "abc𝄞"))                                          ; => #f
(print (string-contains (times 20 "λ") (times 18 "λ") 2))                        ; => 2
(print (string-contains (times 20 "λ") (times 18 "λ") 3))                        ; => #f

;; A search for every beginning of every rest of a text finds what comparing finds.
(define text "αβααβαβααβααβαβααβαβααβααβαβααβααβαβα")
(define (stands? needle at)
  (let ((end (+ at (string-length needle))))
    (and (<= end (string-length text)) (string=? (substring text at end) needle))))
(define (first-place needle at)
  (cond ((> at (string-length text)) #f)
        ((stands? needle at) at)
        (else (first-place needle (+ at 1)))))
(define n (string-length text))
(define wrong '())
(do ((from 0 (+ from 1))) ((= from n))
  (do ((to (+ from 1) (+ to 1))) ((> to n))
    (let ((needle (substring text from to)))
      (unless (eqv? (string-contains text needle) (first-place needle 0))
        (set! wrong (cons needle wrong))))))
(print wrong) ; => ()
