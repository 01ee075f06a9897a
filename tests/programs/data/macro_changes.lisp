;; For ../redefined_macros.lisp: the last meaning of a name is exported, the first ones are used.
(define-syntax kind (syntax-rules () ((_) 'first)))
(define (kind-inside) (kind))
(define-syntax kind (syntax-rules () ((_) 'second)))
(define-syntax becomes (syntax-rules () ((_ x) (list 'macro x))))
(define (becomes-inside x) (becomes x))
(define (becomes x) (list 'procedure x))
