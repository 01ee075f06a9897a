;; gpt.lisp - a small GPT over characters, for char-gpt.lisp and adapt.lisp.

(define-module (attention width heads)
  "Each position looks at itself and those before it.  x [n, t, width]."
  ((qkv (linear width (* 3 width)))
   (out (linear width width))
   (heads heads))
  (forward (x)
    (let-list (((q k v) (map (lambda (y) (split-heads y heads))
                             (tensor-chunk (qkv x) 3 -1))))
      (out (join-heads
            (tensor-scaled-dot-product-attention q k v :is-causal #t))))))

(define (split-heads x heads)
  "x [n, t, width] -> [n, heads, t, width / heads]"
  (tensor-transpose (tensor-unflatten x -1 (list heads -1)) 1 2))

(define (join-heads x)
  "x [n, heads, t, d] -> [n, t, heads * d]"
  (tensor-flatten (tensor-transpose x 1 2) 2))

(define-module (block width heads)
  "Attention, then a network for each position, each added to its input."
  ((norm-1 (layer-norm width))
   (attention (attention width heads))
   (norm-2 (layer-norm width))
   (mlp (sequential (linear width (* 4 width)) (gelu)
                    (linear (* 4 width) width))))
  (forward (x)
    (let ((x (+ x (attention (norm-1 x)))))
      (+ x (mlp (norm-2 x))))))

(define-module (gpt vocabulary context :width 64 :depth 2 :heads 4)
  "Logits for the token after each.  tokens [n, t] -> [n, t, vocabulary]."
  ((tokens (embedding vocabulary width))
   (positions (embedding context width))
   (blocks (map (lambda (k) (block width heads)) (iota depth)))
   (norm (layer-norm width))
   (head (linear width vocabulary :bias #f))
   (context context))
  (forward (ids)
    (let* ((places (tensor-arange (tensor-size ids 1)))         ; [t]
           (x (+ (tokens ids) (positions places))))             ; [n, t, width]
      (head (norm (fold (lambda (block x) (block x)) x blocks))))))

(define (next-token-loss model x y)
  "The mean cross-entropy of the tokens y that follow x, both [n, t]."
  (cross-entropy (tensor-flatten (model x) 0 1) (tensor-flatten y)))

(define (random-batch tokens n context)
  "n windows of the text, and the tokens that follow each: both [n, context]."
  (let* ((last (- (tensor-size tokens 0) context 1))
         (starts (tensor-unsqueeze (tensor-randint last (list n)) 1))
         (at (+ starts (tensor-arange context))))               ; [n, context]
    (list (tensor-take tokens at) (tensor-take tokens (+ at 1)))))

(define (train-gpt model optimizer tokens steps :batch 16 :every 20)
  "Train on random windows of a text, and print the loss now and then."
  (do ((step 1 (+ step 1)))
      ((> step steps))
    (let-list (((x y) (random-batch tokens batch (gpt-context model))))
      (let ((loss (next-token-loss model x y)))
        (backward loss)
        (clip-grad-norm! (parameters model) 1.0)
        (optimizer-step optimizer)
        (zero-grad optimizer)
        (when (or (= step 1) (= 0 (remainder step every)))
          (print "step" step "loss" (two-decimals (tensor-item loss))))))))

(define (text-loss model tokens :windows 16)
  "The mean loss over windows spread evenly over a text."
  (let* ((context (gpt-context model))
         (stride (quotient (- (tensor-size tokens 0) context 1) windows))
         (at (+ (tensor-unsqueeze (* stride (tensor-arange windows)) 1)
                (tensor-arange context))))
    (no-grad
      (tensor-item (next-token-loss model (tensor-take tokens at)
                                    (tensor-take tokens (+ at 1)))))))

(define (continue-text model vocabulary prompt count :temperature 0.8)
  "The prompt and count characters that the model adds to it."
  (let loop ((ids (tensor-unsqueeze (encode-text vocabulary prompt) 0))
             (left count))                                      ; [1, t]
    (if (= left 0)
        (decode-text vocabulary (tensor-squeeze ids 0))
        (let* ((t (tensor-size ids 1))
               (seen (tensor-slice ids 1 (max 0 (- t (gpt-context model))) t))
               (logits (tensor-select (no-grad (model seen)) 1 -1)) ; [1, v]
               (next (tensor-multinomial
                      (tensor-softmax (/ logits temperature) -1) 1)))
          (loop (tensor-cat (list ids next) 1) (- left 1))))))

(define (two-decimals x)
  "x rounded, as people like to read it."
  (/ (round (* 100 x)) 100))

(define (folder-beside-program name)
  "The folder of that name beside the program's folder, or here."
  (let ((path (drop-right (string-split (car (command-line)) "/") 1)))
    (or (find folder? (list (string-join (append path (list ".." name)) "/")
                            name))
        (error "no folder is called" name))))

(define (read-folder path ending)
  "The text of all files in a folder whose names end so, in order."
  (string-join (map (lambda (name) (read-text (string path "/" name)))
                    (filter (lambda (name) (string-suffix? ending name))
                            (list-folder path)))
               "\n"))
