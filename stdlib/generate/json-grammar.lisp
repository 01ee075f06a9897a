;; json-grammar.lisp - the grammar of JSON, after RFC 8259.
;;
;; It is narrower than the standard where programs that read JSON differ or
;; models run on: objects and arrays nest to a depth, so each depth has rules
;; of its own; a line is indented by 20 characters at most; an exponent has
;; three digits at most; escapes name no half of a surrogate pair.

(define (json-grammar :root 'value :depth 16 :whitespace #t)
  "A grammar of JSON texts, for the :grammar of generate.

  root: what the text is: value (any), object, array, string, number or
  boolean.  depth: how deep objects and arrays may nest.  whitespace: whether
  spaces and line ends may stand between the parts."
  (unless (memq root '(value object array string number boolean))
    (wrong-type "json-grammar"
                "value, object, array, string, number or boolean for :root"
                root))
  (unless (and (exact-integer? depth) (<= 0 depth 200))
    (wrong-type "json-grammar" "an integer from 0 to 200 for :depth" depth))
  (make-grammar (cons (list 'root (if (memq root '(value object array))
                                      (%at-depth root depth)
                                      root))
                      (append (%json-rules depth)
                              (%json-token-rules whitespace)))))

(define (%at-depth name depth)
  "The rule's name at a depth: value-3."
  (string->symbol (string name "-" depth)))

(define (%json-rules depth)
  "The rules of values, objects and arrays that nest so deep."
  (append-map %json-rules-at (iota (+ depth 1))))

(define (%json-rules-at depth)
  "The rules of one depth."
  (let ((inner (if (= depth 0) 'value-0 (%at-depth 'value (- depth 1))))
        (object (%at-depth 'object depth))
        (array (%at-depth 'array depth)))
    (if (= depth 0)
        (list '(value-0 (or string number boolean "null"))
              '(object-0 "{" space "}")
              '(array-0 "[" space "]"))
        (list (list (%at-depth 'value depth)
                    (list 'or object array 'string 'number 'boolean "null"))
              (list object "{" 'space
                    (list '? (%separated (list 'seq 'string 'space ":" 'space
                                               inner 'space)))
                    "}")
              (list array "[" 'space
                    (list '? (%separated (list 'seq inner 'space)))
                    "]")))))

(define (%separated expression)
  "The expression once or more, with commas between."
  (list 'seq expression (list '* "," 'space expression)))

(define (%json-token-rules whitespace)
  "The rules of what does not nest."
  (list (if whitespace
            '(space (? (or " " (seq "\n" (repeat (one-of " \t") 0 20)))))
            '(space (seq)))
        '(string "\"" (* character) "\"")
        '(character (or (none-of "\"\\" (#\x0 #\x1f) #\x7f) (seq "\\" escape)))
        '(escape (or (one-of "\"\\/bfnrt") (seq "u" unit)))
        '(unit (or (seq (one-of "0123456789abcefABCEF") hex hex hex)
                   (seq (one-of "dD") (one-of (#\0 #\7)) hex hex)
                   (seq (one-of "dD") (one-of "89abAB") hex hex
                        "\\u" (one-of "dD") (one-of "cdefCDEF") hex hex)))
        '(hex (one-of (#\0 #\9) (#\a #\f) (#\A #\F)))
        '(number integer (? "." (+ digit))
                 (? (one-of "eE") (? (one-of "+-")) (repeat digit 1 3)))
        '(integer (? "-") (or "0" (seq (one-of (#\1 #\9)) (* digit))))
        '(digit (one-of (#\0 #\9)))
        '(boolean (or "true" "false"))))
