;; generate_serve.lisp - generation as peers/generate_torch.py does it:
;;
;;     generate_serve FOLDER DTYPE BITS THREADS
;;
;; BITS is 0 for a model whose weights are not quantized.  The first line is how
;; long the weights took to load.  Then lines ask for `prompt N`, `decode N`, or
;; `batch N`, which decodes eight sequences together; the answer is the seconds
;; and a checksum of the tokens.

(define arguments (list->vector (command-line)))
(define (argument k) (vector-ref arguments k))
(define bits (string->number (argument 3)))
(define threads (string->number (argument 4)))
(when (> threads 0) (set-num-threads threads))

(define (seconds-since start) (/ (- (current-jiffy) start) 1e9))
(define begun (current-jiffy))
(define model (load-llm (argument 1) :dtype (string->symbol (argument 2))
                        :bits (and (> bits 0) bits)))
(print (seconds-since begun))
(flush-output-port)

(define opening 16)                              ; tokens before those decoded
(define cache (kv-cache model :length 1024))

(define (prompt count)
  (tensor (list (map (lambda (k) (modulo (+ (* 7919 k) 11) 31991))
                     (iota count)))))

(define (next-token ids)
  (tensor-item (tensor-argmax-last (model ids :cache cache :last #t))))

(define (decode token count)
  "Decode so many tokens after one; a checksum of all."
  (let loop ((k 0) (token token) (total token))
    (if (= k count)
        total
        (let ((next (next-token (tensor (list (list token))))))
          (loop (+ k 1) next (modulo (+ (* total 31) next) 1000003))))))

(define (decode-batch cache ids count)
  "Decode so many tokens after ids [8, t]; a checksum of the last."
  (if (= count 0)
      (tensor-item (tensor-sum ids))
      (decode-batch cache
                    (tensor-argmax-last (model ids :cache cache :last #t))
                    (- count 1))))

(define (answer-batch count)
  (let* ((cache (kv-cache model :batch 8 :length (+ opening count 1)))
         (ids (tensor-expand (prompt opening) '(8 -1)))
         (first (tensor-argmax-last (model ids :cache cache :last #t))))
    (timed (lambda () (decode-batch cache first count)))))

(define (timed thunk)
  (let* ((start (current-jiffy)) (found (thunk)))
    (print (seconds-since start) found)
    (flush-output-port)))

(define (answer kind count)
  (cache-reset! cache)
  (cond ((equal? kind "prompt")
         (timed (lambda () (next-token (prompt count)))))
        ((equal? kind "batch") (answer-batch count))
        (else
         (let ((token (next-token (prompt opening))))
           (timed (lambda () (decode token count)))))))

(define (serve)
  (let ((line (read-line)))
    (unless (eof-object? line)
      (let ((words (string-split line " ")))
        (answer (car words) (string->number (cadr words))))
      (serve))))

(inference-mode (serve))
