;; syntax.lisp - procedures on the forms that macros by syntax-case get.
;;
;; They run while a program is analysed.  What they need to know of the program
;; is behind procedures that each expansion brings (lang/core/macros).

(define %expansion-helpers (make-parameter #f))

(define (%while-expanding helpers expand)
  "The value of (expand), a procedure, with the helpers of an expansion."
  (parameterize ((%expansion-helpers helpers)) (expand)))

(define (%expansion-helper who index)
  "A helper by its place."
  (list-ref (or (%expansion-helpers)
                (error (string-append who ": called outside of the procedure \
of a macro")))
            index))

(define (%check-identifier who x)
  (unless (symbol? x) (wrong-type who "an identifier" x)))

(define (identifier? x)
  "Whether a form is an identifier: a symbol (SRFI 72, R6RS).

    (print (identifier? 'x) (identifier? '(x)))  ; => #t #f"
  (symbol? x))

(define (free-identifier=? a b)
  "Whether two identifiers mean the same where the macro is used (R6RS).  Only
  in the procedure of a macro."
  (%check-identifier "free-identifier=?" a)
  (%check-identifier "free-identifier=?" b)
  ((%expansion-helper "free-identifier=?" 0) a b))

(define (bound-identifier=? a b)
  "Whether a binding of one identifier would bind the other, too (R6RS): both
  have one name, and come from the use, or from one expansion."
  (%check-identifier "bound-identifier=?" a)
  (%check-identifier "bound-identifier=?" b)
  (eq? a b))

(define (syntax->datum form)
  "The form with plain symbols for its identifiers (R6RS).  Only in the
  procedure of a macro."
  ((%expansion-helper "syntax->datum" 1) form))

(define (datum->syntax identifier datum)
  "The datum, whose symbols mean what they would mean if they stood where the
  identifier does (R6RS).  Only in the procedure of a macro."
  (%check-identifier "datum->syntax" identifier)
  ((%expansion-helper "datum->syntax" 2) identifier datum))

(define (generate-temporaries forms)
  "As many new identifiers as a list has elements (R6RS).  Only in the procedure
  of a macro."
  (unless (list? forms) (wrong-type "generate-temporaries" "a list" forms))
  ((%expansion-helper "generate-temporaries" 3) forms))

(define (syntax-violation who message form . part)
  "Refuse a use of a macro with an error at the form, or at the part of it
  (R6RS).  who: a symbol, a string or #f.  Only in the procedure of a macro."
  (unless (string? message) (wrong-type "syntax-violation" "a string" message))
  ((%expansion-helper "syntax-violation" 4)
   (if who (string who ": " message) message)
   form
   (and (pair? part) (car part))))

(define (make-variable-transformer procedure)
  "The procedure, whose macro also gets the forms (set! name value) (R6RS).
  Only as the transformer of define-syntax, let-syntax or letrec-syntax."
  procedure)
