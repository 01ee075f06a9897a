;; arguments.lisp - checks of what constructors of layers are given.
;;
;; They run once, when a layer is created, so that calls of the layer need no
;; checks of their own.  Each returns the value that the layer keeps.

(define (%positive who name x)
  "x, a positive integer."
  (if (and (exact-integer? x) (> x 0))
      x
      (wrong-type who (string "a positive integer for " name) x)))

(define (%positive-real who name x)
  "x, a positive number."
  (if (and (real? x) (> x 0))
      x
      (wrong-type who (string "a positive number for " name) x)))

(define (%probability who p given)
  "p, a number from 0 to 1, which may be given without its keyword."
  (%rate who "p" (%given who "p" given p)))

(define (%rate who name x)
  "x, a number from 0 to 1, as a double."
  (if (and (real? x) (<= 0 x 1))
      (inexact x)
      (wrong-type who (string "a number from 0 to 1 for " name) x)))

(define (%sizes who name x n least)
  "x as a list of n integers from least: a single one stands for all."
  (cond ((%size? x least) (make-list n x))
        ((and (list? x) (= (length x) n)
              (every (lambda (size) (%size? size least)) x))
         x)
        (else (wrong-type who
                          (string (if (= least 0) "a non-negative" "a positive")
                                  " integer, or a list of " n ", for " name)
                          x))))

(define (%size? x least)
  "Whether x is an integer from least."
  (and (exact-integer? x) (>= x least)))

(define (%choice who name x choices)
  "x as a string, one of the choices; a symbol is the same."
  (let ((text (if (symbol? x) (symbol->string x) x)))
    (if (member text choices)
        text
        (wrong-type who
                    (string (%either (map %in-quotes choices)) " for " name)
                    x))))

(define (%either texts)
  "The texts with commas between them, and `or` before the last."
  (if (null? (cdr texts))
      (car texts)
      (string (string-join (drop-right texts 1) ", ") " or " (last texts))))

(define (%in-quotes text)
  "The text in quotation marks."
  (string "\"" text "\""))

(define (%divisor who name x of-name of)
  "x, a positive integer that divides the number `of` evenly."
  (%positive who name x)
  (if (zero? (remainder of x))
      x
      (error (string who ": " name " must divide " of-name ", got " x " for "
                     of))))

(define (%given who name given keyword)
  "The value of an argument that may be given without its keyword."
  (cond ((null? given) keyword)
        ((null? (cdr given)) (car given))
        ((tensor? (car given))
         (wrong-type who (string "one argument, " name ",") (car given)))
        (else (error (string who ": expected one argument, " name ", got "
                             (length given))))))

(define (%number who name given keyword)
  "The value of a number that may be given without its keyword."
  (let ((x (%given who name given keyword)))
    (if (real? x)
        x
        (wrong-type who (string "a number for " name) x))))

(define (%check-channels who x least most dim channels)
  "Raise an error unless the tensor has least to most dimensions, and that many
  channels as dimension dim."
  (%check-rank who x least most)
  (unless (= (tensor-size x dim) channels)
    (error (string who ": expected " channels " channels, got "
                   (tensor-size x dim) " in shape")
           (tensor-shape x))))

(define (%check-rank who x least most)
  "Raise an error unless the tensor has least to most dimensions."
  (let ((rank (tensor-rank x)))
    (unless (<= least rank most)
      (error (string who ": expected an input of "
                     (if (= least most) most (string least " or " most))
                     " dimensions, got shape")
             (tensor-shape x)))))

;; Initial values.

(define (%uniform! x bound)
  "Fill x uniformly between -bound and bound."
  (no-grad (tensor-uniform! x (- bound) bound)))

(define (%layer-weight shape)
  "A weight [out, in, ...] with the initial values of linear and convolutions."
  (tensor-kaiming-uniform! (tensor-empty shape) :a (sqrt 5.0)))

(define (%layer-bias weight size)
  "A bias of that size with the initial values that belong to the weight."
  (%uniform! (tensor-empty size)
             (/ (sqrt (inexact (car (%fans "bias" weight)))))))
