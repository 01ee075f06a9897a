;; Lists changed in place: make a list, sort it by merging its own pairs, turn
;; it round, hang two together.

(define (random-list n seed)
  (let loop ((i 0) (seed seed) (items '()))
    (if (= i n)
        items
        (let ((next (modulo (* seed 16807) 2147483647)))
          (loop (+ i 1) next (cons (modulo next 10000) items))))))

(define (reverse! items)
  (let loop ((rest items) (done '()))
    (if (null? rest)
        done
        (let ((next (cdr rest)))
          (set-cdr! rest done)
          (loop next rest)))))

;; The pairs of two sorted lists behind `end`, the last pair so far.
(define (merge-behind! end a b)
  (cond ((null? a) (set-cdr! end b))
        ((null? b) (set-cdr! end a))
        ((< (car b) (car a))
         (set-cdr! end b)
         (merge-behind! b a (cdr b)))
        (else
         (set-cdr! end a)
         (merge-behind! a (cdr a) b))))

(define (merge! a b)
  (cond ((null? a) b)
        ((null? b) a)
        ((< (car b) (car a))
         (merge-behind! b a (cdr b))
         b)
        (else
         (merge-behind! a (cdr a) b)
         a)))

;; Cut the list behind its first n pairs; the rest.
(define (cut! items n)
  (let* ((end (list-tail items (- n 1)))
         (rest (cdr end)))
    (set-cdr! end '())
    rest))

(define (sort! items n)
  (if (< n 2)
      items
      (let* ((half (quotient n 2))
             (rest (cut! items half)))
        (merge! (sort! items half) (sort! rest (- n half))))))

(define (append! a b)
  (let loop ((rest a))
    (if (null? (cdr rest))
        (set-cdr! rest b)
        (loop (cdr rest))))
  a)

(define (checksum items)
  (let loop ((rest items) (sum 0))
    (if (null? rest)
        sum
        (loop (cdr rest) (modulo (+ (* sum 3) (car rest)) 1000003)))))

(define (run size)
  (let loop ((i 0) (sum 0))
    (if (= i size)
        sum
        (let* ((up (sort! (random-list 1000 (+ i 1)) 1000))
               (down (reverse! (sort! (random-list 1000 (+ i 7)) 1000))))
          (loop (+ i 1)
                (modulo (+ sum (checksum (append! up down))) 1000003))))))

(display (run (string->number (cadr (command-line)))))
(newline)
