;; word-times.lisp - when each word of a transcription is spoken, by where the
;; decoder looks in the sound while it writes.
;;
;; Some heads of attention to the sound follow it, which generation_config.json
;; names as alignment_heads.  Their weights [tokens, places] are normalized and
;; smoothed; the cheapest path through them that never goes back, dynamic time
;; warping, gives each token a place, of 0.02 seconds.  Tokens then form words.

(define-record-type <sound-word>
  (%make-sound-word text start end)
  sound-word?
  (text %sound-word-text)
  (start %sound-word-start)
  (end %sound-word-end))

(define (sound-word-text x)
  "A word of a segment, with the space before it."
  (%of-word "sound-word-text" x %sound-word-text))

(define (sound-word-start x)
  "When a word begins, in seconds."
  (%of-word "sound-word-start" x %sound-word-start))

(define (sound-word-end x)
  "When a word ends, in seconds."
  (%of-word "sound-word-end" x %sound-word-end))

(define (%of-word who x field)
  (%checked-field who x sound-word? "a word, of sound-segment-words" field))

(define (%alignment-heads model)
  "The heads that follow the sound: lists of a layer and a head."
  (let* ((heads (%usual model "alignment_heads" #f))
         (decoder (seq2seq-decoder model))
         (layers (%layer-count decoder))
         (most (seq2seq-attention-heads
                (seq2seq-layer-encoder-attn (car (decoder-layers decoder))))))
    (unless (and (pair? heads) (list? heads)
                 (every (lambda (pair)
                          (and (list? pair) (= (length pair) 2)
                               (every exact-integer? pair)
                               (< -1 (car pair) layers)
                               (< -1 (cadr pair) most)))
                        heads))
      (%error-with-hint
       "transcribe-result: the times of words need alignment_heads in \
generation_config.json, a list of layers and heads" '()
       "without :times 'words, segments have times"))
    heads))

;; Times of tokens.

(define (%token-times model memory starts ids frames)
  "When each of the tokens ids of a window has been spoken, in seconds from its
  begin.  starts: those before them; frames: of the sound in the window."
  (let ((count (- (length ids) 1)))        ; the decoder has not read the last one
    (if (< count 2)
        (map (lambda (id) 0.0) ids)
        (let ((times (map (lambda (place) (* place %time-step))
                          (%warped-places
                           (%alignment model memory starts (take ids count)
                                       (max 1 (quotient frames
                                                        %frames-a-time)))))))
          (append times (list (last times)))))))

(define (%alignment model memory starts ids places)
  "How much each token attends to each place, [t, places] float64."
  (let* ((heads (%alignment-heads model))
         (weights (%memory-weights model memory (append starts ids)
                                   (delete-duplicates (map car heads))))
         (chosen (tensor-stack
                  (map (lambda (pair)
                         (tensor-select (tensor-select
                                         (cdr (assv (car pair) weights)) 0 0)
                                        0 (cadr pair)))
                       heads)
                  0))                                        ; [heads, t, s]
         (chosen (tensor-to (tensor-narrow chosen 1 (length starts)
                                           (length ids))
                            'float32))
         (chosen (tensor-narrow chosen 2 0 (min places (tensor-size chosen 2))))
         (centred (- chosen (tensor-mean chosen 1 :keepdim #t)))
         (deviation (tensor-sqrt (tensor-mean (* centred centred) 1
                                              :keepdim #t)))
         (width (%config-count (seq2seq-config model) "median_filter_width" 7)))
    (tensor-to (tensor-mean (%median-filtered (/ centred deviation) width) 0)
               "cpu" 'float64)))

(define (%memory-weights model memory ids layers)
  "The weights [1, heads, t, s] of attention to the memory in some layers, an
  alist."
  (let ((step (%new-step (seq2seq-decoder model)
                         (%placed-ids (seq2seq-decoder model)
                                      (tensor (list ids) :dtype 'int64))
                         #f #f)))
    (%set-step-memory! step memory)
    (%watch-layer! step layers)
    (%set-step-weights! step '())
    (%decoder-states (seq2seq-decoder model)
                     (%placed-ids (seq2seq-decoder model)
                                  (tensor (list ids) :dtype 'int64))
                     step)
    (%step-weights step)))

(define (%median-filtered x width)
  "x [heads, t, s] with the median of so many neighbours in place of each element,
  as if it went on mirrored."
  (let ((half (quotient width 2)))
    (if (<= (tensor-size x 2) half)
        x
        (tensor-select
         (car (tensor-sort (tensor-unfold
                            (tensor-reflection-pad1d x (list half half))
                            2 width 1)
                           -1))
         -1 half))))

;; Dynamic time warping.  costs[i, j] is that of the best path to a token and a
;; place; those on a diagonal follow from the two diagonals before, so each is a
;; few operations on all tokens.

(define (%warped-places alignment)
  "The first place of each token on the path, for an alignment [t, places]."
  (let* ((t (tensor-size alignment 0))
         (s (tensor-size alignment 1))
         (tokens (tensor-arange t))
         (costs (tensor-neg alignment))
         (far (tensor-full (list (+ t 1)) +inf.0 :dtype 'float32)))
    (let loop ((d 2) (before (%with-first far 0.0)) (last far) (moves '()))
      (if (> d (+ t s))
          (%path-places t s (list->vector (reverse moves)))
          (let* ((places (- d 2 tokens))                     ; [t]
                 (inside (tensor-logical-and (tensor-ge places 0)
                                             (tensor-lt places s)))
                 (here (tensor-squeeze
                        (tensor-gather costs 1
                                       (tensor-unsqueeze
                                        (tensor-clamp places 0 (- s 1)) 1))
                        1))
                 (both (tensor-narrow before 0 0 t))
                 (token (tensor-narrow last 0 0 t))
                 (place (tensor-narrow last 0 1 t))
                 (is-both (tensor-logical-and (tensor-lt both token)
                                              (tensor-lt both place)))
                 (is-token (tensor-logical-and (tensor-lt token both)
                                               (tensor-lt token place)))
                 (best (tensor-where is-both both
                                     (tensor-where is-token token place)))
                 (sums (tensor-to (+ (tensor-to best 'float64) here) 'float32))
                 (new (tensor-masked-fill sums (tensor-logical-not inside)
                                          +inf.0)))
            (loop (+ d 1) last
                  (tensor-cat (list (tensor-narrow far 0 0 1) new) 0)
                  (cons (tensor->list
                         (tensor-where is-both 0 (tensor-where is-token 1 2)))
                        moves)))))))

(define (%with-first x value)
  "x [n] with another first element."
  (tensor-cat (list (tensor-full '(1) value :dtype (tensor-dtype x))
                    (tensor-narrow x 0 1 (- (tensor-size x 0) 1)))
              0))

(define (%path-places t s moves)
  "The first place of each token on the way back from the end; a move of a
  diagonal is 0 for both, 1 for a token and 2 for a place."
  (let ((places (make-vector t 0)))
    (let loop ((i t) (j s))
      (when (or (> i 0) (> j 0))
        (when (> i 0) (vector-set! places (- i 1) (max 0 (- j 1))))
        (case (cond ((= i 0) 2)
                    ((= j 0) 1)
                    (else (list-ref (vector-ref moves (+ i j -2)) (- i 1))))
          ((0) (loop (- i 1) (- j 1)))
          ((1) (loop (- i 1) j))
          (else (loop i (- j 1))))))
    (vector->list places)))

;; Words.

(define (%spoken-words hearing ids times begin)
  "The words of a segment: its tokens, with those of times, and when each has been
  spoken, in seconds.  begin: when the segment begins."
  (let* ((model (%hearing-model hearing))
         (begin-id (%timestamps-begin model))
         (spoken (filter (lambda (entry)
                           (or (not begin-id) (< (car entry) begin-id)))
                         (map list ids (cons begin times) times))))
    (if (null? spoken)
        '()
        (map (lambda (word)
               (let ((parts (map (lambda (k) (list-ref spoken k)) (cdr word))))
                 (%make-sound-word (car word) (%hundredths (cadr (car parts)))
                                   (%hundredths (caddr (last parts))))))
             (%words-of-tokens (%hearing-tokenizer hearing) (map car spoken)
                               (%hearing-language hearing))))))

(define (%hundredths x)
  "Seconds in whole hundredths: not 0.060000000000000005."
  (/ (round (* 100 x)) 100))

(define %unspaced-languages '("zh" "ja" "th" "lo" "my" "yue"))

(define (%words-of-tokens tokenizer ids language)
  "The words of tokens: pairs of the text and the indices of its tokens."
  (%with-punctuation
   (let ((pieces (%whole-pieces tokenizer ids)))
     (if (member language %unspaced-languages)
         pieces
         (%between-spaces pieces)))))

(define (%whole-pieces tokenizer ids)
  "Tokens joined as far as each text has whole characters."
  (let ((all (decode tokenizer ids)))
    (let loop ((ids ids) (k 0) (held '()) (indices '()) (offset 0) (done '()))
      (if (null? ids)
          (reverse done)
          (let* ((held (append held (list (car ids))))
                 (indices (append indices (list k)))
                 (text (decode tokenizer held))
                 (broken (string-index text %no-character))
                 (at (and broken (+ offset broken))))
            (if (or (not broken)
                    (>= at (string-length all))
                    (char=? (string-ref all at) %no-character))
                (loop (cdr ids) (+ k 1) '() '() (+ offset (string-length text))
                      (cons (cons text indices) done))
                (loop (cdr ids) (+ k 1) held indices offset done)))))))

(define %no-character (integer->char #xfffd))    ; in place of a part of one
(define %marks "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
(define %opening-marks "\"'“¡¿([{-")
(define %closing-marks "\"'.。,，!！?？:：”)]}、")

(define (%between-spaces pieces)
  "Pieces joined to words, which begin with a space or are marks."
  (let loop ((pieces pieces) (words '()))
    (cond ((null? pieces) (reverse words))
          ((or (null? words)
               (string-prefix? " " (caar pieces))
               (string-contains %marks (string-trim (caar pieces))))
           (loop (cdr pieces) (cons (car pieces) words)))
          (else
           (loop (cdr pieces)
                 (cons (%joined-words (car words) (car pieces))
                       (cdr words)))))))

(define (%joined-words a b)
  (cons (string (car a) (car b)) (append (cdr a) (cdr b))))

(define (%with-punctuation words)
  "Words with the marks that open them and close them."
  (%closed-words (%opened-words words)))

(define (%opened-words words)
  "Marks that open a word, after a space, joined to the word after them."
  (if (or (null? words) (null? (cdr words)))
      words
      (let ((rest (%opened-words (cdr words)))
            (text (caar words)))
        (if (and (string-prefix? " " text)
                 (string-contains %opening-marks (string-trim text)))
            (cons (%joined-words (car words) (car rest)) (cdr rest))
            (cons (car words) rest)))))

(define (%closed-words words)
  "Marks that close a word joined to the word before them."
  (let loop ((words words) (done '()))
    (cond ((null? words) (reverse done))
          ((and (pair? done)
                (not (string-suffix? " " (caar done)))
                (string-contains %closing-marks (caar words)))
           (loop (cdr words)
                 (cons (%joined-words (car done) (car words)) (cdr done))))
          (else (loop (cdr words) (cons (car words) done))))))
