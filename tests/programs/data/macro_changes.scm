(define-syntax part (syntax-rules () ((_) 'included-first)))
(define (part-inside) (part))
(define-syntax part (syntax-rules () ((_) 'included-second)))
