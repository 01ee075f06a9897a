;; k-kinds.lisp - which of K's types a matrix gets.
;;
;;     Q4_K_M   most matrices Q4_K, half of the down projections Q6_K ...
;;
;; A kind is what llama.cpp calls a mix: matrices on which much depends get more
;; bits.

;; A kind, the type of most matrices, and llama.cpp's number of it.
(define %k-kinds
  '((Q2_K Q2_K 10) (Q3_K Q3_K 11) (Q3_K_M Q3_K 12) (Q3_K_L Q3_K 13)
    (Q4_K Q4_K 14) (Q4_K_M Q4_K 15) (Q5_K Q5_K 16) (Q5_K_M Q5_K 17)
    (Q6_K Q6_K 18)))

;; How many bytes a block of 256 elements takes.
(define %k-bytes
  '((Q2_K . 84) (Q3_K . 110) (Q4_K . 144) (Q5_K . 176) (Q6_K . 210)))

(define (%k-type kind role layer count)
  "The type that a matrix gets in a kind.  role: values, joined (queries, keys
  and values as one matrix), out (after attention), down, or #f for others.
  layer: its number of count layers."
  (let* ((most (cadr (assq kind %k-kinds)))
         (eighth (quotient count 8))
         (finer? (or (< layer eighth)
                     (>= layer (quotient (* 7 count) 8))
                     (= (remainder (- layer eighth) 3) 2))))
    (case kind
      ((Q2_K) (if (memq role '(values out down)) 'Q3_K most))
      ((Q3_K_M) (cond ((not role) most)
                      ((or (and (eq? role 'values) (< layer 2))
                           (and (eq? role 'down)
                                (< layer (quotient count 16))))
                       'Q5_K)
                      (else 'Q4_K)))
      ((Q3_K_L) (cond ((not role) most)
                      ((eq? role 'joined) 'Q4_K)
                      (else 'Q5_K)))
      ((Q4_K_M Q5_K_M)
       (cond ((eq? role 'joined) (if (eq? kind 'Q4_K_M) 'Q5_K 'Q6_K))
             ((and (memq role '(values down)) finer?) 'Q6_K)
             (else most)))
      (else most))))

(define (%k-type-at path kind count)
  "The type of the linear layer at a path of a model with count layers."
  (define (ends-in? names)
    (any (lambda (name) (%path-ends-in? path name)) names))
  (%k-type kind
           (cond ((ends-in? '("v_proj")) 'values)
                 ((ends-in? '("qkv_proj")) 'joined)
                 ((ends-in? '("o_proj")) 'out)
                 ((ends-in? '("down_proj")) 'down)
                 (else #f))
           (or (%layer-number path) 0)
           count))

(define (%layer-number path)
  "The number of the layer in which a path is: the first number in it, or #f."
  (find exact-integer? (map string->number (string-split path "."))))

(define (%layers-of paths)
  "How many layers the paths are of."
  (fold (lambda (path most) (max most (+ 1 (or (%layer-number path) 0))))
        1 paths))
