; define-record-type: constructors, predicates, accessors, modifiers; disjoint types.
(define-record-type <pare> (kons x y) pare? (x kar set-kar!) (y kdr))
(print (pare? (kons 1 2)) (pare? (cons 1 2)))         ; => #t #f
(print (kar (kons 1 2)) (kdr (kons 1 2)))             ; => 1 2
(print (let ((k (kons 1 2))) (set-kar! k 3) (kar k))) ; => 3
(print (kons 1 '(a "b"))  <pare>)                     ; => #<pare x: 1 y: (a b)> #<record-type pare>
(write (kons 1 "b")) (newline)                        ; => #<pare x: 1 y: "b">
; A constructor may take some fields, in any order; the others begin as #f.
(define-record-type point (make-point y x) point? (x point-x) (y point-y) (z point-z set-point-z!) (hidden))
(define p (make-point 1 2))
(print p (point-x p) (point-z p))                     ; => #<point x: 2 y: 1 z: #f hidden: #f> 2 #f
(set-point-z! p 'deep)
(print (point-z p) (map point-y (list p p)))          ; => deep (1 1)
; No constructor, no predicate, no fields; a constructor without fields listed.
(define-record-type <abstract> #f abstract? (a abstract-a))
(define-record-type <nothing> (make-nothing) #f)
(define-record-type <all> make-all all? (a all-a) (b all-b))
(print (abstract? p) (make-nothing) (all-b (make-all 1 2))) ; => #f #<nothing> 2
; Types are disjoint from each other, also those of one name, and from everything else.
(define (make-type)
  (define-record-type thing (make-thing n) thing? (n thing-n))
  (cons make-thing thing?))
(define one (make-type))
(define two (make-type))
(define thing ((car one) 1))
(print ((cdr one) thing) ((cdr two) thing))           ; => #t #f
(print (vector? p) (pair? p) (procedure? p) (list? p) (symbol? p) (pare? p) (point? 'p)) ; => #f #f #f #f #f #f #f
(print (eq? p p) (eqv? p p) (equal? (kons 1 2) (kons 1 2)) (equal? thing thing)) ; => #t #t #f #t
; Records hold records; a circle prints with labels.
(define-record-type node (make-node value next) node? (value node-value) (next node-next set-node-next!))
(define (sum n) (if (node? n) (+ (node-value n) (sum (node-next n))) 0))
(define (build k) (let loop ((i 0) (n #f)) (if (= i k) n (loop (+ i 1) (make-node i n)))))
(print (sum (build 1000)))                            ; => 499500
(define ring (make-node 1 #f))
(set-node-next! ring ring)
(print ring)                                          ; => #0=#<node value: 1 next: #0#>
(set-node-next! ring #f)
(let ()
  (define-record-type <cell> (cell value) cell? (value cell-value set-cell-value!))
  (define c (cell 1))
  (set-cell-value! c (+ (cell-value c) 1))
  (print (cell-value c) (apply cell '(7))))           ; => 2 #<cell value: 7>
