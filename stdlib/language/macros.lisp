;; macros.lisp - procedures for the bodies of `defmacro`.

(define %gensyms (list 0))

(define (gensym . prefix)
  "A new symbol unlike any other, of a prefix, a point and a number.

  A defmacro uses it for names of its own variables."
  (let ((prefix (%optional "gensym" 0 prefix "g"))
        (count (+ (car %gensyms) 1)))
    (unless (or (string? prefix) (symbol? prefix))
      (wrong-type "gensym" "a string or a symbol" prefix))
    (set-car! %gensyms count)
    (string->uninterned-symbol
     (string-append (if (symbol? prefix) (symbol->string prefix) prefix)
                    "." (number->string count)))))

(define (generate-uninterned-symbol)
  "A new symbol unlike any other."
  (gensym))
