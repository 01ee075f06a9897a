;; epoch-order.lisp - the order of the examples in an epoch of a loader: by
;; index, shuffled, or chosen by a sampler, and the share of one process.

(define (%epoch-order loader)
  "The indices of the current epoch's examples, an int64 tensor."
  (let* ((settings (%loader-settings-of "data-loader" loader))
         (pass (%pass-of "data-loader" loader))
         (sampler (%sampler-of settings))
         (n (dataset-length (%dataset-of settings))))
    (%share-of (cond (sampler (%sampled-indices sampler (%pass-epoch pass)))
                     ((%shuffles? loader)
                      (%permutation n (%pass-seed pass) (%pass-epoch pass)))
                     (else (%indices-below n)))
               (%shard-of settings))))

(define (%indices-below n)
  "0 ... n-1, on the CPU, where indices stay whatever the default device is."
  (tensor-arange n :device "cpu"))

(define (%sampled-indices sampler epoch)
  "The indices that a sampler has for an epoch."
  (if (procedure? sampler)
      (%index-tensor "data-loader" (sampler epoch))
      sampler))

(define (%permutation n seed epoch)
  "The numbers below n in an order that depends on seed and epoch."
  (tensor-randperm n :device "cpu"
                   :generator (%epoch-generator seed epoch)))

(define (%epoch-generator seed epoch)
  "A generator for an epoch.  LibTorch's uses 32 bits of its seed, so both
  numbers must reach them; neighbouring seeds are kept apart by a large odd
  factor."
  (%make-cpu-generator (modulo (+ (* seed 2654435761) epoch) 4294967296)))

;; Samplers.

(define (weighted-sampler weights count :replacement #t :seed #f)
  "A :sampler for a loader that draws count examples in each epoch, each with a
  probability in proportion to its weight.

  weights: a list or a tensor of a number that is not negative for each example;
  for classes of different sizes, one over the size of the example's class.
  replacement: whether an example may be drawn more than once.  The draws depend
  on the seed and the epoch; without a seed, one is drawn from the default
  generator."
  (let ((weights (if (list? weights)
                     (tensor weights :dtype 'float64 :device "cpu")
                     weights))
        (seed (or (%checked-seed seed) (%drawn-seed))))
    (unless (and (tensor? weights) (= (tensor-rank weights) 1))
      (wrong-type "weighted-sampler" "a list or a tensor of weights" weights))
    (%check-index "weighted-sampler" count)
    (unless (or replacement (<= count (car (tensor-shape weights))))
      (error (string "weighted-sampler: cannot draw " count " of "
                     (car (tensor-shape weights))
                     " examples without replacement")))
    (lambda (epoch)
      (tensor-multinomial (tensor-to weights "cpu") count replacement
                          :generator (%epoch-generator seed epoch)))))

;; Shares of processes.

(define (%share-of order shard)
  "The indices of the order that a process has: (rank world drop-last), or #f
  for all."
  (if (not shard)
      order
      (let* ((world (cadr shard))
             (n (car (tensor-shape order)))
             (each (quotient (if (caddr shard) n (+ n world -1)) world))
             (length (* each world))
             (full (if (> length n)
                       (%wrapped-order order (- length n))
                       (tensor-slice order 0 0 length))))
        (tensor-contiguous
         (tensor-select (tensor-view full (list each world))
                        1 (car shard))))))

(define (%wrapped-order order more)
  "The order with that many of its first indices, once more, at its end."
  (let ((n (car (tensor-shape order))))
    (if (= n 0)
        order
        (tensor-index-select
         order 0 (tensor-remainder (%indices-below (+ n more)) n)))))
