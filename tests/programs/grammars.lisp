; Grammars: what begins and what completes a text; JSON, and schemas of JSON.
(define (judged g . texts)
  (map (lambda (text)
         (cond ((grammar-matches? g text) 'yes) ((grammar-begins? g text) 'begins) (else 'no)))
       texts))
(define list-grammar (make-grammar '((list item (* ", " item)) (item (+ (one-of (#\a #\z)))))))
(print (judged list-grammar "" "a" "ab, " "ab, c" "A" "a,b"))  ; => (begins yes begins yes no no)
(define text-grammar (make-grammar '((text (+ (none-of "\"" (#\x0 #\x1f)))))))
(print (judged text-grammar "aé€😀ÿ" "a\"" "\n" "߿ࠀ￿𐀀"))  ; => (yes no no yes)
(print (judged (make-grammar '((e (repeat "ab" 2 3)))) "ab" "abab" "ababab" "abababab"))  ; => (begins yes yes no)
(print (judged (make-grammar '((e (* (? "x")) "!"))) "xx!" "!" "x"))  ; => (yes yes begins)
(print (judged (make-grammar '((e (or "(" ")") (seq #\a "") (? "b" "c")))) "(a" ")abc" "(ab" "(c"))  ; => (yes yes begins no)
; A set of characters beyond ASCII is one of byte sequences.
(define greek (make-grammar '((e (one-of (#\α #\ω) (#\ऀ #\✿) #\😀)))))
(print (judged greek "α" "ω" "ϊ" "ऀ" "✿" "❀" "😀" "😁"))  ; => (yes yes no yes yes no yes no)

(define json (json-grammar))
(print (judged json "{}" "[1, 2.5e3, -0, \"a\\u00e9\\n\", {\"b\": null}]" "{\"a\":" "[1,]" "01" "tru"))  ; => (yes yes begins no no begins)
(print (judged json "\"\\ud800\"" "\"\\ud83d\\ude00\"" "\"ü€😀\"" "\"\t\"" "{\"a\" 1}" "1 2"))  ; => (no yes yes no no no)
(print (judged (json-grammar :root 'object :depth 2) "{\"a\": [1]}" "{\"a\": [[1]]}" "[]" "{\"a\":{\"b\":1}}"))  ; => (yes no no yes)
(print (judged (json-grammar :whitespace #f) "[1,2]" "[1, 2]"))  ; => (yes no)

(define (schema text . texts) (print (apply judged (json-schema-grammar text) texts)))
(schema "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\", \"minLength\": 1},
         \"age\": {\"type\": \"integer\", \"minimum\": -3, \"maximum\": 120}}, \"required\": [\"name\"]}"
        "{\"name\": \"x\", \"age\": 120}" "{\"name\":\"x\"}" "{\"age\": 1}" "{\"name\": \"x\", \"age\": 121}"
        "{\"name\": \"\"}" "{\"name\": \"x\", \"age\": -3}" "{\"name\": \"x\", \"age\": -4}")  ; => (yes yes no no no yes no)
(schema "{\"enum\": [\"a\", 1, null, [1, {\"b\": 2}]]}" "\"a\"" "1" "null" "[1, {\"b\":2}]" "2")  ; => (yes yes yes yes no)
(schema "{\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\": 3}"
        "[1]" "[1, 2]" "[1,2,3.5]" "[1,2,3,4]")  ; => (no yes yes no)
(schema "{\"prefixItems\": [{\"type\": \"boolean\"}, {\"const\": \"x\"}], \"items\": false}"
        "[]" "[true]" "[true, \"x\"]" "[true, \"x\", 1]")  ; => (yes yes yes no)
(schema "{\"$defs\": {\"tree\": {\"type\": \"object\", \"properties\": {\"left\": {\"$ref\": \"#/$defs/tree\"},
         \"value\": {\"type\": \"integer\"}}, \"required\": [\"value\"]}}, \"$ref\": \"#/$defs/tree\"}"
        "{\"left\": {\"left\": {\"value\": 1}, \"value\": 2}, \"value\": 3}" "{\"left\": 1}")  ; => (yes no)
(schema "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"null\"}}" "{\"a\": null, \"b\": null}" "{\"a\": 1}")  ; => (yes no)
(schema '(("anyOf" . ((("type" . "null")) (("type" . ("boolean" "string")))))) "null" "true" "\"\"" "1")  ; => (yes yes yes no)
(define (numbers-of text candidates)
  (let ((g (json-schema-grammar text)))
    (filter (lambda (n) (grammar-matches? g (number->string n))) candidates)))
(print (equal? (numbers-of "{\"type\": \"integer\", \"minimum\": 17, \"maximum\": 1234}" (iota 1500))
               (iota 1218 17)))  ; => #t
(print (numbers-of "{\"type\": \"integer\", \"exclusiveMinimum\": -3, \"exclusiveMaximum\": 4}" (iota 200 -100)))  ; => (-2 -1 0 1 2 3)
(print (numbers-of "{\"type\": \"integer\", \"minimum\": 95}" '(-95 0 94 95 99 100 994 12345)))  ; => (95 99 100 994 12345)

(define (said thunk) (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
(said (lambda () (make-grammar '((e "x" f)))))  ; => make-grammar: no rule is called f; the rules are ((e))
(said (lambda () (make-grammar '((e (or (seq e "+") "x"))))))  ; => make-grammar: rule e begins with itself ()
(said (lambda () (make-grammar '((start b) (b (or "x" (seq (? "y") c "+"))) (c (or b "z"))))))  ; => make-grammar: rule b begins with itself ()
(said (lambda () (make-grammar '((e "x" e)))))  ; => make-grammar: rule e has no text that ends ()
(said (lambda () (make-grammar '((e (repeat "x" 3 2))))))  ; => make-grammar: expected (repeat expression least most), integers, or #f for most, got (repeat "x" 3 2) ()
(said (lambda () (make-grammar '((e (one-of "a" 5))))))  ; => make-grammar: expected a string, a character, or a list of a first and a last character, got 5 ()
(said (lambda () (json-schema-grammar "{\"type\": \"array\", \"uniqueItems\": true}")))  ; => json-schema-grammar: at #: keyword uniqueItems is not supported here; leave it out ()
(said (lambda () (json-schema-grammar "{\"properties\": {\"a\": {\"$ref\": \"#/b\"}}}")))  ; => json-schema-grammar: at #/properties/a: $ref leads nowhere: (#/b)
(said (lambda () (json-schema-grammar "{\"type\": \"integer\", \"minimum\": 2, \"maximum\": 1}")))  ; => json-schema-grammar: at #: maximum is less than minimum ()

; Schemas of many optional members are linear in them, and repetitions are counted, not copied.
(define (optional n)
  (string "{\"type\": \"object\", \"properties\": {"
          (string-join (map (lambda (k) (string "\"f" k "\": {\"type\": \"string\"}")) (iota n)) ", ")
          "}}"))
(schema (optional 100) "{\"f0\":\"a\", \"f99\":\"b\"}" "{\"f99\":\"b\", \"f0\":\"a\"}" "{}")  ; => (yes no yes)
(print (judged (make-grammar '((e (repeat "ab" 2 900000)))) "ab" "ababab"))  ; => (begins yes)
(said (lambda () (make-grammar '((e (repeat "ab" 2 9000000))))))  ; => make-grammar: at most 1000000 repetitions are counted, got (9000000)
; Alternatives that begin alike double with each level: bounded, and an error.
(define alike (make-grammar '((e (or "x" (seq "(" e ")") (seq "(" e "]"))))))
(print (judged alike "((x))" "((x)]" "((x"))  ; => (yes yes begins)
(said (lambda () (grammar-begins? alike (make-string 40 #\())))  ; => grammar-begins?: the grammar is too ambiguous: it has too many ways to continue ()
(said (lambda () (grammar-matches? 5 "")))  ; => grammar-matches?: expected a grammar, got 5 ()
