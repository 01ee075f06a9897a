;; What tests/programs/macros_imported.lisp imports.
(define hidden 10)
(define (helper x) (+ x hidden))
(define-syntax with-hidden (syntax-rules () ((_ x) (helper x))))
(define-syntax bump! (syntax-rules () ((_) (set! hidden (+ hidden 1)))))
(define-syntax define-it
  (syntax-rules () ((_ name) (begin (define it 5) (define (name) it)))))
(defmacro twice (x) `(list ,x ,x))
(define-syntax my-if (syntax-rules (then) ((_ c then a) (if c a 'no))))
