;; generators.lisp - generation of tokens by any model that maps ids [1, t] to
;; logits [1, t, vocabulary].
;;
;; Language models of Lambent keep what they have read in a cache.

(define-record-type %generator-type (%make-generator model config) %generator?
  (model %generator-model)
  (config %generator-config))   ; a dictionary

(define (torch_generator_create model . device)
  "A generator for a model, or for one that torch_hf_load_model has loaded, by
  its name; on a device (where the model is)."
  (%make-generator (%generating (if (string? model)
                                    (%llm-of "torch_generator_create" model)
                                    model)
                                (%option device 0 #f))
                   (%dictionary "max_length" 50 "temperature" 1.0 "top_k" 50
                                "top_p" 0.9 "repetition_penalty" 1.0
                                "num_beams" 4 "strategy" "greedy")))

(define (%generating model device)
  "The model on a device."
  (if device (torch_to_device model (%usable-device device)) model))

(define (torch_generator_config generator config)
  "Change settings: a dictionary, or a list of (key value), with max_length (of
  prompt and answer), temperature, top_k, top_p, strategy, repetition_penalty,
  num_beams, eos_token_id, do_sample, seed."
  (let ((own (%generator-config generator)))
    (for-each (lambda (key) (hash-set! own key (%config-ref config key #f)))
              (if (hash-table? config)
                  (hash-keys config)
                  (map (lambda (pair) (%item pair 0)) (%elements config))))
    #t))

(define (torch_set_generation_params generator length temperature k p)
  "Set max_length, temperature, top_k and top_p."
  (torch_generator_config generator
                          (%dictionary "max_length" length
                                       "temperature" temperature
                                       "top_k" k "top_p" p)))

(define (torch_generate generator ids . strategy)
  "The ids and those that follow, int64 [1, t]: strategy is \"greedy\", \"top_k\",
  \"top_p\", \"sample\" or \"beam_search\"."
  (let ((config (%generator-config generator)))
    (%generated generator (%flat (list ids))
                (%option strategy 0 (hash-ref config "strategy" "greedy"))
                config)))

(define (%generated generator ids strategy config)
  "The ids and those that follow, as a tensor."
  (let ((chooser (%chooser strategy config)))
    (unless chooser
      (%fail "torch_generate: unknown strategy " strategy
             ", expected greedy, top_k, top_p, sample or beam_search"))
    (tensor (list (no-grad
                    (if (equal? strategy "beam_search")
                        (%beam-search (%generator-model generator) ids config)
                        (%continued (%generator-model generator) ids config
                                    chooser #f))))
            :dtype 'int64)))

(define (%chooser strategy config)
  "The procedure from logits [vocabulary] to the next id; #f for no strategy."
  (let ((k (hash-ref config "top_k" #f)) (p (hash-ref config "top_p" #f)))
    (case (string->symbol strategy)
      ((greedy beam_search beam) %likeliest)
      ((top_k) (lambda (logits) (%drawn (%only-top-k (%warm logits config) k))))
      ((top_p) (lambda (logits) (%drawn (%only-top-p (%warm logits config) p))))
      ((sample) (lambda (logits) (%drawn (%warm logits config))))
      (else #f))))

(define (%likeliest logits) (tensor-item (tensor-argmax logits)))

(define (%warm logits config)
  (/ logits (max 1e-6 (inexact (hash-ref config "temperature" 1.0)))))

(define (%drawn logits)
  (tensor-item (tensor-multinomial (tensor-softmax logits -1) 1)))

(define (%only-top-k logits k)
  "The logits, all but the k greatest at minus infinity."
  (let ((count (min (or k 50) (tensor-numel logits))))
    (tensor-masked-fill logits
                        (tensor-lt logits
                                   (tensor-min (car (tensor-topk logits count))))
                        -inf.0)))

(define (%only-top-p logits p)
  "The logits, all but the greatest whose probabilities sum up to p at minus
  infinity; the first is always kept."
  (let* ((sorted (tensor-sort logits -1 #t))
         (probabilities (tensor-softmax (car sorted) -1))
         (before (- (tensor-cumsum probabilities -1) probabilities)))
    (tensor-scatter logits -1 (cadr sorted)
                    (tensor-masked-fill (car sorted) (tensor-ge before (or p 0.9))
                                        -inf.0))))

(define (%penalized logits ids penalty)
  "The logits of ids that occur already, divided by the penalty if they are
  above 0, multiplied if they are below."
  (if (= penalty 1.0)
      logits
      (let* ((seen (tensor (delete-duplicates ids) :dtype 'int64
                           :device (tensor-device logits)))
             (old (tensor-index-select logits 0 seen)))
        (tensor-scatter logits 0 seen
                        (tensor-where (tensor-gt old 0) (/ old penalty)
                                      (* old penalty))))))

(define (%ends? id config)
  "Whether an id ends the text."
  (let ((eos (hash-ref config "eos_token_id" #f)))
    (cond ((not eos) #f)
          ((number? eos) (= id eos))
          (else (memv id (%flat (list eos)))))))

(define (%continued model ids config choose on-token)
  "The ids and those that a model adds, as a list; on-token is called with each."
  (when (hash-ref config "seed" #f) (manual-seed (hash-ref config "seed" 0)))
  (let ((reader (%reader model))
        (longest (hash-ref config "max_length" 50))
        (penalty (inexact (hash-ref config "repetition_penalty" 1.0))))
    (let loop ((ids ids) (new ids))
      (if (>= (length ids) longest)
          ids
          (let ((id (choose (%penalized (reader ids new) ids penalty))))
            (when on-token (on-token id))
            (let ((all (append ids (list id))))
              (if (%ends? id config) all (loop all (list id)))))))))

(define (%reader model)
  "The procedure that returns the logits after ids, of which the last ones are
  new to it."
  (if (language-model? model)
      (let ((cache (kv-cache model)))
        (lambda (ids new)
          (let ((fresh (if (zero? (cache-length cache)) ids new)))
            (%last-logits (model (tensor (list fresh) :dtype 'int64)
                                 :cache cache :last #t)))))
      (%plain-reader model)))

(define (%plain-reader model)
  "The same without a cache: all ids are read each time."
  (lambda (ids new)
    (%last-logits (%call-model model (tensor (list ids) :dtype 'int64
                                             :device (%model-device model))))))

(define (%call-model model ids)
  (if (torchscript-module? model) (call-module model ids) (torch_forward model ids)))

(define (%last-logits logits)
  "The logits of the last position of [1, t, v] or [t, v], float32 [v]."
  (let ((rows (tensor-reshape logits (list -1 (tensor-size logits -1)))))
    (tensor-to (tensor-select rows 0 -1) 'float32)))

(define (%beam-search model ids config)
  "The likeliest continuation that num_beams beams find, its logarithm divided by
  its length.  A beam is (score ids . ended?)."
  (let ((width (hash-ref config "num_beams" 4))
        (longest (hash-ref config "max_length" 50))
        (reader (%plain-reader model))
        (start (length ids)))
    (let loop ((beams (list (cons 0.0 (cons ids #f)))))
      (if (or (every cddr beams) (>= (apply max (map (lambda (b) (length (cadr b))) beams)) longest))
          (cadr (car (sort beams (lambda (a b)
                                   (> (%beam-score a start) (%beam-score b start))))))
          (loop (%best-beams (append-map (lambda (beam)
                                           (%extended beam width reader config))
                                         beams)
                             width))))))

(define (%beam-score beam start)
  (/ (car beam) (max 1 (- (length (cadr beam)) start))))

(define (%extended beam width reader config)
  "A beam with each of its likeliest next ids."
  (if (cddr beam)
      (list beam)
      (let* ((ids (cadr beam))
             (scores (tensor-log-softmax (reader ids ids) -1))
             (best (tensor-topk scores (min width (tensor-numel scores)))))
        (map (lambda (score id)
               (cons (+ (car beam) score)
                     (cons (append ids (list id)) (and (%ends? id config) #t))))
             (tensor->list (car best)) (tensor->list (cadr best))))))

(define (%best-beams beams width)
  (let ((sorted (sort beams (lambda (a b) (> (car a) (car b))))))
    (take sorted (min width (length sorted)))))

;; The names of the older interface.

(define (%generated-as generator ids strategy . settings)
  "Generate with settings for this call."
  (let ((config (hash-copy (%generator-config generator))))
    (let loop ((rest settings))
      (when (pair? rest)
        (when (cadr rest) (hash-set! config (car rest) (cadr rest)))
        (loop (cddr rest))))
    (%generated generator (%flat (list ids)) strategy config)))

(define (torch_generator_greedy generator ids . length)
  "The likeliest token each time, up to a length."
  (%generated-as generator ids "greedy" "max_length" (%option length 0 #f)))

(define (torch_generator_top_k generator ids . options)
  "Draw from the k likeliest tokens: length, k, temperature."
  (%generated-as generator ids "top_k" "max_length" (%option options 0 #f)
                 "top_k" (%option options 1 #f)
                 "temperature" (%option options 2 #f)))

(define (torch_generator_top_p generator ids . options)
  "Draw from the likeliest tokens with p of the probability: length, p,
  temperature."
  (%generated-as generator ids "top_p" "max_length" (%option options 0 #f)
                 "top_p" (%option options 1 #f)
                 "temperature" (%option options 2 #f)))

(define (torch_generator_beam_search generator ids . options)
  "Beam search: length, number of beams."
  (%generated-as generator ids "beam_search" "max_length" (%option options 0 #f)
                 "num_beams" (%option options 1 #f)))

(define (torch_generator_set_device generator device)
  "Move a generator's model to a device; returns the generator."
  (torch_to_device (%generator-model generator) (%usable-device device))
  generator)
