;; sampling.lisp - which token comes next, as a choice among logits.
;;
;; Temperature, top-k, top-p, min-p and typical sampling remove tokens and
;; change the probabilities of the others, in this order.  All of them work on
;; the logits in descending order, so a single sort (or a top-k) serves all.
;; Drawing is an operator of our own, tensor-sample, which applies the same
;; filters; filter-logits shows what they leave, in the vocabulary's order.
;;
;;     (sample-token [0.1 2.0 1.9] :top-k 2)  =>  1 or 2

(define (filter-logits logits :temperature 1.0 :top-k #f :top-p #f :min-p #f
                              :typical-p #f)
  "The logits that remain for sampling, in float32: -inf for removed tokens.

  logits [..., vocabulary].  In this order: temperature divides; top-k keeps the
  k largest; top-p the most likely tokens up to and with the one whose
  probability makes their sum reach p (Holtzman et al. 2020); min-p those with
  at least that share of the largest probability (Nguyen et al. 2024); typical-p
  those whose information is nearest the entropy, up to that sum (Meister et al.
  2023).  #f leaves a filter out."
  (%check-filters "filter-logits" logits temperature top-k top-p min-p
                  typical-p)
  (let-list (((values ids) (%candidates logits temperature top-k top-p min-p
                                        typical-p)))
    (tensor-scatter (tensor-full (tensor-shape logits) -inf.0
                                 :device (tensor-device logits))
                    -1 ids values)))

(define (token-probabilities logits :temperature 1.0 :top-k #f :top-p #f
                                    :min-p #f :typical-p #f)
  "The probabilities of the next token: the softmax of filter-logits.
  logits [..., vocabulary] -> the same shape."
  (tensor-softmax (filter-logits logits :temperature temperature :top-k top-k
                                 :top-p top-p :min-p min-p
                                 :typical-p typical-p)
                  -1))

(define (sample-token logits :temperature 1.0 :top-k #f :top-p #f :min-p #f
                             :typical-p #f :greedy #f :generator #f)
  "Tokens drawn by their probabilities.  logits [vocabulary] -> an integer;
  [n, vocabulary] -> int64 [n].

  The filters are those of filter-logits.  greedy, or a temperature of 0, takes
  the most likely token.  generator: of make-generator; without one the numbers
  follow manual-seed."
  (%check-filters "sample-token" logits temperature top-k top-p min-p typical-p)
  (let ((ids (if (or greedy (= temperature 0))
                 (%likeliest-tokens logits)
                 (%draw logits temperature top-k top-p min-p typical-p
                        generator))))
    (if (= (tensor-rank logits) 1) (tensor-item ids) ids)))

(define (greedy-token logits)
  "The most likely token.  logits [vocabulary] -> an integer; [n, vocabulary] ->
  int64 [n]."
  (sample-token logits :greedy #t))

;; Both operators refuse logits with nan or infinity, from which nothing follows.

(define (%likeliest-tokens logits)
  "The most likely tokens of logits [..., v] -> [...]."
  (tensor-sample logits 0.0))

(define (%checked-choice logits)
  "The logits, from which a token can be chosen: not if there is nan."
  (%likeliest-tokens logits)
  logits)

(define (%draw logits temperature top-k top-p min-p typical-p generator)
  "Tokens drawn from logits [..., v] -> [...]."
  (tensor-sample logits temperature top-k (or top-p 1.0) (or min-p 0.0)
                 (or typical-p 1.0) :generator generator))

;; Candidates: logits and their tokens, both [..., k].

(define (%candidates logits temperature top-k top-p min-p typical-p)
  "The list of the logits that remain, -inf for removed ones, and their tokens.
  They are in descending order, except if no filter needs that."
  (let* ((v (tensor-size logits -1))
         (x (tensor-to logits 'float32))
         (x (if (= temperature 1) x (/ x (max temperature %least-temperature))))
         (k (if top-k (min top-k v) v)))
    (if (and (= k v) (not top-p) (not min-p) (not typical-p))
        (list x (tensor-expand (tensor-arange v :device (tensor-device x))
                               (tensor-shape x)))
        (let-list (((values ids) (tensor-topk x k)))
          (let* ((values (if top-p (%keep-top values top-p) values))
                 (values (if min-p (%keep-likely values min-p) values))
                 (values (if typical-p
                             (%keep-typical values typical-p)
                             values)))
            (list values ids))))))

(define %least-temperature 1e-5)   ; below, logits could become infinite

(define (%removed values remove?)
  "values [..., k] with -inf where the bool tensor is true."
  (tensor-masked-fill values remove? -inf.0))

(define (%keep-top values p)
  "Those before whose place the probabilities sum up to less than p; all for 1,
  because rounded sums reach it early."
  (if (= p 1)
      values
      (let ((shares (tensor-softmax values -1)))
        (%keep-first (%removed values
                               (tensor-ge (- (tensor-cumsum shares -1) shares)
                                          p))
                     values))))

(define (%keep-first filtered values)
  "The filtered values, with the most likely one in any case."
  (tensor-cat (list (tensor-narrow values -1 0 1)
                    (tensor-narrow filtered -1 1
                                   (- (tensor-size values -1) 1)))
              -1))

(define (%keep-likely values share)
  "Those with at least that share of the largest probability."
  (if (= share 0)
      values
      (%removed values
                (tensor-lt values (+ (tensor-narrow values -1 0 1)
                                     (log share))))))

(define (%keep-typical values mass)
  "Those whose information is nearest the entropy, whose sum reaches mass; all
  for 1."
  (if (= mass 1) values (%keep-nearest values mass)))

(define (%keep-nearest values mass)
  "The same for a mass below 1."
  (let* ((logs (tensor-log-softmax values -1))
         (shares (exp logs))
         (entropy (- (tensor-nansum (* logs shares) -1 #t)))   ; [..., 1]
         (distance (abs (+ logs entropy))))
    (let-list (((nearest order) (tensor-sort distance -1)))
      (let* ((sums (tensor-cumsum (tensor-gather shares -1 order) -1))
             (place (tensor-clamp (tensor-sum (tensor-lt sums mass) -1 #t)
                                  :max (- (tensor-size values -1) 1))))
        (%removed values
                  (tensor-gt distance (tensor-gather nearest -1 place)))))))

;; Checks.

(define (%check-filters who logits temperature top-k top-p min-p typical-p)
  "Raise an error unless the arguments of a sampler make sense."
  (%check-logits who logits)
  (%check-share who ":top-p" top-p)
  (%check-share who ":min-p" min-p)
  (%check-share who ":typical-p" typical-p)
  (%check-temperature who temperature)
  (%check-top-k who top-k))

(define (%check-logits who logits)
  "Raise an error unless they are a floating-point tensor with a vocabulary."
  (unless (and (tensor? logits) (tensor-is-floating-point logits)
               (>= (tensor-rank logits) 1) (> (tensor-size logits -1) 0))
    (wrong-type who "logits [..., vocabulary], a floating-point tensor"
                logits)))

(define (%check-share who name p)
  "Raise an error unless p is #f or a number from 0 to 1."
  (unless (or (not p) (and (real? p) (<= 0 p 1)))
    (wrong-type who (string "a number from 0 to 1 for " name) p)))

(define (%check-temperature who x)
  "Raise an error unless x is a finite number from 0."
  (unless (and (real? x) (>= x 0) (< x +inf.0))
    (wrong-type who "a number from 0 for :temperature" x)))

(define (%check-top-k who k)
  "Raise an error unless k is #f or a positive integer."
  (unless (or (not k) (and (exact-integer? k) (> k 0)))
    (wrong-type who "a positive integer for :top-k" k)))
