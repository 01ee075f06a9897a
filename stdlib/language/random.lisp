;; random.lisp - random number generators that a program holds: each its own
;; stream of numbers, apart from the one that manual-seed sets.

(define (make-generator . seed)
  "A random number generator for the :generator of operators.  seed: an integer;
without one, it differs from run to run; or what generator-state gave, to go on
from there."
  (apply %procedure "make-generator" seed))

(define (generator? x)
  "Whether it is a random number generator."
  (%procedure "generator?" x))

(define (generator-state generator)
  "The state that a generator is in, as a tensor of bytes to keep."
  (%procedure "generator-state" generator))
