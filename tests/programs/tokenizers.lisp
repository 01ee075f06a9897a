;; Tokenizers that a program makes of lists, and what programs ask of them.
(define t (bpe-tokenizer '("a" "b" "ab" "Ġ" "Ġab" "<e>" "ð" "Ł" "ĺ" "Ģ")
                         '("a b" "Ġ ab") :special '("<e>") :eos 5 :pad 3))
(print (tokenizer? t) (tokenizer-kind t) (vocabulary-size t)) ; => #t bpe 10
(print (encode t "ab ab<e>a"))                 ; => (2 4 5 0)
(print (encode t "b<e>" :parse-special #f))    ; => (1)
(print (encode-tensor t "ab ab"))              ; => [2 4]
(print (encode-offsets t "ab ab😀b"))          ; => ((2 0 2) (4 2 5) (6 5 6) (7 5 6) (8 5 6) (9 5 6) (1 6 7))
(print (decode t '(2 4 5 0)) (decode t '(5) :skip-special #f)) ; => ab aba <e>
(print (decode t [2 4]))                       ; => ab ab
(print (token->id t "Ġab") (token->id t "x") (id->token t 4)) ; => 4 #f Ġab
(print (bos-id t) (eos-ids t) (pad-id t) (special-ids t)) ; => #f (5) 3 (5)
(write (all-token-bytes t)) (newline)          ; => #(#u8(97) #u8(98) #u8(97 98) #u8(32) #u8(32 97 98) #u8() #u8(240) #u8(159) #u8(152) #u8(128))

;; Batches.
(let-values (((ids mask) (encode-batch t (list "ab" "ab ab" "a"))))
  (print ids mask))                            ; => [[3 2] [2 4] [3 0]] [[#f #t] [#t #t] [#f #t]]
(let-values (((ids mask) (encode-batch t '("ab" "ab ab a") :side 'right
                                       :length 3)))
  (print ids))                                 ; => [[2 3 3] [2 4 3]]

;; Streams never split a character.
(define s (decoding-stream t))
(write (map (lambda (id) (stream-token! s id)) '(2 6 7 8 9 4))) (newline) ; => ("ab" "" "" "" "😀" " ab")
(write (list (stream-token! s 6) (stream-rest! s) (stream-rest! s))) (newline) ; => ("" "�" "")

;; Special tokens at the ends.
(define framed (bpe-tokenizer '("a" "<s>" "</s>") '() :special '("<s>" "</s>")
                              :bos 1 :eos 2 :add-bos #t :add-eos #t
                              :pattern 'llama3))
(print (encode framed "aa") (encode framed "aa" :special #f)) ; => (1 0 0 2) (0 0)
(print (decode framed (encode framed "aa")))   ; => aa

;; Words.
(define w (word-tokenizer '("The cat, the dog." "the end") :lower #t))
(print (encode w "the CAT!") (decode w '(1 2))) ; => (1 4 0) the ,
(print (vocabulary-size w) (vocabulary-size (word-tokenizer "a b b" :most 1))) ; => 7 2

;; A null character is a character.
(print (encode-offsets t "a\x0;b"))            ; => ((0 0 1) (1 2 3))
(print (vocabulary-size (char-vocabulary "aab"))) ; => 2
