; Patterns of SRFI 204 for places and trees: get!, set! and ***.
(define-record-type <point> (point x y) point? (x point-x) (y point-y set-point-y!))

; get! and set! are procedures of the place.
(define items (list 1 2 3))
(match items
  ((a (set! put) (get! third))
   (put 20)
   (set-car! (cddr items) 30)
   (print a items (third)))) ; => 1 (1 20 30) 30
(define v (vector 1 (vector 2 3)))
(match v (#(_ #((get! get) (and x (set! put)))) (put 9) (print (get) x v))) ; => 2 3 #(1 #(2 9))
(match '(1 2) ((_ (and x (get! get))) (print x (get)))) ; => 2 2
(match items (((set! puts) ... _) (for-each (lambda (put) (put 0)) puts) (print items))) ; => (0 0 30)
(match (vector 1 2 3) ((and all #(_ (set! puts) ...)) (for-each (lambda (put) (put 7)) puts) (print all))) ; => #(1 7 7)
(define p (point 1 2))
(match p (($ <point> (get! x) (set! put)) (put 8) (print (x) (point-y p)))) ; => 1 8
(match p ((@ <point> (y (set! put)) (x (get! x))) (put 9) (print (point-y p) (x)))) ; => 9 1
(define table (hash-table 'k 1))
(match table ((hash-table 'k (and (set! put) (get! get))) (put 5) (print (get) table))) ; => 5 #<hash-table k: 5>
; Without a place, get! returns the value.
(match 5 ((get! get) (print (get)))) ; => 5
(match '(1 2) ((= car (get! get)) (print (get)))) ; => 1
(define pairs (list (list 'a 1) (list 'b 2)))
(match-let (((((_ (set! put)) _)) (list pairs))) (put 10) (print pairs)) ; => ((a 10) (b 2))
(match pairs ((or ('z (set! put)) (_ ('b (set! put)))) (put 'new) (print pairs))) ; => ((a 10) (b new))
(define (increment! cell) (match cell (((and n (set! put))) (put (+ n 1)) cell)))
(print (map increment! (list (list 1) (list 5)))) ; => ((2) (6))
(define put-in-all (match-lambda (((set! puts) ...) (lambda (x) (for-each (lambda (put) (put x)) puts)))))
(define cells (list 1 2 3))
((put-in-all cells) 'x)
(print cells) ; => (x x x)

; (head *** found) finds a tree below lists, and collects what their heads match.
(print (match '(a (a (a b))) ((x *** 'b) x))) ; => (a a a)
(print (match 'b ((x *** 'b) x))) ; => ()
(print (match '(a b (c d)) (('a . (x *** 'd)) x))) ; => (b c)
(print (match '(a (b) (c (d 5 (e)))) ((x *** (? number? n)) (list x n)))) ; => ((a c d) 5)
(print (match '(a (b) (c (d 5 (e)))) (((and x (or 'a 'c)) *** ('d n . _)) (list x n)) (_ 'no))) ; => ((a c) 5)
(print (match '(a (b) (c (d 5 (e)))) (((and x (or 'a 'b)) *** ('d n . _)) (list x n)) (_ 'no))) ; => no
(print (match '(a b) ((_ *** 7) 'seven) (_ 'none)) (match '() ((x *** 7) x) (_ 'none)) (match '(a . 7) ((x *** 7) x) (_ 'none))) ; => none none none
(print (match '(html (head (title "t")) (body (div (p 1) (p 2)))) ((path *** ('p content)) (list path content)))) ; => ((html body div) 1)
(print (match '(1 (x (y 5))) ((n (tags *** (? number? m))) (list n tags m)))) ; => (1 (x y) 5)
(print (match '((k a) (p (q 3))) ((((names values) *** 3) . _) 'first) ((_ (path *** 3)) path))) ; => (p q)
(define tree (list 'a (list 'b 1)))
(match tree ((_ *** ('b (set! put))) (put 7) (print tree))) ; => (a (b 7))
(define (deep n) (if (= n 0) 'end (list n (deep (- n 1)))))
(print (match (deep 1000) ((path *** 'end) (length path)))) ; => 1000
(define (finder) (match-lambda ((path *** ('key value)) (cons value path)) (_ #f)))
(print (map (finder) '((a (key 1)) (a (b (key 2))) (a b)))) ; => ((1 a) (2 a b) #f)

; Their names may mean something else.
(let ((get! (lambda (x) x)) (*** 5)) (print (match '(1 2 3) ((get! *** x) (list get! *** x))))) ; => (1 2 3)
