;; models_serve.lisp - other models than Llamas, as peers/models_torch.py runs them:
;;
;;     models_serve image|embed|write FOLDER
;;
;; The first line is how long the weights took to load.  Then each line asks for
;; a run: of an image, of eight sentences, or of so many tokens from a source.
;; The answer is the seconds and a number by which results are compared.

(define arguments (list->vector (command-line)))
(define kind (string->symbol (vector-ref arguments 1)))
(define folder (vector-ref arguments 2))

(define (seconds-since start) (/ (- (current-jiffy) start) 1e9))
(define begun (current-jiffy))
(define model (case kind
                ((image) (load-vision-model folder :fold #t))
                ((embed) (load-encoder folder))
                (else (load-seq2seq folder))))
(define tokenizer (and (eq? kind 'embed) (load-tokenizer folder)))
(print (seconds-since begun))
(flush-output-port)

(define pixels
  (tensor-reshape (tensor-sin (* 0.01 (tensor-arange (* 3 224 224) :dtype 'float32)))
                  '(1 3 224 224)))
(define sentences
  (map (lambda (k) (string-join (map (lambda (j) (string "word" (modulo (* j k) 9)))
                                     (range 1 20))
                                " "))
       (range 1 9)))
(define source (map (lambda (k) (+ 5 (modulo (* 7919 k) 30000))) (iota 32)))

(define (run count)
  (case kind
    ((image) (tensor-item (tensor-sum (tensor-abs (model pixels)))))
    ((embed) (tensor-item (tensor-sum (tensor-abs (embed model tokenizer sentences)))))
    (else (inexact (apply + (generate model #f source :greedy #t :max-tokens count
                                      :ignore-eos #t))))))

(define (serve)
  (let ((line (read-line)))
    (unless (eof-object? line)
      (let* ((start (current-jiffy)) (found (run (string->number line))))
        (print (seconds-since start) found)
        (flush-output-port))
      (serve))))

(inference-mode (serve))
