;; srfi-1.lisp - the procedures of SRFI 1, the list library, that are not in
;; list.lisp.
;;
;; Circular lists are allowed where SRFI 1 allows them.  A procedure whose name
;; ends in ! may change its arguments, but need not: most of them are the same
;; as those without.  Executables reuse the memory of unused pairs anyway.

;; Creating lists, and their predicates.

(define (xcons tail first)
  "The pair of first and tail, with the arguments in the other order."
  (cons first tail))

(define (circular-list first . others)
  "The circular list of the elements."
  (let ((items (cons first (list-copy others))))
    (set-cdr! (last-pair items) items)
    items))

(define (%list-end items)
  "The value that ends a chain of pairs; a pair if it is circular."
  (let loop ((slow items) (fast items))
    (cond ((not (pair? fast)) fast)
          ((not (pair? (cdr fast))) (cdr fast))
          ((eq? (cdr slow) (cddr fast)) fast)
          (else (loop (cdr slow) (cddr fast))))))

(define (proper-list? x)
  "Whether it is a list that ends in ()."
  (list? x))

(define (circular-list? x)
  "Whether it is a list without an end."
  (pair? (%list-end x)))

(define (dotted-list? x)
  "Whether it ends in something other than (); true of any atom but ()."
  (let ((end (%list-end x)))
    (not (or (pair? end) (null? end)))))

(define (not-pair? x)
  "Whether it is not a pair."
  (not (pair? x)))

