; What Lambent adds to R7RS's numbers: bits, 1+, chance.
(print (1+ 5) (1- 5) (1+ 1/2) (map 1+ '(1 2)))    ; => 6 4 3/2 (2 3)
(print (bitwise-and 12 10) (bitwise-ior 12 10) (bitwise-xor 12 10) (bitwise-not 12)) ; => 8 14 6 -13
(print (bitwise-and) (bitwise-ior) (bitwise-xor) (bitwise-and 7) (bitwise-ior 1 2 4) (bitwise-xor 7 2 1)) ; => -1 0 0 7 7 4
(print (bitwise-and -1 (expt 2 100)) (bitwise-ior (expt 2 70) 1) (bitwise-xor -1 (expt 2 64))) ; => 1267650600228229401496703205376 1180591620717411303425 -18446744073709551617
(print (bitwise-and -8 -3) (bitwise-ior -8 3) (bitwise-xor -8 3) (bitwise-not (expt 2 64))) ; => -8 -5 -5 -18446744073709551617
(print (map bitwise-and '(12 7) '(10 2)) (apply bitwise-ior '(1 2 4 8))) ; => (8 2) 15
(print (arithmetic-shift 1 10) (arithmetic-shift 1 100) (arithmetic-shift -1 62) (arithmetic-shift 3 61)) ; => 1024 1267650600228229401496703205376 -4611686018427387904 6917529027641081856
(print (arithmetic-shift 1024 -3) (arithmetic-shift -5 -1) (arithmetic-shift -1 -1000) (arithmetic-shift (expt 2 100) -98)) ; => 128 -3 -1 4
(print (arithmetic-shift 5 (- (expt 10 30))) (arithmetic-shift 0 (expt 10 30)) (arithmetic-shift 7 0)) ; => 0 0 7
(print (bit-count 0) (bit-count 255) (bit-count -256) (bit-count (- (expt 2 100) 1))) ; => 0 8 8 100

; After a seed, chance is the same on both back ends and in every run.
(define (draw count limit)
  (let loop ((i 0) (drawn '()))
    (if (= i count) (reverse drawn) (loop (+ i 1) (cons (random limit) drawn)))))
(random-seed! 42)
(print (draw 8 6) (draw 3 1000000))               ; => (1 1 4 0 2 5 1 5) (444086 272194 559053)
(print (random) (random 10.0) (random 1))         ; => 0.8777672296213497 6.1676154258985925 0
(print (random (expt 10 40)) (random 4611686018427387904)) ; => 8747920996234119787352346161236337171063 3302387961498557995
(define first-draw (begin (random-seed! -1) (draw 5 100)))
(random-seed! 18446744073709551615)               ; the seed's low 64 bits count
(print (equal? first-draw (draw 5 100)))          ; => #t
(define (between? low x high) (and (<= low x) (< x high)))
(print (let loop ((i 0)) (or (= i 1000) (and (between? 0 (random 7) 7) (between? 0 (random 2.5) 2.5) (loop (+ i 1)))))) ; => #t
