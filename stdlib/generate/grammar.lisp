;; grammar.lisp - grammars that restrict what a model writes.
;;
;; A grammar is an object of ctorch (ctorch/grammars/grammar.h), which
;; matches texts byte by byte, and knows which tokens may come next.

(define-record-type grammar
  (%make-grammar object)
  grammar?
  (object %grammar-object))

(define (make-grammar rules)
  "A grammar for the :grammar of generate: what the text may be.

  rules: lists of a name and expressions, which follow each other; the text is
  the first rule.  An expression is a string; a character; a rule's name;
  (seq e ...), one after the other; (or e ...), one of them; (? e ...), (* e
  ...), (+ e ...), optional, any number, at least one; (repeat e least most);
  (one-of part ...) and (none-of part ...), a character, where a part is a
  string of characters or a list of a first and a last one.

  (make-grammar '((list item (* \", \" item)) (item (+ (one-of (#\\a #\\z))))))"
  (unless (and (list? rules) (pair? rules))
    (wrong-type "make-grammar" "a list of rules" rules))
  (%grammar-of-rules "make-grammar" rules))

(define (%grammar-of-rules who rules)
  "The grammar of rules that a procedure has made or was given."
  (let ((nodes (%grammar-nodes rules)))
    (%make-grammar (%procedure who nodes
                               (map (lambda (rule) (symbol->string (car rule)))
                                    rules)))))

(define (grammar-matches? grammar text)
  "Whether a text is complete: the grammar matches all of it."
  (eqv? 0 (%needed-after "grammar-matches?" grammar text)))

(define (grammar-begins? grammar text)
  "Whether a text is the beginning of one that the grammar matches."
  (and (%needed-after "grammar-begins?" grammar text) #t))

(define (%needed-after who grammar text)
  "How many bytes complete a text at least, or #f."
  (unless (grammar? grammar) (wrong-type who "a grammar" grammar))
  (unless (string? text) (wrong-type who "a string" text))
  (%procedure who (%grammar-object grammar) (%text-for-tokens who text)))
