; Hash tables: equal? keys in the order of insertion.
(define t (make-hash-table))
(for-each (lambda (k v) (hash-set! t k v))
          (list 'a "b" 3 4.0 1/2 #\c :k '(1 (2)) (vector 1 2) (expt 10 30) #t '() "é日")
          (iota 13))
(print t (hash-size t))                               ; => #<hash-table a: 0 b: 1 3: 2 4.0: 3 1/2: 4 c: 5 :k: 6 (1 (2)): 7 #(1 2): 8 1000000000000000000000000000000: 9 #t: 10 (): 11 é日: 12> 13
(print (map (lambda (k) (hash-ref t k 'none))
            (list 'a (string #\b) 3 4.0 2/4 #\c :k (list 1 (list 2)) #(1 2) (* (expt 10 15) (expt 10 15)) #t '() (string-append "é" "日")))) ; => (0 1 2 3 4 5 6 7 8 9 10 11 12)
(print (map (lambda (k) (hash-ref t k 'none)) '(b 3.0 4 "a" (1 2) #(1) 0.5 #f A))) ; => (none none none none none none none none none)
(write (hash-keys t)) (newline)                       ; => (a "b" 3 4.0 1/2 #\c :k (1 (2)) #(1 2) 1000000000000000000000000000000 #t () "é日")
(hash-delete! t 3) (hash-delete! t 'gone)
(hash-set! t 'a 'new) (hash-set! t 3 'again)
(print (hash-values t))                               ; => (new 1 3 4 5 6 7 8 9 10 11 12 again)
(print (hash-has-key? t 'a) (hash-has-key? t 'b) (hash-table? t) (hash-table? '())) ; => #t #f #t #f
(define floats (make-hash-table))
(hash-set! floats 0.0 'plus) (hash-set! floats -0.0 'minus) (hash-set! floats +nan.0 'nan) (hash-set! floats 0 'exact)
(print (hash-ref floats 0.0) (hash-ref floats (- 0.0)) (hash-ref floats (- +inf.0 +inf.0)) (hash-ref floats 0)) ; => plus minus nan exact
; Updates, walks, copies.
(define words (make-hash-table))
(for-each (lambda (w) (hash-update! words w (lambda (n) (+ n 1)) 0)) '("the" "cat" "the" "hat" "the"))
(print (hash->list words))                            ; => ((the . 3) (cat . 1) (hat . 1))
(hash-for-each words (lambda (k v) (display k) (display v) (hash-delete! words "cat") (hash-set! words (string-append k k) v)))
(newline)                                             ; => the3cat1hat1
(print (hash->list words))                            ; => ((the . 3) (hat . 1) (thethe . 3) (catcat . 1) (hathat . 1))
(define copy (hash-copy words))
(hash-clear! words)
(print words (hash-keys words) (hash-size copy) (hash-ref copy "hathat"))  ; => #<hash-table> () 5 1
(print (hash-fold (lambda (k v n) (+ v n)) 0 copy) (hash-map copy (lambda (k v) v)))  ; => 9 (3 1 3 1 1)
(print (hash->list (hash-table 'x 1 'y 2)) (hash->list (alist->hash-table '((a . 1) (b . 2) (a . 3))))) ; => ((x . 1) (y . 2)) ((a . 1) (b . 2))
; Many keys, and many deletions.
(define big (make-hash-table))
(dotimes (i 20000) (hash-set! big i (* i i)))
(dotimes (i 20000) (hash-set! big (number->string i) i))
(dotimes (i 20000) (unless (= 0 (modulo i 1000)) (hash-delete! big i) (hash-delete! big (number->string i))))
(dotimes (i 100) (hash-set! big (- -1 i) i))
(print (hash-size big) (hash-ref big 3000) (hash-ref big "19000") (hash-ref big 3001 'no) (length (hash-keys big))) ; => 140 9000000 19000 no 140
(print (car (hash-keys big)) (list-ref (hash-keys big) 20) (list-ref (hash-keys big) 139)) ; => 0 0 -100
; A key is hashed as it is when it is put in; procedures and records are keys by identity.
(define key (list 1 2))
(define m (hash-table key 'here car 'car))
(set-car! key 9)
(print (hash-ref m '(1 2) 'no) (hash-ref m '(9 2) 'no) (hash-ref m car) (hash-ref m cdr 'no))  ; => no no car no
(define long (iota 200))
(define longs (hash-table long 1 (append long '(x)) 2))
(print (hash-ref longs (iota 200)) (hash-ref longs (append (iota 200) '(x))) (hash-ref longs (iota 199) 'no)) ; => 1 2 no
(define nested (hash-table 'inner (hash-table 'x 1)))
(print (hash-ref (hash-ref nested 'inner) 'x))        ; => 1
; The names of SRFI 69.
(define s (make-hash-table))
(hash-table-set! s 'a 1) (hash-table-set! s 'b 2)
(print (hash-table-ref s 'a) (hash-table-ref s 'z (lambda () 'fail)) (hash-table-ref s 'b (lambda () 0) -) (hash-table-ref/default s 'z 0)) ; => 1 fail -2 0
(hash-table-update! s 'a (lambda (x) (+ x 10)))
(hash-table-update! s 'c (lambda (x) (+ x 10)) (lambda () 5))
(hash-table-update!/default s 'd (lambda (x) (cons 1 x)) '())
(print (hash-table->alist s) (hash-table-count s) (hash-table-contains? s 'a)) ; => ((a . 11) (b . 2) (c . 15) (d 1)) 4 #t
(hash-table-delete! s 'a)
(hash-table-walk s (lambda (k v) (display k)))
(print (hash-table-keys s) (hash-table-values s) (hash-table-fold s (lambda (k v n) (+ n 1)) 0)) ; => bcd(b c d) (2 15 (1)) 3
; What is printed of a table: 20 entries in order, with labels for cycles.
(define shown (hash-table 'a "x" "b" '(1 "y")))
(write shown) (newline)                               ; => #<hash-table a: "x" "b": (1 "y")>
(hash-set! shown 'self (list shown))
(print (vector shown))                                ; => #(#0=#<hash-table a: x b: (1 y) self: (#0#)>)
(hash-delete! shown 'self)
(define many (make-hash-table))
(for-each (lambda (i) (hash-set! many i (* i i))) (iota 25))
(print many)                                          ; => #<hash-table 0: 0 1: 1 2: 4 3: 9 4: 16 5: 25 6: 36 7: 49 8: 64 9: 81 10: 100 11: 121 12: 144 13: 169 14: 196 15: 225 16: 256 17: 289 18: 324 19: 361 ... 5 more>
(for-each (lambda (i) (hash-delete! many i)) '(0 1 3 24))
(hash-set! many 4 'new)
(write many) (newline)                                ; => #<hash-table 2: 4 4: new 5: 25 6: 36 7: 49 8: 64 9: 81 10: 100 11: 121 12: 144 13: 169 14: 196 15: 225 16: 256 17: 289 18: 324 19: 361 20: 400 21: 441 22: 484 ... 1 more>
(print (guard (e (#t (error-object-message e))) (car many))) ; => car: expected a pair, got #<hash-table 2: 4 4: new 5: 25 6: 36 7: 49 8: 64 9: 81 10: 1...
(write-shared (list many many)) (newline)             ; => (#0=#<hash-table 2: 4 4: new 5: 25 6: 36 7: 49 8: 64 9: 81 10: 100 11: 121 12: 144 13: 169 14: 196 15: 225 16: 256 17: 289 18: 324 19: 361 20: 400 21: 441 22: 484 ... 1 more> #0#)
