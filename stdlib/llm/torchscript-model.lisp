;; torchscript-model.lisp - language models that Python's torch.jit.save wrote.
;;
;; Such a module has a forward method of ids, and no cache: generation computes
;; all tokens again for each new one.

(define-module (torchscript-model source :context #f)
  "A TorchScript module as a language model.  ids [n, t] int64 -> logits [n, t,
  vocabulary].

  source: a path, or what load-module returns; its forward method takes ids and
  returns logits, or a tuple or a dictionary whose first element, or the one
  called \"logits\", they are.  context: how many tokens it takes; of more, the
  last are used.  :last #t returns logits [n, 1, vocabulary] of the last
  position."
  ((module (%torchscript-source source))
   (context (%torchscript-context context)))
  (forward (ids :cache #f :padding #f :last #f)
    (when (or cache padding)
      (error "torchscript-model: a TorchScript module takes neither a cache nor \
padding"))
    (unless (and (tensor? ids) (= (tensor-rank ids) 2))
      (wrong-type "torchscript-model" "a tensor of ids [n, t]" ids))
    (let* ((t (tensor-size ids 1))
           (seen (if (and context (> t context))
                     (tensor-narrow ids 1 (- t context) context)
                     ids))
           (logits (%logits-of (call-module module seen) (tensor-size ids 0))))
      (if last
          (tensor-narrow logits 1 (- (tensor-size logits 1) 1) 1)
          logits))))

(define (%torchscript-source source)
  "The module: source itself, or what the file of that path holds."
  (cond ((string? source) (module-eval! (load-module source)))
        ((torchscript-module? source) source)
        (else
         (wrong-type "torchscript-model" "a path or a TorchScript module"
                     source))))

(define (%torchscript-context context)
  (unless (or (not context) (and (exact-integer? context) (> context 0)))
    (wrong-type "torchscript-model" "a positive exact integer as context"
                context))
  context)

(define (%logits-of result rows)
  "The logits in what a module returned for so many rows."
  (let ((logits (cond ((hash-table? result) (hash-ref result "logits" #f))
                      ((pair? result) (car result))
                      (else result))))
    (unless (and (tensor? logits) (= (tensor-rank logits) 3)
                 (= (tensor-size logits 0) rows))
      (wrong-type "torchscript-model"
                  "logits [n, t, vocabulary] as the module's result" result))
    logits))

(define (%torchscript-path? path)
  "Whether a path is that of a TorchScript file."
  (and (any (lambda (end) (string-suffix? end path)) '(".pt" ".pts" ".ts"))
       (not (folder? path))))

(define (%torchscript-llm path dtype architectures progress)
  "What load-llm returns for such a path; the file has the dtype."
  (torchscript-model path))
