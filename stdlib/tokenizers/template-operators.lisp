;; template-operators.lisp - the arithmetic of chat templates.

(define (%combine run line operator a b)
  "The value of an arithmetic operator."
  (if (string=? operator "~")
      (%joined-values run line (%template-text a) (%template-text b))
      (let ((a (if (%markup? a) a (%number-of a)))
            (b (if (%markup? b) b (%number-of b))))
        (cond ((and (number? a) (number? b)) (%calculate line operator a b))
              ((string=? operator "+") (%sum run line a b))
              ((string=? operator "*")
               (cond ((exact-integer? b) (%repeated run line (%plain a) b))
                     ((exact-integer? a) (%repeated run line (%plain b) a))
                     (else (%wrong-operands line operator a b))))
              ((and (string=? operator "%") (string? (%plain a)))
               (%percent-formatted run line (%plain a)
                                   (cond ((vector? b) (vector->list b))
                                         ((hash-table? b) b)
                                         (else (list b)))))
              (else (%wrong-operands line operator a b))))))

(define (%wrong-operands line operator a b)
  (%template-error line (string "cannot apply " operator " to "
                                (%template-kind a) " and "
                                (%template-kind b))))

(define (%sum run line a b)
  "Two strings, lists or tuples as one."
  (cond ((and (string? (%plain a)) (string? (%plain b))) (%joined-values run line a b))
        ((and (vector? a) (vector? b))
         (%count-text! run line (+ (vector-length a) (vector-length b)))
         (vector-append a b))
        ((and (not (vector? a)) (not (vector? b)) (%sequence? a) (%sequence? b))
         (%count-text! run line (+ (length a) (length b)))
         (append a b))
        (else (%wrong-operands line "+" a b))))

(define (%joined-values run line a b)
  "The texts of two values as one; a safe one escapes the other."
  (let* ((safe (or (%markup? a) (%markup? b)))
         (text (lambda (x)
                 (let ((text (%template-text x)))
                   (if (and safe (not (%markup? x))) (%escaped text) text))))
         (a (text a))
         (b (text b)))
    (%count-text! run line (+ (string-length a) (string-length b)))
    (let ((made (string-append a b)))
      (if safe (%markup made) made))))

(define (%repeated run line x n)
  "A string, a list or a tuple n times."
  (let* ((n (max n 0)) (all (if (vector? x) (vector->list x) x)))
    (unless (or (string? all) (pair? all) (null? all))
      (%wrong-operands line "*" x n))
    (%count-text! run line
                  (* n (if (string? all) (string-length all) (length all))))
    (let ((n (if (equal? all "") 0 (if (null? all) 0 n))))
      (cond ((string? all)
             (string-concatenate (list-tabulate n (lambda (k) all))))
            (else
             (let ((made (append-map values (list-tabulate n (lambda (k) all)))))
               (if (vector? x) (list->vector made) made)))))))

(define (%calculate line operator a b)
  "The value of an operator of two numbers."
  (when (and (member operator '("/" "//" "%")) (= b 0))
    (%template-error line "division by zero"))
  (when (and (string=? operator "**")
             (or (> (abs b) 1000) (> (abs a) (expt 10 30))))
    (%template-error line "a power is too large"))
  (let ((value (cond ((string=? operator "+") (+ a b))
                     ((string=? operator "-") (- a b))
                     ((string=? operator "*") (* a b))
                     ((string=? operator "/") (inexact (/ a b)))
                     ((string=? operator "//") (floor (/ a b)))
                     ((string=? operator "%")
                      (if (and (exact-integer? a) (exact-integer? b))
                          (modulo a b)
                          (- a (* b (floor (/ a b))))))
                     ((and (exact-integer? b) (< b 0)) (expt (inexact a) b))
                     (else (expt a b)))))
    (when (and (exact-integer? value) (> (abs value) (expt 10 1000)))
      (%template-error line "a number has more than 1000 digits"))
    value))
