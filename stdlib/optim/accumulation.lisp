;; accumulation.lisp - the gradients of a batch that comes in parts.
;;
;;     mean of all = (3 * mean of the first 3 + 1 * mean of the last) / 4
;;
;; A part counts as often as its mean has terms: its examples, or its tokens
;; that are not ignored.  The losses say how many these are (note-reduction! in
;; ../nn/loss-counts.lisp).  Each part's loss is multiplied by its count over
;; the first part's, and the sum of the gradients divided at the end.

(define (accumulate-gradients loss-of :count #f . parts)
  "Add up the gradients of a batch that is too large for the memory, part by
  part.  loss-of is called with the first element of each list, then with the
  second ones, and so on; it returns the loss of a part, whose graph is freed
  before the next part.  Gradients and result are those of the whole batch; the
  result is a tensor without a graph.  Gradients of before stay, and are added.

  A part's mean counts as often as it has terms.  A loss of the library says how
  many: the targets that cross-entropy does not ignore, or the sum of their
  weights.  A sum counts as it is.  Of any other loss, as many as its last
  argument has examples; count, a procedure of the same arguments, returns
  another number.

  (accumulate-gradients (lambda (x y) (cross-entropy (model x) y))
                        (tensor-split xs 4) (tensor-split ys 4))
  (optimizer-step opt)
  (zero-grad opt)"
  (when (or (null? parts) (null? (car parts)))
    (error "accumulate-gradients: expected a list of parts for each argument"))
  (let ((n (length (car parts))))
    (unless (every (lambda (each) (= (length each) n)) (cdr parts))
      (error "accumulate-gradients: the lists of parts have different lengths:"
             (map length parts))))
  (let ((group (%new-accumulation "accumulate-gradients")))
    (%accumulating group
      (lambda ()
        (let loop ((left parts))
          (unless (null? (car left))
            (let* ((part (map car left))
                   (noted (%noting (lambda () (apply loss-of part)))))
              (%accumulate! group (car noted)
                            (if count
                                (list (%checked-count "accumulate-gradients"
                                                      (apply count part)))
                                (cdr noted))
                            (%examples-in part))
              (loop (map cdr left)))))))
    (%accumulated-loss group)))

(define-record-type %accumulation
  (%make-accumulation who averages leaves before first unit weight loss)
  %accumulation?
  (who %accumulation-who)
  (averages %accumulation-averages)              ; gradients, over ranks
  (leaves %leaves set-%leaves!)                  ; that have gradients
  (before %gradients-before set-%gradients-before!)  ; a gradient or #f for each
  (first %first-counts set-%first-counts!)       ; of the first part, or #f
  (unit %unit-count set-%unit-count!)            ; the count that weighs 1
  (weight %total-weight set-%total-weight!)
  (loss %weighted-loss set-%weighted-loss!))     ; the sum, #f before the first

(define (%new-accumulation who)
  (%make-accumulation who (%procedure "averages-gradients?")
                      '() '() #f #f 0.0 #f))

(define (%accumulating group thunk)
  "Call the thunk, which accumulates parts, and end the group, also if it
  fails."
  (let ((result (%settle (%try thunk))))
    (if (%caught? result)
        (%weigh-gradients! group 1.0)
        (%end-accumulation! group))
    (%finish result)))

(define (%checked-count who count)
  "The count that a user's procedure returned."
  (let ((count (if (tensor? count) (tensor-item count) count)))
    (unless (and (real? count) (>= count 0) (< count +inf.0))
      (wrong-type who "a number of at least 0 from :count" count))
    count))

(define (%accumulate! group loss counts examples)
  "Backward from the loss of a part.  counts: what its losses have noted."
  (let* ((counts (if (null? counts) (list examples) counts))
         (weight (%part-weight! group counts)))
    (%take-gradients! group loss)
    (cond ((> weight 0)
           (backward (if (= weight 1) loss (* loss weight)))
           (set-%total-weight! group (+ (%total-weight group) weight))
           (let ((share (* (detach loss) weight)))
             (set-%weighted-loss! group (if (%weighted-loss group)
                                            (+ (%weighted-loss group) share)
                                            share))))
          ;; The other ranks wait for this one's gradients.
          ((%accumulation-averages group)
           (backward (%zero-of (%leaves group)))))))

(define (%zero-of leaves)
  "A zero with a graph of the leaves."
  (fold (lambda (leaf sum) (+ sum (* 0.0 (tensor-sum leaf))))
        0.0
        (filter (lambda (leaf) (not (tensor-is-sparse leaf))) leaves)))

(define (%take-gradients! group loss)
  "Put the gradients of a part's leaves aside."
  (let ((new (%procedure "take-gradients" loss (%leaves group))))
    (set-%leaves! group (append (map car new) (%leaves group)))
    (set-%gradients-before! group (append (map cadr new)
                                          (%gradients-before group)))))

(define (%part-weight! group counts)
  "How much a part counts, in counts of the first part; 1 for a sum."
  (when (or (not (%first-counts group))
            (%counts-nothing? (%first-counts group)))
    (set-%first-counts! group counts)
    (unless (%unit-count group)
      (set-%unit-count! group (%unit-of group counts))))
  (%check-proportion group counts)
  (if (or (eq? (car counts) 'sum) (not (%unit-count group)))
      (if (eq? (car counts) 'sum) 1 0)
      (inexact (/ (car counts) (%unit-count group)))))

(define (%counts-nothing? counts)
  "Whether the means of a part have no term."
  (and (pair? counts)
       (every (lambda (count) (and (number? count) (= count 0))) counts)))

(define (%unit-of group counts)
  "The count of the first part, the same on all ranks that average; or #f, to
  take that of the next part."
  (cond ((eq? (car counts) 'sum) 1)
        ((%accumulation-averages group)
         (let ((mean (tensor-item (all-reduce (tensor (car counts)
                                                      :dtype 'float64)
                                              :op 'mean))))
           (if (> mean 0) mean 1)))
        ((> (car counts) 0) (car counts))
        (else #f)))

(define (%check-proportion group counts)
  "Raise an error unless one weight is right for all losses of a part."
  (define first (%first-counts group))
  (define (proportional? count before)
    (if (or (eq? count 'sum) (eq? before 'sum) (eq? (car counts) 'sum)
            (eq? (car first) 'sum))
        (eq? count before)
        (let ((x (* count (car first))) (y (* before (car counts))))
          (<= (abs (- x y)) (* 1e-6 (+ (abs x) (abs y)))))))
  (unless (and (= (length counts) (length first))
               (every proportional? counts first))
    (%error-with-hint
     (string (%accumulation-who group) ": the losses of a part are over "
             counts " terms, and those of the first part over " first
             ", so that no single weight is right for them")
     '()
     ":count is a procedure that says how much a part counts")))

(define (%begun? group)
  "Whether a group has a part."
  (and (%first-counts group) #t))

(define (%end-accumulation! group)
  "Divide the gradients by the weight of all parts; whether any counted."
  (let* ((sum? (and (%first-counts group) (memq 'sum (%first-counts group))))
         (weight (%total-weight group))
         (weight (if (%accumulation-averages group)
                     (tensor-item (all-reduce (tensor weight :dtype 'float64)
                                              :op 'mean))
                     weight)))
    (%weigh-gradients! group
                       (cond (sum? (if (%accumulation-averages group)
                                       (inexact (world-size))
                                       1.0))
                             ((> weight 0) (/ 1.0 weight))
                             (else 1.0)))
    (> weight 0)))

(define (%weigh-gradients! group factor)
  "Multiply the gradients, and add those of before."
  (%procedure "weigh-gradients" (inexact factor) (%leaves group)
              (%gradients-before group)))

(define (%accumulated-loss group)
  "The loss of all parts."
  (let ((loss (or (%weighted-loss group) (tensor +nan.0))))
    (if (and (%first-counts group) (memq 'sum (%first-counts group)))
        loss
        (/ loss (%total-weight group)))))
