; Macros by a procedure that says itself what it renames.
(define-syntax swap!
  (er-macro-transformer
    (lambda (form rename compare)
      "Exchange the values of two variables."
      (let ((a (cadr form)) (b (caddr form)))
        `(,(rename 'let) ((,(rename 'old) ,a))
           (,(rename 'set!) ,a ,b)
           (,(rename 'set!) ,b ,(rename 'old)))))))

(define old 1)
(define other 2)
(swap! old other)
(print old other)                   ; => 2 1
(print (let ((let 5) (set! 6)) (swap! let set!) (list let set!)))  ; => (6 5)

; What is not renamed is seen by the program.
(define-syntax aif
  (er-macro-transformer
    (lambda (form rename compare)
      `(,(rename 'let) ((it ,(list-ref form 1)))
         (,(rename 'if) it ,(list-ref form 2) ,(list-ref form 3))))))
(print (aif (assv 2 '((1 . a) (2 . b))) (cdr it) 'none) (aif #f it 'none))  ; => b none

; compare tells what an identifier means at the use.
(define-syntax my-cond
  (er-macro-transformer
    (lambda (form rename compare)
      (if (null? (cdr form))
          #f
          (let ((clause (cadr form)))
            (if (compare (car clause) (rename 'else))
                (cons (rename 'begin) (cdr clause))
                (list (rename 'if) (car clause) (cons (rename 'begin) (cdr clause))
                      (cons (rename 'my-cond) (cddr form)))))))))
(print (my-cond (#f 1) (else 2)))   ; => 2
(print (let ((else #f)) (my-cond (#f 1) (else 2) (#t 3))))  ; => 3
(define-syntax compared
  (er-macro-transformer
    (lambda (form rename compare)
      (list (rename 'quote)
            (list (compare (cadr form) (caddr form)) (compare 'car (rename 'car)) (compare 5 5) (compare 'a "a")
                  (eq? (rename 'x) (rename 'x)) (eq? (rename 'x) 'x) (symbol? (rename 'x)))))))
(print (compared a a) (compared a b) (let ((a 1)) (compared a a)))  ; => (#t #t #t #f #t #f #t) (#f #t #t #f #t #f #t) (#t #t #t #f #t #f #t)

; Uses in templates of other macros, definitions, and in bodies.
(define-syntax swap-both!
  (syntax-rules () ((_ a b) (let ((t 1)) (swap! a b) (swap! a t) (list a b t)))))
(print (let ((t 'x) (u 'y)) (swap-both! t u)))  ; => (1 x y)
(define-syntax define-getter
  (er-macro-transformer
    (lambda (form rename compare)
      (let ((name (cadr form)))
        `(,(rename 'define) (,(string->symbol (string-append "get-" (symbol->string name)))) ,name)))))
(define speed 12)
(define-getter speed)
(print (get-speed))                 ; => 12
(define (f)
  (define-syntax twice (er-macro-transformer (lambda (form rename compare) (list (rename '*) 2 (cadr form)))))
  (let ((* +)) (twice 21)))
(print (f))                         ; => 42
(print (let-syntax ((one (er-macro-transformer (lambda (form rename compare) 1)))) (+ (one) (one 2 . 3))))  ; => 2
(define-syntax make-er
  (syntax-rules () ((_ name value) (define-syntax name (er-macro-transformer (lambda (form rename compare) value))))))
(make-er seven (+ 3 4))
(print (seven) 'seven)              ; => 7 seven
