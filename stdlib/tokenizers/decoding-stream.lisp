;; decoding-stream.lisp - the text of tokens that arrive one by one.
;;
;; What a token adds depends on those before it: a character may be spread over
;; several tokens, and some tokenizers drop the space of the first word.  So a
;; stream keeps the tokens of its last text, decodes them with those that came
;; since, and returns the difference.  Spaces alone do not do as last text: at the
;; beginning of a text, some tokenizers drop them.

;; skip: whether special tokens are left out.  shown: the ids whose text was
;; returned last.  waiting: those since, in reverse.  anchor: the first ids of
;; shown, whose text is more than spaces.
(define %decoding-stream-type
  (%record-type 'decoding-stream #(tokenizer #f #f #f #f)))

(define %longest-wait 8)        ; tokens; a character has at most four bytes

(define (decoding-stream tokenizer :skip-special #t)
  "A stream that decodes tokens one by one with stream-token!."
  (unless (tokenizer? tokenizer)
    (wrong-type "decoding-stream" "a tokenizer" tokenizer))
  (%record %decoding-stream-type tokenizer skip-special '() '() '()))

(define (decoding-stream? x)
  "Whether it is a stream of decoded tokens."
  (%record? x %decoding-stream-type))

(define (%stream-field who s k)
  "A field of a stream."
  (unless (decoding-stream? s)
    (wrong-type who "a decoding stream" s))
  (%record-ref s %decoding-stream-type k who))

(define (stream-token! s id)
  "Add a token to a stream, and return the text that is certain now.

  It is the empty string while a character is incomplete."
  (let ((shown (%stream-field "stream-token!" s 2))
        (waiting (cons id (%stream-field "stream-token!" s 3))))
    (let ((text (%stream-difference s shown waiting)))
      (if (or (string=? text "")
              (and (string-suffix? "\xFFFD;" text)
                   (< (length waiting) %longest-wait)))
          (begin
            (%record-set! s %decoding-stream-type 3 waiting "stream-token!")
            "")
          (begin
            (%stream-shown! s text (reverse waiting))
            text)))))

(define (%stream-shown! s text ids)
  "Remember that a stream returned the text of ids."
  (let ((anchor (%stream-field "stream-token!" s 4))
        (white (string=? (string-trim text) "")))
    (unless white
      (%record-set! s %decoding-stream-type 4 ids "stream-token!"))
    (%record-set! s %decoding-stream-type 2
                  (if white (append anchor ids) ids)
                  "stream-token!")
    (%record-set! s %decoding-stream-type 3 '() "stream-token!")))

(define (stream-rest! s)
  "The text that a stream still holds back, such as half a character, which is
  U+FFFD then.  The stream begins anew."
  (let ((text (%stream-difference s (%stream-field "stream-rest!" s 2)
                                  (%stream-field "stream-rest!" s 3))))
    (%record-set! s %decoding-stream-type 2 '() "stream-rest!")
    (%record-set! s %decoding-stream-type 3 '() "stream-rest!")
    (%record-set! s %decoding-stream-type 4 '() "stream-rest!")
    text))

(define (%stream-difference s shown waiting)
  "What the waiting ids, in reverse, add to the text of those that were shown."
  (let* ((tokenizer (%stream-field "stream-token!" s 0))
         (skip (%stream-field "stream-token!" s 1))
         (before (decode tokenizer shown :skip-special skip))
         (after (decode tokenizer (append shown (reverse waiting))
                        :skip-special skip))
         (length (string-length before)))
    (if (< length (string-length after))
        (substring after length (string-length after))
        "")))
