;; repeated-tokens.lisp - drafts without a model: what followed the last tokens
;; when the text had them before (prompt lookup; Saxena 2023).
;;
;;     the cat sat on the mat and the cat  =>  sat on the mat
;;
;; Texts that repeat much of their prompt, such as changed programs and answers
;; from a document, gain most.  A table has the place after each run of two and
;; of three tokens, so that a token costs the same in a text of any length.

(define-record-type %repeated-tokens
  (%make-repeated-tokens tokens count places)
  %repeated-tokens?
  (tokens %repeated-all %set-repeated-all!)       ; a vector with room for more
  (count %repeated-count %set-repeated-count!)
  (places %repeated-places))                     ; by lists of tokens

(define %longest-run 3)
(define %shortest-run 2)

(define (%new-repeated-tokens prompt)
  "The repeated tokens of a text that begins with a prompt."
  (let ((found (%make-repeated-tokens (make-vector 64 0) 0 (make-hash-table))))
    (for-each (lambda (id) (%add-repeated! found id)) prompt)
    found))

(define (%add-repeated! found id)
  "Add the next token of the text."
  (let ((n (%repeated-count found)))
    (do ((size %shortest-run (+ size 1)))
        ((> size (min %longest-run n)))
      (hash-set! (%repeated-places found) (%last-tokens found size) n))
    (when (= n (vector-length (%repeated-all found)))
      (%set-repeated-all! found
                          (vector-append (%repeated-all found)
                                         (make-vector n 0))))
    (vector-set! (%repeated-all found) n id)
    (%set-repeated-count! found (+ n 1))))

(define (%last-tokens found size)
  "The last tokens so far, as a list."
  (let ((n (%repeated-count found)))
    (vector->list (%repeated-all found) (- n size) n)))

(define (%repeated-tokens! found run most)
  "At most so many tokens that followed the end of a text earlier, as a list.
  Tokens that the text has got are added first."
  (for-each (lambda (id) (%add-repeated! found id))
            (reverse (take (%text-run-ids run)
                           (- (%text-length run) (%repeated-count found)))))
  (let ((n (%repeated-count found)))
    (let loop ((size (min %longest-run n)))
      (let ((place (and (>= size %shortest-run)
                        (hash-ref (%repeated-places found)
                                  (%last-tokens found size) #f))))
        (cond (place (vector->list (%repeated-all found) place
                                   (min n (+ place most))))
              ((<= size %shortest-run) '())
              (else (loop (- size 1))))))))
