;; loss-counts.lisp - over how many terms a loss or a measure is a mean.
;;
;;     (cross-entropy logits [3 -100 1])   is a mean over 2 targets
;;
;; To join the means of unequal batches, each must count as often as it has
;; terms, and only the loss itself knows which targets it ignores.  So losses
;; note it while somebody asks, with %noting.

(define %noted-counts #f)                        ; the latest first; or #f

(define (%noting thunk)
  "The result of the thunk, and a list of what was noted: a number of terms for
  each mean, 'sum for each sum."
  (let ((before %noted-counts))
    (set! %noted-counts '())
    (let ((result (%settle (%try thunk)))
          (noted %noted-counts))
      (set! %noted-counts before)
      (cons (%finish result) (reverse noted)))))

(define (%note-reduction! reduction terms)
  "Note LibTorch's number of a reduction.  terms: the tensor whose elements a
  mean is over, their number, or a procedure that returns it."
  (when %noted-counts
    (cond ((= reduction 1)
           (set! %noted-counts (cons (%term-count terms) %noted-counts)))
          ((= reduction 2)
           (set! %noted-counts (cons 'sum %noted-counts))))))

(define (%term-count terms)
  (cond ((procedure? terms) (%term-count (no-grad (terms))))
        ((tensor? terms) (tensor-numel terms))
        (else terms)))

(define (%class-terms targets classes weight ignore-index)
  "The number of targets that are not ignored, or the sum of their weights."
  (let ((counted (tensor-ne targets ignore-index)))
    (tensor-item
     (tensor-sum
      (if weight
          (* counted
             (tensor-ref (detach weight)
                         (tensor-clamp targets 0 (- classes 1))))
          counted)))))

(define (%row-count x)
  "How many rows the last dimension of x makes."
  (if (< (tensor-rank x) 2)
      1
      (quotient (tensor-numel x) (max 1 (tensor-size x -1)))))

(define (%examples-in parts)
  "The number of examples in a batch."
  (let ((x (last parts)))
    (if (and (tensor? x) (> (tensor-rank x) 0))
        (tensor-size x 0)
        1)))

(define (%count-of noted examples)
  "How often the loss of a batch counts in a mean of several."
  (if (and (pair? noted) (every (lambda (n) (eqv? n (car noted))) noted)
           (number? (car noted)))
      (car noted)
      examples))
