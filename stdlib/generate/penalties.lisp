;; penalties.lisp - logits that depend on the tokens before: penalties of
;; repetition, and biases.
;;
;; A sequence that is being generated keeps its counts as tensors over the
;; vocabulary (a history), so that a step costs the same after ten tokens and
;; after ten thousand.  penalize-logits is the same for a list of tokens.

(define-record-type %token-history
  (%make-token-history seen counts)
  %token-history?
  (seen %token-history-seen)        ; bool [vocabulary]: in prompt or text
  (counts %token-history-counts))   ; float32 [vocabulary]: how often generated

(define (penalize-logits logits ids :prompt '() :repetition #f :frequency #f
                                :presence #f :bias '())
  "The logits after penalties for tokens that occurred.  logits [vocabulary];
  ids: the tokens generated so far; prompt: those before them.

  repetition (Keskar et al. 2019): a token of the prompt or of ids loses, once:
  its logit is divided by this if it is positive, else multiplied.  frequency is
  subtracted for each time that a token is in ids, presence once if it is.
  bias: an alist of tokens and numbers that are added."
  (%check-penalties "penalize-logits" repetition frequency presence)
  (let* ((x (tensor-to logits 'float32))
         (history (%new-token-history (tensor-size x -1) prompt
                                      (tensor-device x))))
    (for-each (lambda (id) (%note-token! history id)) ids)
    (%penalized (%biased x (%bias-tensor "penalize-logits" bias
                                         (tensor-size x -1) (tensor-device x)))
                history repetition frequency presence)))

(define (%new-token-history v prompt device)
  "The history of a sequence that begins with the tokens of a prompt."
  (let ((seen (tensor-zeros (list v) :dtype 'bool :device device)))
    (when (pair? prompt)
      (tensor-index-fill! seen 0 (tensor prompt :dtype 'int64 :device device)
                          #t))
    (%make-token-history seen (tensor-zeros (list v) :device device))))

(define (%note-token! history id)
  "Count a token that was generated."
  (tensor-fill! (tensor-select (%token-history-seen history) 0 id) #t)
  (tensor-add! (tensor-select (%token-history-counts history) 0 id) 1))

(define (%penalized x history repetition frequency presence)
  "The logits x [vocabulary] after the penalties, each #f or a number."
  (let* ((x (if repetition
                (tensor-where (%token-history-seen history)
                              (tensor-where (tensor-lt x 0)
                                            (* x repetition) (/ x repetition))
                              x)
                x))
         (counts (%token-history-counts history))
         (x (if frequency (- x (* counts frequency)) x)))
    (if presence
        (- x (* (tensor-to (tensor-gt counts 0) 'float32) presence))
        x)))

(define (%biased x bias)
  "The logits with a tensor added, if there is one."
  (if bias (+ x bias) x))

(define (%bias-tensor who bias v device)
  "An alist of tokens and numbers as a tensor [vocabulary]; #f for none."
  (if (null? bias)
      #f
      (let ((x (tensor-zeros (list v) :device device)))
        (for-each (lambda (entry)
                    (%check-bias who entry v)
                    (tensor-fill! (tensor-select x 0 (car entry))
                                  (inexact (cdr entry))))
                  bias)
        x)))

(define (%check-bias who entry v)
  "Raise an error unless it is a pair of a token and a number."
  (unless (and (pair? entry) (exact-integer? (car entry)) (real? (cdr entry)))
    (wrong-type who "pairs of a token and a number for the logit bias" entry))
  (unless (< -1 (car entry) v)
    (error (string who ": token " (car entry) " of the logit bias is out of "
                   "range for a vocabulary of " v))))

(define (%check-penalties who repetition frequency presence)
  "Raise an error unless each is #f or a number that makes sense."
  (unless (or (not repetition) (and (real? repetition) (> repetition 0)))
    (wrong-type who "a positive number for the repetition penalty" repetition))
  (for-each (lambda (x name)
              (unless (or (not x) (real? x))
                (wrong-type who (string "a number for the " name " penalty")
                            x)))
            (list frequency presence) '("frequency" "presence")))
