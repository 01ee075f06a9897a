;; Rules of a tokenizer that make far more of a text than it has: one clear error.  Without it, a
;; file of 5 KB fills the memory.
(define folder "/tmp/lambent-tokenizer-growth")
(define path (string folder "/tokenizer.json"))
(make-folder folder)
(define (list-of n text) (string-join (make-list n text) ","))
(define (with . rules)
  (call-with-output-file path
    (lambda (port)
      (write-string "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[]}" port)
      (for-each (lambda (text) (write-string text port)) rules)
      (write-string "}" port)))
  (load-tokenizer path))
(define (sequence kind name rules)
  (string ",\"" kind "\":{\"type\":\"Sequence\",\"" name "\":[" rules "]}"))
(define-syntax try
  (syntax-rules ()
    ((_ e) (guard (x ((error-object? x) (print (error-object-message x))))
             (print e)))))
(define (replaces text)
  (string "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"" text "\"}"))

;; Normalizers, one after another, in sequences, and in a single step.
(define growing (list-of 40 (replaces "aa")))
(define t (with (sequence "normalizer" "normalizers" growing)))
(try (length (encode t "bbb")))  ; => 3
(try (length (encode t "aaa")))  ; => encode: the rules of the tokenizer make more than 65728 bytes of the text
(define t (with (sequence "normalizer" "normalizers"
                          (list-of 40 (string "{\"type\":\"Sequence\",\"normalizers\":["
                                              (list-of 2 (replaces "aa")) "]}")))))
(try (length (encode t "a")))    ; => encode: the rules of the tokenizer make more than 65600 bytes of the text
(define t (with ",\"normalizer\":" (replaces (make-string 100000 #\a))))
(try (length (encode t "ab")))   ; => encode: the rules of the tokenizer make more than 65664 bytes of the text
(define t (with ",\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"" (make-string 100000 #\a) "\"}"))
(try (length (encode t "b")))    ; => encode: the rules of the tokenizer make more than 65600 bytes of the text
(define t (with (sequence "normalizer" "normalizers" (list-of 40 "{\"type\":\"ByteLevel\"}"))))
(try (length (encode t "é")))    ; => encode: the rules of the tokenizer make more than 65664 bytes of the text

;; What people use is far from the bound.
(define t (with ",\"normalizer\":" (replaces "aaaaaaaaaaaaaaaaaaaaaaaa")))
(try (length (encode t (make-string 10000 #\a))))  ; => 240000

;; Added tokens are normalized when the file is loaded.
(try (with ",\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"" (make-string 100000 #\a) "\"}"
           ",\"added_tokens\":[{\"id\":2,\"content\":\"x\",\"normalized\":true}]"))  ; => load-tokenizer: "/tmp/lambent-tokenizer-growth/tokenizer.json": the rules of the tokenizer make more than 65600 bytes of the text

;; Decoders.
(define t (with (sequence "decoder" "decoders" growing)))
(try (decode t '(1 1)))          ; => bb
(try (string-length (decode t '(0))))  ; => decode: the rules of the decoder make more than 65600 bytes of the tokens
(define t (with (sequence "decoder" "decoders"
                          (string "{\"type\":\"Fuse\"},{\"type\":\"Metaspace\",\"replacement\":\"a\",\"add_prefix_space\":false},"
                                  "{\"type\":\"Strip\",\"content\":\" \",\"start\":100000,\"stop\":0}"))))
(try (decode t (append (make-list 100000 0) '(1 0 1))))  ; => b b

;; Tokens at the ends: so many tokens for each mention of a name.
(define (framed mentions ids)
  (string ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":["
          (list-of mentions "{\"SpecialToken\":{\"id\":\"x\",\"type_id\":0}}")
          ",{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[],\"special_tokens\":"
          "{\"x\":{\"id\":\"x\",\"ids\":[" (list-of ids "1") "],\"tokens\":[" (list-of ids "\"b\"") "]}}}"))
(try (length (encode (with (framed 8 512)) "a")))  ; => 4097
(try (with (framed 8 513)))      ; => load-tokenizer: "/tmp/lambent-tokenizer-growth/tokenizer.json", byte 394: the post_processor adds more than 4096 tokens to a text

;; A long token in a file of tiktoken, which may be made of any two others.
(define ranks (string folder "/long.tiktoken"))
(call-with-output-file ranks
  (lambda (port)
    (write-string "YQ== 0\nYWE= 1\n" port)
    (write-string (make-string 400000 #\Y) port)
    (write-string " 2\nYWFh 3\n" port)))
(define t (load-tiktoken ranks :pattern "\\w+|\\s+"))
(print (encode t "aaaaa") (vocabulary-size t))  ; => (1 3) 4
