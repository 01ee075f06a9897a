; Samplers: what filters keep, and that draws follow the exact distribution.
(define x (log [0.4 0.3 0.15 0.1 0.05]))
(define (kept . filters)
  (let ((y (apply filter-logits x filters)))
    (filter (lambda (k) (> (tensor-item (tensor-ref y k)) -inf.0)) (iota 5))))

(print (kept) (kept :top-k 2) (kept :top-k 9))  ; => (0 1 2 3 4) (0 1) (0 1 2 3 4)
; The token whose probability makes the sum cross p stays; so does the first one.
(print (kept :top-p 0.69) (kept :top-p 0.71) (kept :top-p 0) (kept :top-p 1))  ; => (0 1) (0 1 2) (0) (0 1 2 3 4)
(print (kept :min-p 0.3) (kept :min-p 1) (kept :min-p 0))  ; => (0 1 2) (0) (0 1 2 3 4)
; The entropy is 1.39: information 1.2 is nearest, then 0.92 and 1.9.
(print (kept :typical-p 0.2) (kept :typical-p 0.5) (kept :typical-p 0.8))  ; => (1) (0 1) (0 1 2)
; Each filter sees what the one before it left, so two of three reach 0.8 here.
(print (kept :top-k 3 :top-p 0.8) (kept :top-p 0.8))  ; => (0 1) (0 1 2)
(print (kept :temperature 0.1 :top-p 0.9) (kept :temperature 10.0 :top-p 0.9))  ; => (0) (0 1 2 3 4)
(print (token-probabilities [0.0 0.0 9.0] :top-k 1))  ; => [0.0 0.0 1.0]
(print (token-probabilities [[1.0 1.0] [0.0 2.0]] :temperature 0.5))  ; => [[0.5 0.5] [0.018 0.982]]

; Seven vocabularies of settings, 20,000 draws each.
(define (farthest generator . filters)
  (let* ((n 20000)
         (ids (apply sample-token (tensor-expand x (list n 5)) :generator generator filters))
         (shares (/ (tensor-to (tensor-bincount ids :minlength 5) 'float32) n)))
    (tensor-item (tensor-max (abs (- shares (apply token-probabilities x filters)))))))
(define generator (make-generator 1))
(print (map (lambda (filters) (< (apply farthest generator filters) 0.01))
            '(() (:temperature 0.5) (:temperature 2.5) (:top-k 3) (:top-p 0.75) (:min-p 0.2)
              (:typical-p 0.6) (:temperature 1.5 :top-k 4 :top-p 0.9 :min-p 0.1 :typical-p 0.9))))  ; => (#t #t #t #t #t #t #t #t)

(manual-seed 5)
(define first-draws (map (lambda (k) (sample-token x)) (iota 8)))
(manual-seed 5)
(print (equal? first-draws (map (lambda (k) (sample-token x)) (iota 8))))  ; => #t
(print (sample-token x :greedy #t) (sample-token x :temperature 0) (greedy-token [[0.0 1.0] [1.0 0.0]]))  ; => 0 0 [1 0]
(print (tensor-dtype (sample-token (tensor [[1 2]] :dtype 'bfloat16))))  ; => int64

; Penalties: sign-aware, once for each token; frequency counts, presence does not.
(define y [2.0 -1.0 0.5 3.0])
(print (penalize-logits y '(1 1 3) :prompt '(0 0) :repetition 2.0))  ; => [1.0 -2.0 0.5 1.5]
(print (penalize-logits y '(1 1 3) :prompt '(0) :frequency 0.5 :presence 0.25))  ; => [2.0 -2.25 0.5 2.25]
(print (penalize-logits y '() :bias '((2 . 1.5) (0 . -inf.0))))  ; => [-inf -1.0 2.0 3.0]
(define (said thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(said (lambda () (sample-token x :top-p 1.5)))  ; => sample-token: expected a number from 0 to 1 for :top-p, got 1.5
(said (lambda () (sample-token x :temperature -1)))  ; => sample-token: expected a number from 0 for :temperature, got -1
(said (lambda () (sample-token x :top-k 0)))  ; => sample-token: expected a positive integer for :top-k, got 0
(said (lambda () (sample-token [1 2])))  ; => sample-token: expected logits [..., vocabulary], a floating-point tensor, got a tensor int64 (2)
(said (lambda () (penalize-logits y '() :repetition 0)))  ; => penalize-logits: expected a positive number for the repetition penalty, got 0
(said (lambda () (penalize-logits y '() :bias '((4 . 1)))))  ; => penalize-logits: token 4 of the logit bias is out of range for a vocabulary of 4
(said (lambda () (generation-settings :max-tokens -1)))  ; => generation-settings: expected a non-negative integer for :max-tokens, got -1
(said (lambda () (generation-settings :beams 2 :count 3)))  ; => generation-settings: :beams 2 finds no more than 2 texts, and :count is 3
