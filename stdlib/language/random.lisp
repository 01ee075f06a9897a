;; random.lisp - random number generators as values: each has its own stream of
;; numbers, separate from the one that manual-seed sets.  And the state of
;; everything that is random, so that a program can continue where it was.

(define (make-generator . seed)
  "A random number generator for the :generator of operators that return tensors
  on the default device, where it is when it is made.  seed: an integer; without
  one, it differs from run to run; or a state from generator-state, to continue
  from there."
  (apply %procedure "make-generator" #f seed))

(define (%make-cpu-generator seed)
  "A generator for the library's own numbers, which are drawn on the CPU."
  (%procedure "make-generator" "cpu" seed))

(define (generator? x)
  "Whether it is a random number generator."
  (%procedure "generator?" x))

(define (generator-state generator)
  "The state of a generator, as a tensor of bytes."
  (%procedure "generator-state" generator))

(define (random-state)
  "The state of all that is random: an alist that set-random-state! takes.

  \"random\" is the state of random, an exact integer; \"tensors\" an alist of
  the devices that the program has used, and the states of LibTorch's
  generators for them, which manual-seed sets: tensors of bytes.  save-state
  writes it to a file."
  (list (cons "random" (%random-words))
        (cons "tensors" (hash->list (%procedure "random-states")))))

(define (set-random-state! state)
  "Continue all random numbers from what random-state returned.

  The numbers that follow are exactly those that followed then, on both back
  ends.  States of devices that are not available are ignored."
  (let ((words (%random-part state "random"))
        (tensors (%random-part state "tensors")))
    (%procedure "set-random-state!" (%names-and-values "set-random-state!"
                                                       tensors))
    (%set-random-words! words)))

(define (%random-part state name)
  "The value of a name in a random state."
  (let ((found (and (list? state) (every pair? state) (assoc name state))))
    (if found
        (cdr found)
        (%error-with-hint "set-random-state!: expected a random state, got"
                          (list state)
                          "pass what random-state returned"))))
