;; 5.6 - define-library in a program: export, import, begin, include, cond-expand, 4.1.7 inclusion.

(define-library (stack basic)
  (export make-stack push! pop! (rename stack-empty? empty?) with-stack)
  (import (scheme base))
  (begin
    (define-record-type stack (wrap items) stack? (items items set-items!))
    (define (make-stack) (wrap '()))
    (define (push! s x) (set-items! s (cons x (items s))))
    (define (pop! s)
      (let ((top (car (items s))))
        (set-items! s (cdr (items s)))
        top))
    (define (stack-empty? s) (null? (items s)))
    (define-syntax with-stack
      (syntax-rules ()
        ((_ name body ...) (let ((name (make-stack))) body ...))))))

;; A library that nobody imports does not run.
(define-library (never run)
  (export x)
  (import (scheme base) (scheme write))
  (begin (define x (begin (display "never") 1))))

;; One that is imported runs once, when it is first needed.
(define-library (once)
  (export value)
  (import (scheme base) (scheme write))
  (begin (display "once") (newline) (define value 42)))

(define-library (stack more)
  (export push-all! push! (rename value answer))
  (import (only (scheme base) define for-each lambda)
          (prefix (stack basic) s:) (once)
          (rename (only (stack basic) push!) (push! push!)))
  (begin
    (define (push-all! s . items) (for-each (lambda (x) (s:push! s x)) items))))

(import (scheme base) (scheme write)
        (stack basic)
        (stack more)
        (except (once) value)
        (rename (prefix (only (stack basic) pop!) old-) (old-pop! take!)))
; => once
(define s (make-stack))
(push-all! s 1 2 3)
(print (pop! s) (take! s) (empty? s)) ; => 3 2 #f
(print (with-stack t (push! t 'x) (pop! t)) answer) ; => x 42

;; A private name of a library is nobody else's.
(define (items s) 'mine)
(define (wrap x) 'mine)
(print (items s) (pop! s) (empty? s)) ; => mine 1 #t

;; Declarations may depend, and come from files.
(define-library (from files 1)
  (export part-one part-two folded)
  (import (scheme base))
  (include-library-declarations "parts/declarations.scm")
  (cond-expand
    ((library (no such thing)) (include "no-such-file.scm"))
    ((and r7rs (not (library (no such thing))))
     (include "parts/one.scm"))
    (else (begin (define part-one 'wrong))))
  (include-ci "parts/two.scm"))
(import (prefix (from files 1) f:))
(print f:part-one f:part-two f:extra) ; => 1 2 extra
(write f:folded) (newline)                   ; => (a B #\C)

;; 4.1.7: inclusion in programs and bodies.
(include "parts/one.scm" "parts/three.scm")
(print part-one (three))           ; => 1 3
(define (body)
  (include "parts/one.scm")
  (define more (+ part-one 1))
  (* 10 more))
(print (body))                     ; => 20

;; 4.2.1, 5.1: cond-expand where expressions and definitions stand; features.
(print (cond-expand ((or foo r7rs) 'r7rs) (else 'other))) ; => r7rs
(cond-expand (foo (define y 1)))
(cond-expand ((not foo) (define y 2) (define z 3)))
(print y z)                        ; => 2 3
(print (and (memq 'r7rs (features)) (memq 'full-unicode (features)) #t)) ; => #t
