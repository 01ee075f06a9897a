;; A tokenizer of SentencePiece that is made of lists.

(define pieces '("<unk>" "<s>" "</s>" "▁" "▁a" "b" "▁ab" "c" "abc"))
(define scores '(0 0 0 -3.0 -2.0 -2.5 -1.0 -2.0 -0.5))
(define types '(unknown control control normal normal normal normal normal
                user-defined))
(define t (sentencepiece-tokenizer pieces scores types :bos #t))
(print (encode t "ab c"))                        ; => (1 6 3 7)
(print (encode t "ab c" :special #f))            ; => (6 3 7)
(print (encode t "xabcx <s>"))                   ; => (1 3 0 8 0 3 0)
(write (decode t '(1 6 3 7 2)))                  ; => "ab c"
(newline)
(write (decode t '(1 6 3 7 2) :skip-special #f)) ; => "<s>ab c</s>"
(newline)
(print (encode-offsets t "ab c" :special #f))    ; => ((6 0 2) (3 2 3) (7 3 4))
(print (tokenizer-kind t) (vocabulary-size t))   ; => sentencepiece 9
(print (bos-id t) (eos-ids t) (pad-id t))        ; => 1 (2) #f
(print (token->id t "▁ab") (token->id t "nope")) ; => 6 #f
(print (id->token t 4) (special-ids t))          ; => ▁a (1 2)

;; Bytes, and tokens that are added.
(define hex "0123456789ABCDEF")
(define (byte-piece k)
  (string "<0x" (string-ref hex (quotient k 16)) (string-ref hex (remainder k 16))
          ">"))
(define bytes
  (sentencepiece-tokenizer
   (append '("<unk>" "<s>" "</s>" "▁") (map byte-piece (range 256)))
   (make-list 260 0.0)
   (append '(2 3 3 1) (make-list 256 6))
   :dummy-prefix #f :special '(("<|end|>" . 260))))
(print (encode bytes "é<|end|>"))                ; => (199 173 260)
(print (encode bytes "<|end|>" :parse-special #f)) ; => (64 128 105 114 104 128 66)
(print (decode bytes '(199 173 260)))            ; => é
(print (vocabulary-size bytes))                  ; => 261
(define s (decoding-stream bytes))
(write (map (lambda (id) (stream-token! s id)) '(199 173 76))) ; => ("" "é" "H")
(newline)
(print (vector-ref (all-token-bytes bytes) 199)) ; => #u8(195)

;; Wrong use.
(define-syntax message
  (syntax-rules ()
    ((_ form) (print (guard (e (#t (error-object-message e))) form)))))
(message (sentencepiece-tokenizer '("a" "a") '(0 0) '(1 1))) ; => sentencepiece-tokenizer: the pieces make no model: a is already defined
(message (sentencepiece-tokenizer '("a") '(0) '(1))) ; => sentencepiece-tokenizer: the pieces make no model: unk is not defined
(message (sentencepiece-tokenizer '("a" "b") '(0) '(1 2))) ; => sentencepiece-tokenizer: the lists have different lengths: 2 pieces, 1 scores, 2 types
(message (sentencepiece-tokenizer '() '() '()))  ; => sentencepiece-tokenizer: the pieces make no model: it has no pieces
(message (decode t '(9)))                        ; => decode: token 9 is out of range for a vocabulary of 9
(message (load-sentencepiece "none.model"))      ; => load-sentencepiece: cannot open "none.model": No such file or directory
