;; list.lisp - lists: the procedures of SRFI-1 that call procedures, and kin.
;;
;; All of them loop, with an accumulator where they build a list, so a list of
;; a million elements is no different from one of three.  None keeps hold of
;; the list that it walks: elements that nobody else needs die on the way.  So
;; a list that does not end well is reported by its end, (1 2 . 3) as 3.

;; One list or several side by side, up to the end of the shortest.

(define (%ended? who lists)
  "Whether one of the lists is empty; an error if one is not a list."
  (let loop ((left lists))
    (cond ((null? left) #f)
          ((pair? (car left)) (loop (cdr left)))
          ((null? (car left)) #t)
          (else (wrong-type who "a list" (car left))))))

(define (map f items . more)
  "The list of the results of f on each element, or on elements side by side."
  (cond ((null? more) (%map-one f items))
        ((null? (cdr more)) (%map-two f items (car more)))
        (else
         (let loop ((lists (cons items more)) (done '()))
           (if (%ended? "map" lists)
               (reverse done)
               (loop (%map-one cdr lists)
                     (cons (apply f (%map-one car lists)) done)))))))

(define (%map-one f items)
  "map of one list."
  (let loop ((rest items) (done '()))
    (cond ((pair? rest) (loop (cdr rest) (cons (f (car rest)) done)))
          ((null? rest) (reverse done))
          (else (wrong-type "map" "a list" rest)))))

(define (%map-two f items others)
  "map of two lists."
  (let loop ((rest items) (other others) (done '()))
    (cond ((and (pair? rest) (pair? other))
           (loop (cdr rest) (cdr other) (cons (f (car rest) (car other)) done)))
          ((%ended? "map" (list rest other)) (reverse done)))))

(define (for-each f items . more)
  "Call f on each element in order, or on elements side by side."
  (cond ((null? more) (%for-each-one f items))
        ((null? (cdr more)) (%for-each-two f items (car more)))
        (else
         (let loop ((lists (cons items more)))
           (unless (%ended? "for-each" lists)
             (apply f (map car lists))
             (loop (map cdr lists)))))))

(define (%for-each-one f items)
  "for-each of one list."
  (let loop ((rest items))
    (cond ((pair? rest) (f (car rest)) (loop (cdr rest)))
          ((not (null? rest)) (wrong-type "for-each" "a list" rest)))))

(define (%for-each-two f items others)
  "for-each of two lists."
  (let loop ((rest items) (other others))
    (cond ((and (pair? rest) (pair? other))
           (f (car rest) (car other))
           (loop (cdr rest) (cdr other)))
          ((%ended? "for-each" (list rest other)) (if #f #f)))))

(define (fold f initial items . more)
  "(f x (f y initial)) for a list (y x): the element first, the result last."
  (if (null? more)
      (let loop ((rest items) (result initial))
        (cond ((pair? rest) (loop (cdr rest) (f (car rest) result)))
              ((null? rest) result)
              (else (wrong-type "fold" "a list" rest))))
      (let loop ((lists (cons items more)) (result initial))
        (if (%ended? "fold" lists)
            result
            (loop (map cdr lists)
                  (apply f (append (map car lists) (list result))))))))

(define (fold-left f initial items . more)
  "(f (f initial x) y) for a list (x y): the result first, the element last."
  (if (null? more)
      (let loop ((rest items) (result initial))
        (cond ((pair? rest) (loop (cdr rest) (f result (car rest))))
              ((null? rest) result)
              (else (wrong-type "fold-left" "a list" rest))))
      (let loop ((lists (cons items more)) (result initial))
        (if (%ended? "fold-left" lists)
            result
            (loop (map cdr lists) (apply f result (map car lists)))))))

(define (fold-right f initial items . more)
  "(f x (f y initial)) for a list (x y): from the right, the element first."
  (if (null? more)
      (let loop ((rest (%reversed "fold-right" items)) (result initial))
        (if (null? rest)
            result
            (loop (cdr rest) (f (car rest) result))))
      (let loop ((rows (reverse (apply map list items more))) (result initial))
        (if (null? rows)
            result
            (loop (cdr rows)
                  (apply f (append (car rows) (list result))))))))

(define (reduce f default items)
  "Fold a list onto its own first element; default for the empty list."
  (cond ((pair? items) (fold f (car items) (cdr items)))
        ((null? items) default)
        (else (wrong-type "reduce" "a list" items))))

(define (append-map f items . more)
  "The lists that f gives for each element, in a row."
  (concatenate (apply map f items more)))

(define (filter-map f items . more)
  "The results of f that are not #f."
  (filter identity (apply map f items more)))

(define (any ok? items . more)
  "The first result of ok? on an element that is not #f, or #f."
  (if (null? more)
      (let loop ((rest items))
        (cond ((pair? rest) (or (ok? (car rest)) (loop (cdr rest))))
              ((null? rest) #f)
              (else (wrong-type "any" "a list" rest))))
      (let loop ((lists (cons items more)))
        (if (%ended? "any" lists)
            #f
            (or (apply ok? (map car lists)) (loop (map cdr lists)))))))

(define (every ok? items . more)
  "#f if ok? is #f on some element, otherwise its result on the last."
  (if (null? more)
      (let loop ((rest items) (result #t))
        (cond ((pair? rest)
               (let ((now (ok? (car rest))))
                 (if now (loop (cdr rest) now) #f)))
              ((null? rest) result)
              (else (wrong-type "every" "a list" rest))))
      (let loop ((lists (cons items more)) (result #t))
        (if (%ended? "every" lists)
            result
            (let ((now (apply ok? (map car lists))))
              (if now (loop (map cdr lists) now) #f))))))

(define (count ok? items . more)
  "How many elements ok? holds for."
  (let ((tally (lambda (n . elements) (if (apply ok? elements) (+ n 1) n))))
    (apply fold-left tally 0 items more)))

(define (list-index ok? items . more)
  "The index of the first element that ok? holds for, or #f."
  (if (null? more)
      (let loop ((rest items) (k 0))
        (cond ((pair? rest) (if (ok? (car rest)) k (loop (cdr rest) (+ k 1))))
              ((null? rest) #f)
              (else (wrong-type "list-index" "a list" rest))))
      (let loop ((lists (cons items more)) (k 0))
        (cond ((%ended? "list-index" lists) #f)
              ((apply ok? (map car lists)) k)
              (else (loop (map cdr lists) (+ k 1)))))))

;; Choosing elements.

(define (filter keep? items)
  "The elements that keep? holds for."
  (let loop ((rest items) (kept '()))
    (cond ((pair? rest)
           (loop (cdr rest)
                 (if (keep? (car rest)) (cons (car rest) kept) kept)))
          ((null? rest) (reverse kept))
          (else (wrong-type "filter" "a list" rest)))))

(define (remove drop? items)
  "The elements that drop? does not hold for."
  (let loop ((rest items) (kept '()))
    (cond ((pair? rest)
           (loop (cdr rest)
                 (if (drop? (car rest)) kept (cons (car rest) kept))))
          ((null? rest) (reverse kept))
          (else (wrong-type "remove" "a list" rest)))))

(define (find ok? items)
  "The first element that ok? holds for, or #f."
  (let loop ((rest items))
    (cond ((pair? rest)
           (if (ok? (car rest)) (car rest) (loop (cdr rest))))
          ((null? rest) #f)
          (else (wrong-type "find" "a list" rest)))))

(define (find-tail ok? items)
  "The list from the first element on that ok? holds for, or #f."
  (let loop ((rest items))
    (cond ((pair? rest) (if (ok? (car rest)) rest (loop (cdr rest))))
          ((null? rest) #f)
          (else (wrong-type "find-tail" "a list" rest)))))

(define (delete x items . same)
  "The elements that are not equal? to x, or not the same by a third argument."
  (let ((same? (%optional "delete" 2 same equal?)))
    (let loop ((rest items) (kept '()))
      (cond ((pair? rest)
             (loop (cdr rest)
                   (if (same? x (car rest)) kept (cons (car rest) kept))))
            ((null? rest) (reverse kept))
            (else (wrong-type "delete" "a list" rest))))))

(define (delete-duplicates items . same)
  "The elements without those equal? to an earlier one."
  (let ((same? (%optional "delete-duplicates" 1 same equal?)))
    (let loop ((rest items) (kept '()))
      (cond ((pair? rest)
             (loop (cdr rest)
                   (if (any (lambda (old) (same? old (car rest))) kept)
                       kept
                       (cons (car rest) kept))))
            ((null? rest) (reverse kept))
            (else (wrong-type "delete-duplicates" "a list" rest))))))

;; Parts by position.

(define (take items k)
  "The first k elements."
  (%check-index "take" k)
  (let loop ((rest items) (taken '()) (n 0))
    (cond ((= n k) (reverse taken))
          ((pair? rest) (loop (cdr rest) (cons (car rest) taken) (+ n 1)))
          ((null? rest) (%out-of-range "take" k n))
          (else (wrong-type "take" "a list" rest)))))

(define (drop items k)
  "The list without its first k elements."
  (%check-index "drop" k)
  (let loop ((rest items) (n 0))
    (cond ((= n k) rest)
          ((pair? rest) (loop (cdr rest) (+ n 1)))
          ((null? rest) (%out-of-range "drop" k n))
          (else (wrong-type "drop" "a list" rest)))))

(define (%count-from-end who items k)
  "How many elements stand before the last k."
  (%check-index who k)
  (%check-list who items)
  (let ((n (length items)))
    (if (> k n) (%out-of-range who k n) (- n k))))

(define (take-right items k)
  "The last k elements."
  (drop items (%count-from-end "take-right" items k)))

(define (drop-right items k)
  "The list without its last k elements."
  (take items (%count-from-end "drop-right" items k)))

(define (take-while ok? items)
  "The elements before the first that ok? does not hold for."
  (let loop ((rest items) (taken '()))
    (cond ((pair? rest)
           (if (ok? (car rest))
               (loop (cdr rest) (cons (car rest) taken))
               (reverse taken)))
          ((null? rest) (reverse taken))
          (else (wrong-type "take-while" "a list" rest)))))

(define (drop-while ok? items)
  "The list from the first element on that ok? does not hold for."
  (let loop ((rest items))
    (cond ((pair? rest) (if (ok? (car rest)) (loop (cdr rest)) rest))
          ((null? rest) '())
          (else (wrong-type "drop-while" "a list" rest)))))

(define (last-pair items)
  "The last pair of a list that is not empty."
  (if (pair? items)
      (let loop ((rest items))
        (if (pair? (cdr rest)) (loop (cdr rest)) rest))
      (wrong-type "last-pair" "a pair" items)))

(define (last items)
  "The last element."
  (if (pair? items)
      (car (last-pair items))
      (wrong-type "last" "a pair" items)))

(define (second items)
  "The element at index 1."
  (list-ref items 1))

(define (third items)
  "The element at index 2."
  (list-ref items 2))

;; Making lists.

(define (list-tabulate k f)
  "The list of f on the indices from 0 up to but without k."
  (%check-index "list-tabulate" k)
  (let loop ((n 0) (done '()))
    (if (= n k)
        (reverse done)
        (loop (+ n 1) (cons (f n) done)))))

(define (make-list k . fill)
  "A list of k elements, each fill or #f."
  (%check-index "make-list" k)
  (let ((element (%optional "make-list" 1 fill #f)))
    (let loop ((n 0) (done '()))
      (if (= n k) done (loop (+ n 1) (cons element done))))))

(define (append-reverse items tail)
  "The elements in reverse order, then the tail."
  (let loop ((rest items) (done tail))
    (cond ((pair? rest) (loop (cdr rest) (cons (car rest) done)))
          ((null? rest) done)
          (else (wrong-type "append-reverse" "a list" rest)))))

(define (concatenate lists)
  "The lists of a list in a row."
  (fold append '() (%reversed "concatenate" lists)))

(define (zip items . more)
  "The list of lists of elements side by side."
  (apply map list items more))

(define (%check-list who items)
  "Raise an error unless items is a list."
  (unless (list? items)
    (wrong-type who "a list" items)))

(define (%reversed who items)
  "The elements in reverse order."
  (%check-list who items)
  (reverse items))

;; Sorting: a merge that begins with the smallest elements gives its list
;; backwards, so halves come in the order opposite to the one that is wanted.

(define (sort items before?)
  "A new list in order; elements of which neither is before? stay as they are."
  (%check-list "sort" items)
  (car (%sort-run items (length items) before? #t)))

(define (%sort-run items n before? up?)
  "(sorted . rest): the first n elements, upwards or down, and what follows."
  (cond ((= n 0) (cons '() items))
        ((= n 1) (cons (list (car items)) (cdr items)))
        (else
         (let* ((half (quotient n 2))
                (left (%sort-run items half before? (not up?)))
                (right (%sort-run (cdr left) (- n half) before? (not up?))))
           (cons (if up?
                     (%merge-downwards (car left) (car right) before?)
                     (%merge-upwards (car left) (car right) before?))
                 (cdr right))))))

(define (%merge-upwards earlier later before?)
  "Two lists that go up as one that goes down; of equals, the later first."
  (let loop ((left earlier) (right later) (done '()))
    (cond ((null? left) (append-reverse right done))
          ((null? right) (append-reverse left done))
          ((before? (car right) (car left))
           (loop left (cdr right) (cons (car right) done)))
          (else (loop (cdr left) right (cons (car left) done))))))

(define (%merge-downwards earlier later before?)
  "Two lists that go down as one that goes up; of equals, the earlier first."
  (let loop ((left earlier) (right later) (done '()))
    (cond ((null? left) (append-reverse right done))
          ((null? right) (append-reverse left done))
          ((before? (car right) (car left))
           (loop (cdr left) right (cons (car left) done)))
          (else (loop left (cdr right) (cons (car right) done))))))
