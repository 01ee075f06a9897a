;; random.lisp - random number generators as values: each has its own stream of
;; numbers, separate from the one that manual-seed sets.

(define (make-generator . seed)
  "A random number generator for the :generator of operators.  seed: an
  integer; without one, it differs from run to run; or a state from
  generator-state, to continue from there."
  (apply %procedure "make-generator" seed))

(define (generator? x)
  "Whether it is a random number generator."
  (%procedure "generator?" x))

(define (generator-state generator)
  "The state of a generator, as a tensor of bytes."
  (%procedure "generator-state" generator))
