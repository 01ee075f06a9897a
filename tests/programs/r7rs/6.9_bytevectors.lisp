; R7RS 6.9: bytevectors.
(print #u8(0 10 5) '#u8() #u8(#xff #b11))         ; => #u8(0 10 5) #u8() #u8(255 3)
(write (list #u8(1) '(a #u8(2)) #(#u8(3))))
(newline)                                         ; => (#u8(1) (a #u8(2)) #(#u8(3)))
(print (bytevector? #u8()) (bytevector? #(1)) (bytevector? "a") (vector? #u8())) ; => #t #f #f #f
(print (make-bytevector 2 12) (make-bytevector 3) (bytevector-length (make-bytevector 1000))) ; => #u8(12 12) #u8(0 0 0) 1000
(print (bytevector 1 3 5 1 3 5) (bytevector))     ; => #u8(1 3 5 1 3 5) #u8()
(print (bytevector-u8-ref #u8(1 1 2 3 5 8 13 21) 5) (+ 1 (bytevector-u8-ref #u8(255) 0))) ; => 8 256
(let ((b (bytevector 1 2 3 4)))
  (bytevector-u8-set! b 1 3)
  (print b))                                      ; => #u8(1 3 3 4)
(print (bytevector-length #u8(1 2 3)))            ; => 3
(define a #u8(1 2 3 4 5))
(print (bytevector-copy a 2 4) (bytevector-copy a 3) (bytevector-copy a)) ; => #u8(3 4) #u8(4 5) #u8(1 2 3 4 5)
(let ((a (bytevector 1 2 3 4 5)) (b (bytevector 10 20 30 40 50)))
  (bytevector-copy! b 1 a 0 2)
  (print b)                                       ; => #u8(10 1 2 40 50)
  (bytevector-copy! a 1 a 0 4)
  (print a)                                       ; => #u8(1 1 2 3 4)
  (bytevector-copy! a 0 a 1)
  (print a)                                       ; => #u8(1 2 3 4 4)
  (bytevector-fill! a 7)
  (bytevector-fill! a 0 1 3)
  (bytevector-fill! a 9 4)
  (print a))                                      ; => #u8(7 0 0 7 9)
(print (bytevector-append #u8(0 1 2) #u8(3 4 5)) (bytevector-append) (bytevector-append #u8(1) #u8() #u8(2))) ; => #u8(0 1 2 3 4 5) #u8() #u8(1 2)
(print (utf8->string #u8(#x41)) (string->utf8 "λ") (utf8->string (string->utf8 "日本語 🙂"))) ; => A #u8(206 187) 日本語 🙂
(print (utf8->string #u8(65 66 67 68) 1) (utf8->string #u8(65 66 67 68) 1 3) (utf8->string #u8(239 191 189))) ; => BCD BC �
(print (string->utf8 "abλd" 2) (string->utf8 "abλd" 1 3) (string->utf8 "")) ; => #u8(206 187 100) #u8(98 206 187) #u8()
(print (equal? #u8(1 2) (bytevector 1 2)) (equal? #u8(1) #u8(2)) (equal? #u8(1) #(1)) (eqv? #u8() #u8(1))) ; => #t #f #f #f
(print (let loop ((k 0) (sum 0)) (if (= k 5) sum (loop (+ k 1) (+ sum (bytevector-u8-ref a k)))))) ; => 15
(print `(1 ,@(list 2) #u8(3)))                    ; => (1 2 #u8(3))
