;; grammar.lisp - what a JSON schema adds to a token, with 128,000 tokens.
;;
;; The model is small beside those with such vocabularies, so that this is the
;; worst case.  Prints milliseconds a token, plain and with the schema, as
;; medians of rounds that alternate.

(define letters (map (lambda (k) (string (integer->char (+ k 33)))) (iota 94)))
(define words                       ; pieces of 2 to 5 characters, all different
  (let ((seen (make-hash-table)))
    (manual-seed 1)
    (let loop ((k 0) (left (- 128000 96)) (found '()))
      (if (= left 0)
          (reverse found)
          (let* ((size (+ 2 (modulo k 4)))
                 (word (apply string-append
                              (map (lambda (j)
                                     (list-ref letters
                                               (modulo (quotient (* k 7919)
                                                                 (expt 11 j))
                                                       94)))
                                   (iota size)))))
            (if (hash-ref seen word #f)
                (loop (+ k 1) left found)
                (begin (hash-set! seen word #t)
                       (loop (+ k 1) (- left 1) (cons word found)))))))))
(define tokenizer
  (bpe-tokenizer (append letters '("Ġ" "</s>") words) '() :eos 95
                 :special '("</s>")))
(define model
  (eval-mode! (llama :vocabulary 128000 :width 288 :hidden 768 :layers 6
                     :heads 6 :context 1024)))
(define schema
  (json-schema-grammar "{\"type\": \"object\", \"additionalProperties\": false,
    \"required\": [\"name\", \"tags\", \"size\"], \"properties\": {
      \"name\": {\"type\": \"string\", \"maxLength\": 300},
      \"tags\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},
      \"size\": {\"type\": \"number\"}}}"))
(define tokens 100)

(define (milliseconds . options)
  "Of a token of a text."
  (let* ((start (current-jiffy))
         (result (apply generate-result model tokenizer '(7 8 9) :seed 3
                        :ignore-eos #t :max-tokens tokens options))
         (statistics (generation-statistics result)))
    (/ 1000.0 (cdr (assq 'tokens-per-second statistics)))))

(define (median xs)
  (list-ref (sort xs <) (quotient (length xs) 2)))

(milliseconds :grammar schema)      ; the masks of the first states
(let loop ((k 0) (plain '()) (with '()))
  (if (= k 5)
      (begin (print "plain" (median plain))
             (print "schema" (median with)))
      (loop (+ k 1) (cons (milliseconds) plain)
            (cons (milliseconds :grammar schema) with))))
