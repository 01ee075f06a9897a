;; state-machine.lisp - a macro that writes state machines.
;;
;; Each state becomes a procedure that looks at the next character and tail-calls
;; the next state, so that a machine runs in constant memory however long its
;; input is.

(define-syntax state-machine
  (syntax-rules (accept)
    ((_ first (name rule ...) ...)
     (lambda (text)
       (let ((size (string-length text)))
         (letrec ((name
                   (lambda (i)
                     (if (= i size)
                         (at-end rule ...)
                         (let ((c (string-ref text i)))
                           (transition c (+ i 1) rule ...)))))
                  ...)
           (first 0)))))))

;; Whether a state accepts: one of its rules is the word `accept`.

(define-syntax at-end
  (syntax-rules (accept)
    ((_) #f)
    ((_ accept rule ...) #t)
    ((_ (test next) rule ...) (at-end rule ...))))

;; The call of the state that the first fitting rule names.

(define-syntax transition
  (syntax-rules (accept else)
    ((_ c i) #f)
    ((_ c i accept rule ...) (transition c i rule ...))
    ((_ c i (else next) rule ...) (next i))
    ((_ c i ((item ...) next) rule ...)
     (if (memv c '(item ...)) (next i) (transition c i rule ...)))
    ((_ c i (test? next) rule ...)
     (if (test? c) (next i) (transition c i rule ...)))))

;; c[ad]+r, as in cadr.
(define cxr?
  (state-machine start
    (start ((#\c) more))
    (more ((#\a #\d) some))
    (some ((#\a #\d) some) ((#\r) end))
    (end accept)))

;; A number such as -12, 3.5 or 6.02e+23.
(define numeral?
  (state-machine start
    (start ((#\+ #\-) whole) (char-numeric? digits))
    (whole (char-numeric? digits))
    (digits accept (char-numeric? digits) ((#\.) fraction) ((#\e #\E) exponent))
    (fraction accept (char-numeric? fraction) ((#\e #\E) exponent))
    (exponent ((#\+ #\-) power) (char-numeric? powers))
    (power (char-numeric? powers))
    (powers accept (char-numeric? powers))))

;; Text with /* comments */ that are all closed.
(define closed-comments?
  (state-machine code
    (code accept ((#\/) slash) (else code))
    (slash accept ((#\*) comment) ((#\/) slash) (else code))
    (comment ((#\*) star) (else comment))
    (star ((#\/) code) ((#\*) star) (else comment))))

(define (check name machine . texts)
  (print name)
  (for-each
    (lambda (text) (print (if (machine text) "  yes" "  no ") text))
    texts))

(check "cxr?" cxr? "cadr" "cr" "caddar" "cadrs" "car" "xcar")
(check "numeral?" numeral? "12" "-3.5" "6.02e+23" "1." "." "1e" "+")
(check "closed-comments?" closed-comments?
       "a /* b */ c" "a / b" "a /* b" "/***/" "/*/" "x /* * / */")

;; A million characters.
(define (repeat text n) (string-join (list-tabulate n (lambda (k) text)) ""))
(print "a long text:" (closed-comments? (repeat "ab/*c*/de " 100000)))

;; Hygiene: the names `i`, `c` and `size` of the macro are not those of its user.
(define size 3)
(define c #\x)
(define (my-c? i) (and (char=? i c) (= size 3)))
(define i-am-x?
  (state-machine start
    (start (my-c? done))
    (done accept)))
(print (i-am-x? "x") (i-am-x? "y"))
