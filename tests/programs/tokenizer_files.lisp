;; Files of tokenizers: those without a tokenizer.json, and damaged ones, which are
;; one clear error each.

(define (write-file path text)
  (call-with-output-file path (lambda (port) (display text port))))
(define (message thunk)
  (guard (e ((error-object? e)
             (print (apply format "~a~a" (error-object-message e)
                           (list (if (pair? (error-object-irritants e))
                                     (error-object-irritants e)
                                     ""))))))
    (thunk)))
(make-folder "/tmp/lambent-tokenizer-files")
;; The other back end may have run in this folder.
(for-each (lambda (path) (when (file-exists? path) (delete-file path)))
          '("/tmp/lambent-tokenizer-files/gpt2/chat_template.jinja"
            "/tmp/lambent-tokenizer-files/gpt2/tokenizer_config.json"
            "/tmp/lambent-tokenizer-files/bert/tokenizer_config.json"))

;; vocab.txt: BERT's.  A line that occurs twice keeps its last id.
(make-folder "/tmp/lambent-tokenizer-files/bert")
(write-file "/tmp/lambent-tokenizer-files/bert/vocab.txt"
            "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nhe\n##llo\n,\n!\nhe\n")
(define bert (load-tokenizer "/tmp/lambent-tokenizer-files/bert"))
(print (encode bert "Héllo, the [MASK] thé!"))   ; => (2 10 7 8 5 4 5 9 3)
(print (decode bert (encode bert "Hello, the!")))  ; => hello, the!
(print (id->token bert 6) (vocabulary-size bert))  ; => he 11
(write-file "/tmp/lambent-tokenizer-files/bert/tokenizer_config.json"
            "{\"do_lower_case\": false, \"added_tokens_decoder\":
              {\"11\": {\"content\": \"<x>\", \"special\": true}}}")
(define cased (load-tokenizer "/tmp/lambent-tokenizer-files/bert"))
(print (encode cased "hello Hello<x>"))          ; => (2 10 7 1 11 3)

;; vocab.json with merges.txt: GPT-2's.
(make-folder "/tmp/lambent-tokenizer-files/gpt2")
(write-file "/tmp/lambent-tokenizer-files/gpt2/vocab.json"
            "{\"h\":0,\"e\":1,\"l\":2,\"o\":3,\"he\":4,\"ll\":5,\"hell\":6,
              \"\\u0120\":7,\"\\u0120hell\":8,\"<|end|>\":9,\"\\u0120he\":10}")
(write-file "/tmp/lambent-tokenizer-files/gpt2/merges.txt"
            "#version: 0.2\nh e\nl l\nhe ll\n\x120; he\n\x120;he ll\n")
(write-file "/tmp/lambent-tokenizer-files/gpt2/tokenizer_config.json"
            "{\"bos_token\": \"<|end|>\", \"eos_token\": {\"content\": \"<|end|>\"},
              \"add_bos_token\": true, \"add_prefix_space\": true,
              \"chat_template\": [{\"name\": \"default\", \"template\": \"A\"},
                                  {\"name\": \"tools\", \"template\": \"B\"}]}")
(define gpt2 (load-tokenizer "/tmp/lambent-tokenizer-files/gpt2"))
(print (encode gpt2 "hello"))                    ; => (9 7 6 3)
(print (encode gpt2 "hello" :special #f))        ; => (7 6 3)
(print (encode (load-tokenizer "/tmp/lambent-tokenizer-files/gpt2/merges.txt") "o")) ; => (9 7 3)
(print (bos-id gpt2) (eos-ids gpt2))             ; => 9 (9)
(print (apply-chat-template gpt2 '()))           ; => A
(write-file "/tmp/lambent-tokenizer-files/gpt2/chat_template.jinja" "{{ bos_token }}C")
(print (apply-chat-template (load-tokenizer "/tmp/lambent-tokenizer-files/gpt2") '()))
; => <|end|>C

;; tiktoken: ranks decide which bytes merge.
(write-file "/tmp/lambent-tokenizer-files/small.tiktoken"
            "aA== 0\nZQ== 1\nbA== 2\nbw== 3\naGU= 4\nbGw= 5\nIGhl 6\nIA== 7\n")
(define ranks (load-tiktoken "/tmp/lambent-tokenizer-files/small.tiktoken" :pattern 'gpt2
                             :special '("<|end|>")))
(print (encode ranks "hello he<|end|>"))         ; => (4 5 3 6 8)
(print (decode ranks '(4 5 3 6 8)))              ; => hello he
(message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/small.tiktoken")))
; => load-tiktoken: "/tmp/lambent-tokenizer-files/small.tiktoken" has 8 tokens, which is not a known vocabulary; say how it splits texts, such as :pattern 'gpt2
(write-file "/tmp/lambent-tokenizer-files/bad.tiktoken" "aA== 0\nZQ== x\n")
(message (lambda ()
           (load-tiktoken "/tmp/lambent-tokenizer-files/bad.tiktoken" :pattern 'gpt2)))
; => load-tiktoken: "/tmp/lambent-tokenizer-files/bad.tiktoken", byte 7: expected a token in base64 and its rank, got "ZQ== x"

;; tekken.json: ranks, a pattern, and room for special tokens before them.
(write-file "/tmp/lambent-tokenizer-files/tekken.json"
            "{\"config\": {\"pattern\": \"\\\\w+|\\\\s+\",
                          \"default_vocab_size\": 6,
                          \"default_num_special_tokens\": 3},
              \"vocab\": [{\"rank\": 0, \"token_bytes\": \"aA==\"},
                         {\"rank\": 1, \"token_bytes\": \"ZQ==\"},
                         {\"rank\": 2, \"token_bytes\": \"aGU=\"},
                         {\"rank\": 3, \"token_bytes\": \"bGw=\"}],
              \"special_tokens\": [{\"rank\": 1, \"token_str\": \"<s>\"},
                                   {\"rank\": 2, \"token_str\": \"</s>\"}]}")
(define tekken (load-tokenizer "/tmp/lambent-tokenizer-files/tekken.json"))
(print (encode tekken "hehe</s>") (id->token tekken 0) (eos-ids tekken))
; => (1 5 5 2) <SPECIAL_0> (2)

;; Damaged files.
(define (try part)
  (write-file "/tmp/lambent-tokenizer-files/tokenizer.json"
              (string "{\"model\": {\"type\": \"BPE\", " part "}}"))
  (message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/tokenizer.json"))))
(try "\"vocab\": {\"a\": 0, \"b\": 0}, \"merges\": []")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 49: the tokens "a" and "b" have the same id, 0
(try "\"vocab\": {\"a\": 4294967296}, \"merges\": []")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 41: expected the id of a token from 0 to 16777215, got 4294967296
(try "\"vocab\": {\"a\": -1}, \"merges\": []")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 41: expected the id of a token from 0 to 16777215, got -1
(try "\"vocab\": {\"a\": 0}, \"merges\": [\"a a\"]")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json": merge 0 needs the token "aa", which the vocabulary does not have
(try "\"vocab\": {\"a\": 0}, \"merges\": [\"a\"]")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 56: expected a merge of two tokens with a space between them, got "a"
(try "\"vocab\": [\"a\"], \"merges\": []")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 35: expected an object as the vocabulary, got an array
(try "\"vocab\": {\"a\": 0}, \"merges\": [], \"dropout\": 0.5")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 70: this tokenizer drops merges at random, which is only for training
(try "\"vocab\": {\"a\": 0}")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 10: the object has no entry "merges"
(define (try-step part)
  (write-file "/tmp/lambent-tokenizer-files/tokenizer.json"
              (string "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}, \
\"unk_token\": \"a\"}, " part "}"))
  (message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/tokenizer.json"))))
(try-step "\"pre_tokenizer\": {\"type\": \"UnicodeScripts\"}")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 96: unknown type of pre_tokenizer "UnicodeScripts"
(try-step "\"added_tokens\": [{\"id\": 0, \"content\": \"<x>\"}]")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 87: the added token "<x>" has the id of another token, 0
(try-step "\"post_processor\": {\"type\": \"BertProcessing\", \
\"cls\": [\"c\", 9], \"sep\": [\"a\", 0]}")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json": the special token "c" has the id 9, beyond a vocabulary of 1
(try-step "\"pre_tokenizer\": {\"type\": \"Split\", \"behavior\": \"Isolated\", \
\"pattern\": {\"Regex\": \"(\"}}")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json": the pattern "(" is not a regular expression: missing closing parenthesis
(try-step "\"normalizer\": {\"type\": \"Precompiled\", \
\"precompiled_charsmap\": \"AAAB\"}")
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 132: the map of characters is damaged
(write-file "/tmp/lambent-tokenizer-files/tokenizer.json" "{\"model\": {\"type\"")
(message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/tokenizer.json")))
; => load-tokenizer: "/tmp/lambent-tokenizer-files/tokenizer.json", byte 17: expected ':', got the end of the text
(write-file "/tmp/lambent-tokenizer-files/bert/vocab.txt" "")
(message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/bert/vocab.txt")))
; => load-word-pieces: "/tmp/lambent-tokenizer-files/bert/vocab.txt": the vocabulary is empty
(delete-file "/tmp/lambent-tokenizer-files/gpt2/vocab.json")
(message (lambda () (load-tokenizer "/tmp/lambent-tokenizer-files/gpt2/merges.txt")))
; => load-tokenizer: "/tmp/lambent-tokenizer-files/gpt2/merges.txt" needs vocab.json beside it
