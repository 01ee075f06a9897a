;; Strings: a hash table with chains, written in the program, that counts words.

(define buckets 16384)

(define (hash text)
  (let ((n (string-length text)))
    (let loop ((i 0) (h 5381))
      (if (= i n)
          (modulo h buckets)
          (loop (+ i 1)
                (modulo (+ (* h 33) (char->integer (string-ref text i)))
                        1000000007))))))

(define (find-entry key chain)
  (cond ((null? chain) #f)
        ((string=? key (caar chain)) (car chain))
        (else (find-entry key (cdr chain)))))

(define (count-word! table key)
  (let* ((place (hash key))
         (chain (vector-ref table place))
         (entry (find-entry key chain)))
    (if entry
        (set-cdr! entry (+ (cdr entry) 1))
        (vector-set! table place (cons (cons key 1) chain)))))

(define (word i)
  (string-append "word-" (number->string (modulo (* i 7919) 50021))))

(define (run size)
  (let ((table (make-vector buckets '())))
    (do ((i 0 (+ i 1))) ((= i size))
      (count-word! table (word i)))
    (do ((i 0 (+ i 1))
         (sum 0 (modulo (+ (* sum 31) (cdr (find-entry (word i) (vector-ref table (hash (word i))))))
                        1000003)))
        ((= i 1000) sum))))

(display (run (string->number (cadr (command-line)))))
(newline)
