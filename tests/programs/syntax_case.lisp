; Macros by a procedure with patterns and templates (R6RS).
(define-syntax swap!
  (lambda (form)
    "Exchange the values of two variables."
    (syntax-case form ()
      ((_ a b) (and (identifier? #'a) (identifier? #'b))
       #'(let ((old a)) (set! a b) (set! b old))))))
(define old 1)
(define new 2)
(swap! old new)
(print old new)                                       ; => 2 1

; Racket's short form; what the template says means what it means here.
(define-syntax (my-or form)
  (syntax-case form ()
    ((_) #'#f)
    ((_ e) #'e)
    ((_ e more ...) #'(let ((t e)) (if t t (my-or more ...))))))
(define t 5)
(print (my-or #f t) (let ((if list)) (my-or #f t)))   ; => 5 5

; Identifiers of the use's context, on purpose.
(define-syntax forever
  (lambda (form)
    (syntax-case form ()
      ((k body ...)
       (with-syntax ((break (datum->syntax #'k 'break)))
         #'(call/cc (lambda (break) (let loop () body ... (loop)))))))))
(define i 0)
(print (forever (set! i (+ i 1)) (when (= i 5) (break (list 'done i)))))  ; => (done 5)
(define-syntax define-getters
  (lambda (form)
    (define (getter name)
      (datum->syntax name (string->symbol (string-append "get-" (symbol->string (syntax->datum name))))))
    (syntax-case form ()
      ((_ name ...)
       #`(begin #,@(map (lambda (name) #`(define (#,(getter name)) #,name)) #'(name ...)))))))
(define speed 12)
(define mass 3)
(define-getters speed mass)
(print (get-speed) (get-mass))                        ; => 12 3

; Fenders, literals, temporaries.
(define-syntax kind
  (lambda (form)
    (syntax-case form (else)
      ((_ else) #''word)
      ((_ x) (identifier? #'x) #''identifier)
      ((_ x) (number? (syntax->datum #'x)) #''number)
      ((_ #(a b ...)) #'(list 'vector 'a 'b ...))
      ((_ (x ...) ...) #''((x ... end) ...))
      ((_ "text") #''text))))
(print (kind else) (kind car) (kind 5) (kind #(1 2 3)) (kind "text"))  ; => word identifier number (vector 1 2 3) text
(print (kind ((1 2) (3) ())) (let ((else 1)) (kind else)))   ; => (((1 2) (3) () end)) identifier
(define-syntax rotate!
  (lambda (form)
    (syntax-case form ()
      ((_ v ...)
       (with-syntax (((t ...) (generate-temporaries #'(v ...)))
                     ((w ...) (append (cdr #'(v ...)) (list (car #'(v ...))))))
         #'(let ((t w) ...) (set! v t) ...))))))
(define-values (a b c) (values 1 2 3))
(rotate! a b c)
(print a b c)                                         ; => 2 3 1

; Names that are replaced wherever they stand, and may be set.
(define cell (list 42))
(define-syntax content
  (make-variable-transformer
    (lambda (form)
      (syntax-case form (set!)
        ((set! _ value) #'(set-car! cell value))
        ((_ arg ...) #'(list (car cell) arg ...))
        (name (identifier? #'name) #'(car cell))))))
(set! content (+ content 1))
(print content (content 1 2) (map (lambda (x) (+ x content)) '(1 2)))  ; => 43 (43 1 2) (44 45)

; Two identifiers that mean the same, and two of which one would bind the other.
(define-syntax same
  (lambda (form)
    (syntax-case form ()
      ((_ x y) #`(list #,(free-identifier=? #'x #'y) #,(bound-identifier=? #'x #'y) #,(free-identifier=? #'x #'car))))))
(define-syntax same-as-car (syntax-rules () ((_ x) (same x car))))
(print (same car car) (same car cdr) (same-as-car car) (let ((car 1)) (same-as-car car)))
; => (#t #t #t) (#f #f #t) (#t #f #t) (#f #f #f)

; A macro that defines macros, each way round; local ones.
(define-syntax define-constant
  (syntax-rules ()
    ((_ name value)
     (define-syntax name (lambda (form) (syntax-case form () (_ #'(let ((v value)) v))))))))
(define-constant seven (+ 3 4))
(print seven (let ((v 1)) (+ seven v)))               ; => 7 8
(define-syntax define-doubled
  (lambda (form)
    (syntax-case form ()
      ((_ name) #'(define-syntax name (syntax-rules () ((_ x (... ...)) (list (* 2 x) (... ...)))))))))
(define-doubled doubled)
(print (doubled 1 2 3))                               ; => (2 4 6)
(define (f x)
  (let-syntax ((plus (lambda (form) (syntax-case form () ((_ y) #'(+ x y))))))
    (let ((x 100)) (plus x))))
(print (f 5))                                         ; => 105

; The prefixes as data.
(print (read (open-input-string "(#'a #`(b #,c #,@d))")))  ; => ((syntax a) (quasisyntax (b (unsyntax c) (unsyntax-splicing d))))
(print '(#'a #,@b))                                   ; => ((syntax a) (unsyntax-splicing b))
