;; tokenizer.lisp - what programs ask of a tokenizer, whatever its kind.
;;
;; A tokenizer is an object of ctorch (ctorch/tokenizers/tokenizer.h), which
;; encodes and decodes, and settings that files beside it hold: an alist with
;;
;;     bos    the id of the token that begins a text, or #f
;;     eos    the ids of those that end one
;;     pad    the id of padding, or #f
;;     template, names    the chat template and the names of special tokens
;;
;; Each kind has a file that makes such a record of its files.

(define %tokenizer-type
  (%record-type 'tokenizer #(kind size #f #f #f #f #f)))

(define (%make-tokenizer kind object settings)
  "A tokenizer; kind is a symbol for people, object what ctorch returned."
  (%record %tokenizer-type kind (%procedure "vocabulary-size" object)
           object settings #f #f #f))

(define (tokenizer? x)
  "Whether it is a tokenizer."
  (%record? x %tokenizer-type))

(define (%tokenizer-field who t k)
  "A field of a tokenizer."
  (unless (tokenizer? t)
    (wrong-type who "a tokenizer" t))
  (%record-ref t %tokenizer-type k "tokenizer"))

(define (%tokenizer-object who t)
  "The object that encodes and decodes."
  (%tokenizer-field who t 2))

(define (%tokenizer-setting who t name)
  "A setting, or #f."
  (let ((found (assq name (%tokenizer-field who t 3))))
    (and found (cdr found))))

(define (tokenizer-kind t)
  "What a tokenizer was made of, as a symbol: bpe, wordpiece, unigram ..."
  (%tokenizer-field "tokenizer-kind" t 0))

;; Encoding.

(define (%text-for-tokens who text)
  "A string as ctorch takes it: a list of parts if it holds a NUL."
  (%check-string who text)
  (if (string-contains text "\x0;")
      (string-split text "\x0;")
      text))

(define (encode tokenizer text :special #t :parse-special #t)
  "The tokens of a text: a list of ids.

  special: whether the tokens that the tokenizer puts at the ends are added, such
  as <s> or [CLS] and [SEP].  parse-special: whether the names of special tokens
  in the text become those tokens; pass #f for texts of strangers."
  (let ((object (%tokenizer-object "encode" tokenizer)))
    (%procedure "encode" object (%text-for-tokens "encode" text)
                special parse-special)))

(define (encode-tensor tokenizer text :special #t :parse-special #t)
  "The tokens of a text: an int64 tensor [n].  The arguments are encode's; for
  long texts it takes less memory."
  (let ((object (%tokenizer-object "encode-tensor" tokenizer)))
    (%procedure "encode-tensor" object (%text-for-tokens "encode-tensor" text)
                special parse-special)))

(define (encode-offsets tokenizer text :special #t :parse-special #t)
  "The tokens of a text and where they are in it: a list of (id start end), in
  characters, end excluded.  Tokens that the tokenizer adds are at (0 0).  The
  arguments are encode's."
  (let ((object (%tokenizer-object "encode-offsets" tokenizer)))
    (%procedure "encode-offsets" object (%text-for-tokens "encode-offsets" text)
                special parse-special)))

(define (encode-batch tokenizer texts :side 'left :length #f :special #t)
  "The tokens of several texts, in rows of one length: two values, the ids
  int64 [n, t], and a mask bool [n, t] that is #f at padding.

  side: left, as generation needs it, or right: where the padding is.  length:
  t; longer texts lose their last tokens.  By default the longest text decides.
  Where the tokenizer has no token for padding, its eos or 0 fills the rows."
  (let ((object (%tokenizer-object "encode-batch" tokenizer)))
    (%check-list "encode-batch" texts)
    (unless (memq side '(left right))
      (wrong-type "encode-batch" "left or right as the side" side))
    (unless (or (not length) (and (exact-integer? length) (>= length 0)))
      (wrong-type "encode-batch" "an exact integer from 0 up as the length"
                  length))
    (apply values
           (%procedure "encode-batch" object
                       (map (lambda (text)
                              (%text-for-tokens "encode-batch" text))
                            texts)
                       special (%padding-id tokenizer) (eq? side 'left)
                       length))))

(define (encode-pairs tokenizer firsts seconds :length #f :cut 'longest
                      :skip #f)
  "The tokens of pairs of texts that an encoder reads together, such as a question
  and a passage, in rows of one length.  Four values of shape [n, t]: the ids
  int64; a mask, bool, that is #f at padding, which stands at the right; the types
  int64 that the tokenizer gives the tokens, mostly 0 or 1; and texts int64, 0 for
  tokens of the first text, 1 for those of the second and -1 for special tokens
  and padding.

  firsts, seconds: lists of as many texts.  length: the most tokens of a row;
  cut says what is left out then: longest takes tokens from the end of the longer
  text, second only from that of the second one.  skip: how many tokens at the
  start of each second text are left out, a list."
  (let ((object (%tokenizer-object "encode-pairs" tokenizer)))
    (%check-pairs firsts seconds length cut skip)
    (let ((texts (lambda (list)
                   (map (lambda (text) (%text-for-tokens "encode-pairs" text))
                        list))))
      (apply values
             (%procedure "encode-pairs" object (texts firsts) (texts seconds)
                         (or skip (map (lambda (text) 0) seconds))
                         (%padding-id tokenizer) length (eq? cut 'second))))))

(define (%check-pairs firsts seconds most cut skip)
  "Check the arguments of encode-pairs."
  (%check-list "encode-pairs" firsts)
  (%check-list "encode-pairs" seconds)
  (unless (= (length firsts) (length seconds))
    (error (format "encode-pairs: ~a first texts and ~a second texts are not pairs"
                   (length firsts) (length seconds))))
  (unless (or (not most) (and (exact-integer? most) (>= most 0)))
    (wrong-type "encode-pairs" "an exact integer from 0 up as the length"
                most))
  (unless (memq cut '(longest second))
    (wrong-type "encode-pairs" "longest or second as what is cut" cut))
  (unless (or (not skip)
              (and (list? skip) (= (length skip) (length seconds))
                   (every exact-integer? skip)))
    (wrong-type "encode-pairs" "a list of an exact integer for each pair as skip"
                skip)))

(define (%padding-id t)
  "The id that fills rows."
  (let ((eos (eos-ids t)))
    (cond ((pad-id t))
          ((pair? eos) (car eos))
          (else 0))))

;; Decoding.

(define (decode tokenizer ids :skip-special #t)
  "The text of tokens: ids is a list or a tensor.  Special tokens are left out
  unless skip-special is #f.  Bytes that are not UTF-8 become U+FFFD."
  (let ((object (%tokenizer-object "decode" tokenizer)))
    (%procedure "decode" object ids skip-special)))

;; The vocabulary.

(define (token->id tokenizer text)
  "The id of a token as the vocabulary writes it; #f if there is none."
  (%procedure "token->id" (%tokenizer-object "token->id" tokenizer)
              (%text-for-tokens "token->id" text)))

(define (id->token tokenizer id)
  "The token of an id as the vocabulary writes it, such as \"Ġthe\"; #f if that
  id is not used."
  (%procedure "id->token" (%tokenizer-object "id->token" tokenizer) id))

(define (bos-id tokenizer)
  "The id of the token that begins a text, or #f."
  (%tokenizer-setting "bos-id" tokenizer 'bos))

(define (eos-ids tokenizer)
  "The ids of the tokens that end a text: a list."
  (or (%tokenizer-setting "eos-ids" tokenizer 'eos) '()))

(define (pad-id tokenizer)
  "The id of padding, or #f."
  (%tokenizer-setting "pad-id" tokenizer 'pad))

(define (special-ids tokenizer)
  "The ids of all special tokens: a list, sorted."
  (%procedure "special-ids" (%tokenizer-object "special-ids" tokenizer)))

(define (all-token-bytes tokenizer)
  "The bytes that each token adds to a text: a vector of bytevectors, by id.
  Special tokens, and ids that are not used, have none."
  (or (%tokenizer-field "all-token-bytes" tokenizer 4)
      (let ((made (list->vector
                   (map (lambda (x)
                          (if (string? x) (string->utf8 x) (apply bytevector x)))
                        (%procedure
                         "all-token-bytes"
                         (%tokenizer-object "all-token-bytes" tokenizer))))))
        (%record-set! tokenizer %tokenizer-type 4 made "all-token-bytes")
        made)))
