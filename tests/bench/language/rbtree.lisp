;; A set as a red-black tree that is never changed: each insertion makes the
;; path to its key anew.  A node is #(red? left key right), a leaf #f.

(define (node red? left key right)
  (vector red? left key right))
(define (red? tree)
  (and tree (vector-ref tree 0)))
(define (left tree) (vector-ref tree 1))
(define (key tree) (vector-ref tree 2))
(define (right tree) (vector-ref tree 3))

(define (three a x b y c z d)
  (node #t (node #f a x b) y (node #f c z d)))

;; A black node whose left, or right, side may have become red twice.
(define (balance-left l k r)
  (cond ((and (red? l) (red? (left l)))
         (let ((ll (left l)))
           (three (left ll) (key ll) (right ll) (key l) (right l) k r)))
        ((and (red? l) (red? (right l)))
         (let ((lr (right l)))
           (three (left l) (key l) (left lr) (key lr) (right lr) k r)))
        (else (node #f l k r))))

(define (balance-right l k r)
  (cond ((and (red? r) (red? (left r)))
         (let ((rl (left r)))
           (three l k (left rl) (key rl) (right rl) (key r) (right r))))
        ((and (red? r) (red? (right r)))
         (let ((rr (right r)))
           (three l k (left r) (key r) (left rr) (key rr) (right rr))))
        (else (node #f l k r))))

(define (insert-below tree new)
  (if (not tree)
      (node #t #f new #f)
      (let ((l (left tree)) (k (key tree)) (r (right tree)))
        (cond ((< new k)
               (if (red? tree)
                   (node #t (insert-below l new) k r)
                   (balance-left (insert-below l new) k r)))
              ((> new k)
               (if (red? tree)
                   (node #t l k (insert-below r new))
                   (balance-right l k (insert-below r new))))
              (else tree)))))

(define (insert tree new)
  (let ((made (insert-below tree new)))
    (if (red? made)
        (node #f (left made) (key made) (right made))
        made)))

(define (checksum tree sum)
  (if (not tree)
      sum
      (checksum (right tree)
                (modulo (+ (* 3 (checksum (left tree) sum)) (key tree))
                        1000003))))

(define (run size)
  (let loop ((i 0) (seed 42) (tree #f))
    (if (= i size)
        (checksum tree 0)
        (let ((next (modulo (* seed 16807) 2147483647)))
          (loop (+ i 1) next (insert tree next))))))

(display (run (string->number (cadr (command-line)))))
(newline)
