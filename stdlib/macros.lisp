;; macros.lisp - what the bodies of `defmacro` use.

(define %gensyms (list 0))

(define (gensym . prefix)
  "A symbol that no program has: defmacro's way to name a variable of its own."
  (let ((prefix (%optional "gensym" 0 prefix "g"))
        (count (+ (car %gensyms) 1)))
    (set-car! %gensyms count)
    (string->symbol
     (string-append (if (symbol? prefix) (symbol->string prefix) prefix)
                    "." (number->string count)))))
