; Tokens that would go beyond the end of a string: a mask is found from that of a string without end.
(define quote-id 0)
(define tokenizer                        ; token k is k times the letter a
  (bpe-tokenizer (append '("\"") (map (lambda (k) (make-string (+ k 1) #\a)) (iota 40)) '("</s>"))
                 '() :eos 41 :special '("</s>")))
(define (model-of wanted)
  "Likes tokens of that length, then those that are next to it, the quote least."
  (lambda (ids)
    (tensor-expand
     (tensor (map (lambda (k) (if (or (= k quote-id) (= k 41)) -100.0 (- (inexact (abs (- k wanted))))))
                  (iota 42)))
     (list (tensor-size ids 0) (tensor-size ids 1) 42))))
(define (expected wanted left)
  (if (= left 0)
      '(0)
      (let ((best (car (sort (iota (min left 40) 1)
                             (lambda (a b) (< (+ (abs (- a wanted)) (* 0.001 a))
                                              (+ (abs (- b wanted)) (* 0.001 b))))))))
        (cons best (expected wanted (- left best))))))
(define (check most wanted)
  (let* ((schema (format "{\"type\": \"string\", \"maxLength\": ~a}" most))
         (found (generate-result (model-of wanted) tokenizer '(5) :greedy #t :max-tokens 400
                                 :grammar (json-schema-grammar schema))))
    (or (equal? (generation-ids found) (cons 0 (expected wanted most)))
        (list most wanted (generation-ids found)))))
(print (delete-duplicates
        (append-map (lambda (most) (map (lambda (wanted) (check most wanted)) '(1 3 8 9 17 40)))
                    '(1 5 8 9 20 41 100))))                 ; => (#t)
; Ends inside of one another: at most 20 members, each of at most 12 letters.
(define nested
  (json-schema-grammar "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 20, \"items\": {\"type\": \"string\", \"maxLength\": 12, \"minLength\": 2}}"))
(print (map (lambda (text) (grammar-begins? nested text))
            '("[\"aaaaaaaaaaaa" "[\"aaaaaaaaaaaaa" "[\"a\"" "[\"aa\",\"aaaaaaaaaaaa\"]")))  ; => (#t #f #f #t)