(define (%null-list? who items)
  "Whether a list is empty; an error if it is not a list."
  (cond ((pair? items) #f)
        ((null? items) #t)
        (else (wrong-type who "a list" items))))

(define (null-list? items)
  "Whether a list, which may be circular, is empty; an error if it is not a
  list."
  (%null-list? "null-list?" items))

(define (list= same? . lists)
  "Whether the lists have the same length, and elements that are same?."
  (or (null? lists)
      (%ordered? (lambda (items others) (%list=? same? items others))
                 (car lists)
                 (cdr lists))))

(define (%list=? same? items others)
  "list= of two lists."
  (let loop ((rest items) (other others))
    (cond ((%null-list? "list=" rest) (%null-list? "list=" other))
          ((%null-list? "list=" other) #f)
          ((same? (car rest) (car other)) (loop (cdr rest) (cdr other)))
          (else #f))))

(define (length+ items)
  "How many elements a list has; #f if it is circular."
  (let ((end (%list-end items)))
    (cond ((null? end) (length items))
          ((pair? end) #f)
          (else (wrong-type "length+" "a list" items)))))

;; Sublists.

(define (car+cdr pair)
  "Two values: the car and the cdr."
  (unless (pair? pair)
    (wrong-type "car+cdr" "a pair" pair))
  (values (car pair) (cdr pair)))

(define (%nth-pair who items k)
  "The pair of the k-th element of a list, counted from 1."
  (let loop ((rest items) (n 1))
    (cond ((%null-list? who rest) (%out-of-range who k (- n 1)))
          ((= n k) rest)
          (else (loop (cdr rest) (+ n 1))))))

(define (take! items k)
  "The first k elements, in the pairs of the list."
  (%check-index "take!" k)
  (if (= k 0)
      '()
      (let ((last (%nth-pair "take!" items k)))
        (set-cdr! last '())
        items)))

(define (drop-right! items k)
  "The list without its last k elements, in the pairs of the list."
  (take! items (%count-from-end "drop-right!" items k)))

(define (split-at! items k)
  "Two values: the first k elements, and the list without them, in its pairs."
  (%check-index "split-at!" k)
  (if (= k 0)
      (values '() items)
      (let* ((last (%nth-pair "split-at!" items k)) (others (cdr last)))
        (set-cdr! last '())
        (values items others))))

(define (unzip1 lists)
  "The list of the first elements."
  (map first lists))

(define (unzip2 lists)
  "Two values: the list of the first elements, and that of the second ones."
  (values (map first lists) (map second lists)))

(define (unzip3 lists)
  "Three values: the lists of the first, second and third elements."
  (values (map first lists) (map second lists) (map third lists)))

(define (unzip4 lists)
  "Four values: the lists of the first to fourth elements."
  (values (map first lists)
          (map second lists)
          (map third lists)
          (map fourth lists)))

(define (unzip5 lists)
  "Five values: the lists of the first to fifth elements."
  (values (map first lists)
          (map second lists)
          (map third lists)
          (map fourth lists)
          (map fifth lists)))

;; Iteration over pairs: f may change the pair that it is called with.

(define (pair-for-each f items . more)
  "Call f on each pair of a list in order, or on pairs side by side."
  (if (null? more)
      (let loop ((rest items))
        (unless (%null-list? "pair-for-each" rest)
          (let ((next (cdr rest)))
            (f rest)
            (loop next))))
      (let loop ((lists (cons items more)))
        (unless (%ended? "pair-for-each" lists)
          (let ((next (map cdr lists)))
            (apply f lists)
            (loop next))))))

(define (pair-fold f initial items . more)
  "(f pair result) for each pair in order; the result at first is initial."
  (if (null? more)
      (let loop ((rest items) (result initial))
        (if (%null-list? "pair-fold" rest)
            result
            (let ((next (cdr rest)))
              (loop next (f rest result)))))
      (let loop ((lists (cons items more)) (result initial))
        (if (%ended? "pair-fold" lists)
            result
            (let ((next (map cdr lists)))
              (loop next (apply f (append lists (list result)))))))))

(define (pair-fold-right f initial items . more)
  "(f pair result) for each pair, from the right."
  (let gather ((lists (cons items more)) (rows '()))
    (if (%ended? "pair-fold-right" lists)
        (let loop ((rest rows) (result initial))
          (if (null? rest)
              result
              (loop (cdr rest)
                    (apply f (append (car rest) (list result))))))
        (gather (map cdr lists) (cons lists rows)))))

(define (map-in-order f items . more)
  "map, which always goes from left to right."
  (apply map f items more))

;; Lists as sets.

(define (%among? same? x items)
  "Whether x is the same as an element, which comes second."
  (any (lambda (other) (same? x other)) items))

(define (%neighbours? ok? lists)
  "Whether ok? holds for all neighbours among the lists."
  (or (null? lists) (%ordered? ok? (car lists) (cdr lists))))

(define (lset<= same? . lists)
  "Whether each list is a subset of the next."
  (%neighbours? (lambda (items others)
                  (every (lambda (x) (%among? same? x others)) items))
                lists))

(define (lset= same? . lists)
  "Whether the lists have the same elements."
  (%neighbours? (lambda (items others)
                  (and (every (lambda (x) (%among? same? x others)) items)
                       (every (lambda (x) (%in? same? x items)) others)))
                lists))

(define (lset-xor same? . lists)
  "The elements of one list that are not in the other; with more lists, the
  same for that result and the next list."
  (fold-left (lambda (items others)
               (append-reverse
                (remove (lambda (x) (%among? same? x others)) items)
                (remove (lambda (x) (%in? same? x items)) others)))
             '()
             lists))

(define (lset-diff+intersection same? items . lists)
  "Two values: the elements of the first list that are in no other, and those
  that are in one."
  (partition (lambda (x)
               (every (lambda (others) (not (%among? same? x others))) lists))
             items))

;; Procedures that may change their arguments, but do not.

(define (append-reverse! items tail)
  "append-reverse, which may change the elements' list."
  (append-reverse items tail))

(define (concatenate! lists)
  "The lists of a list, appended; all but the last are changed in place."
  (apply append! lists))

(define (append-map! f items . more)
  "append-map, which may change the lists that f returns."
  (apply append-map f items more))

(define (map! f items . more)
  "map, which may change the first list."
  (apply map f items more))

(define (filter! keep? items)
  "filter, which may change the list."
  (filter keep? items))

(define (remove! drop? items)
  "remove, which may change the list."
  (remove drop? items))

(define (partition! ok? items)
  "partition, which may change the list."
  (partition ok? items))

(define (take-while! ok? items)
  "take-while, which may change the list."
  (take-while ok? items))

(define (span! ok? items)
  "span, which may change the list."
  (span ok? items))

(define (break! stop? items)
  "break, which may change the list."
  (break stop? items))

(define (delete! x items . same)
  "delete, which may change the list."
  (apply delete x items same))

(define (delete-duplicates! items . same)
  "delete-duplicates, which may change the list."
  (apply delete-duplicates items same))

(define (alist-delete! key alist . same)
  "alist-delete, which may change the list."
  (apply alist-delete key alist same))

(define (lset-union! same? . lists)
  "lset-union, which may change the lists."
  (apply lset-union same? lists))

(define (lset-intersection! same? items . lists)
  "lset-intersection, which may change the first list."
  (apply lset-intersection same? items lists))

(define (lset-difference! same? items . lists)
  "lset-difference, which may change the first list."
  (apply lset-difference same? items lists))

(define (lset-xor! same? . lists)
  "lset-xor, which may change the lists."
  (apply lset-xor same? lists))

(define (lset-diff+intersection! same? items . lists)
  "lset-diff+intersection, which may change the first list."
  (apply lset-diff+intersection same? items lists))
