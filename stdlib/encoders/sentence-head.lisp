;; sentence-head.lisp - what a folder of sentence-transformers says about the
;; vectors of texts.
;;
;;     modules.json                       [Transformer, Pooling, Dense, Normalize]
;;     sentence_bert_config.json          the most tokens; lower case
;;     1_Pooling/config.json              how states become one vector
;;     2_Dense/config.json, ...           a layer after that
;;     config_sentence_transformers.json  texts that stand before others
;;
;; What is not known is refused: the vectors would be others.

(define-module (%sentence-vectors poolings steps length lower-case prompts
                               default-prompt with-prompt similarity)
  "What becomes of states [n, t, width], a mask, and the mask without a prompt,
  whose first token is pooled all the same: [n, m].

  poolings: those of pool-states, in the order of their parts.  steps: modules
  for what is pooled, and 'normalize, where rows get length 1 if normalizes is
  true."
  ((poolings poolings)
   (steps steps)
   (length length)                               ; the most tokens, or #f
   (lower-case lower-case)
   (prompts prompts)                             ; a table of names
   (default-prompt default-prompt)               ; a name, or #f
   (with-prompt with-prompt)                     ; whether it is pooled, too
   (similarity similarity))                      ; the name of a function
  (forward (states mask without-prompt normalizes)
    (fold (lambda (step x)
            (cond ((not (eq? step 'normalize)) (step x))
                  (normalizes (%normalized-rows x))
                  (else x)))
          (tensor-cat (map (lambda (pooling)
                             (pool-states states
                                          (if (eq? pooling 'cls)
                                              mask
                                              without-prompt)
                                          pooling))
                           poolings)
                      1)
          steps)))

(define-module (%sentence-layer linear activation residual)
  "A layer of a sentence's vector.  residual: #f, #t if the vector is added to the
  result, or the linear layer of what is added."
  ((linear linear)
   (activation activation)
   (residual residual))
  (forward (x)
    (let ((y (activation (linear x))))
      (cond ((not residual) y)
            ((linear? residual) (+ y (residual x)))
            (else (+ y x))))))

;; Files.

(define (%sentence-modules folder)
  "The modules that a folder lists, as a list of (kind . path), or #f."
  (let ((path (%beside folder "modules.json")))
    (and (file-exists? path)
         (let ((listed (read-json path)))
           (unless (and (list? listed) (pair? listed)
                        (every hash-table? listed))
             (%refuse-sentence path "is not a list of modules" ""))
           (map (lambda (entry)
                  (let ((type (hash-ref entry "type" #f))
                        (where (hash-ref entry "path" "")))
                    (unless (and (string? type) (string? where)
                                 (not (string-contains where "..")))
                      (%refuse-sentence path
                                        "has a module without type and path"
                                        ""))
                    (cons (last (string-split type ".")) where)))
                (sort listed
                      (lambda (a b) (< (%order-of a) (%order-of b)))))))))

(define (%order-of entry)
  (let ((k (hash-ref entry "idx" 0))) (if (real? k) k 0)))

(define (%refuse-sentence path what hint)
  "Raise an error about a file of a folder."
  (if (string=? hint "")
      (error (format "load-encoder: ~s ~a" path what))
      (%error-with-hint (format "load-encoder: ~s ~a" path what) '() hint)))

(define (%transformer-folder folder modules)
  "The folder of the encoder itself."
  (let ((first (car modules)))
    (unless (equal? (car first) "Transformer")
      (%refuse-sentence (%beside folder "modules.json")
                        (format "begins with ~a; only Transformer is available"
                                (car first))
                        ""))
    (if (string=? (cdr first) "") folder (%beside folder (cdr first)))))

(define (%sentence-json path)
  "The object in a file, or an empty one."
  (if (file-exists? path)
      (let ((found (read-json path)))
        (if (hash-table? found)
            found
            (%refuse-sentence path "is not an object" "")))
      (make-hash-table)))

(define (%sentence-head folder encoder modules dtype)
  "What the modules after the encoder do."
  (let* ((limits (%sentence-json
                  (%beside encoder "sentence_bert_config.json")))
         (texts (%sentence-json
                 (%beside folder "config_sentence_transformers.json")))
         (prompts (hash-ref texts "prompts" 'null))
         (prompts (if (hash-table? prompts) prompts (make-hash-table)))
         (rest (cdr modules))
         (pooling (if (and (pair? rest) (equal? (caar rest) "Pooling"))
                      (%beside folder (string (cdar rest) "/config.json"))
                      (%refuse-sentence
                       (%beside folder "modules.json")
                       "has no Pooling after the Transformer" "")))
         (settings (%sentence-json pooling))
         (default (hash-ref texts "default_prompt_name" 'null))
         (most (hash-ref limits "max_seq_length" 'null)))
    (unless (or (memq most '(null #f)) (and (exact-integer? most) (> most 0)))
      (%refuse-sentence (%beside encoder "sentence_bert_config.json")
                        (format "has the max_seq_length ~s" most) ""))
    (when (and (string? default) (not (hash-has-key? prompts default)))
      (%refuse-sentence (%beside folder "config_sentence_transformers.json")
                        (format "has no prompt ~s" default) ""))
    (%make-sentence-head settings pooling folder (cdr rest) dtype
                         (if (exact-integer? most)
                             most
                             (%tokenizer-length encoder))
                         (eq? (hash-ref limits "do_lower_case" #f) #t)
                         prompts (and (string? default) default)
                         (%similarity-of texts folder))))

(define (%tokenizer-length folder)
  "The most tokens that the settings of a tokenizer name, or #f: folders of
  sentence-transformers since version 6 say it there.  Some write a number beyond
  all lengths for none."
  (let ((most (hash-ref (%sentence-json (%beside folder "tokenizer_config.json"))
                        "model_max_length" #f)))
    (and (exact-integer? most) (< 0 most 1000000000) most)))

(define (%similarity-of settings folder)
  "The name of the function by which vectors of a folder are compared."
  (let ((name (hash-ref settings "similarity_fn_name" 'null)))
    (cond ((memq name '(null #f)) "cosine")
          ((member name %similarities) name)
          (else
           (%refuse-sentence
            (%beside folder "config_sentence_transformers.json")
            (format "has the similarity_fn_name ~s" name)
            "cosine, dot, euclidean and manhattan are available")))))

(define %similarities '("cosine" "dot" "euclidean" "manhattan"))

(define (%make-sentence-head settings path folder modules dtype most lower
                             prompts default similarity)
  (%sentence-vectors (%poolings-of settings path)
                     (map (lambda (entry) (%sentence-step folder entry dtype))
                          (remove (lambda (entry) (equal? (car entry) "Dropout"))
                                  modules))
                     most lower prompts default
                     (not (eq? (hash-ref settings "include_prompt" #t) #f))
                     similarity))

(define %pooling-names
  '(("cls_token" . cls) ("max_tokens" . max) ("mean_tokens" . mean)
    ("mean_sqrt_len_tokens" . mean-sqrt)
    ("weightedmean_tokens" . weighted-mean) ("lasttoken" . last)))

(define (%poolings-of settings path)
  "The poolings that settings ask for, in the order of sentence-transformers."
  (let* ((named (hash-ref settings "pooling_mode" #f))
         (short '(("cls" . cls) ("max" . max) ("mean" . mean)
                  ("mean_sqrt_len_tokens" . mean-sqrt)
                  ("weightedmean" . weighted-mean) ("lasttoken" . last)))
         (names (cond ((string? named) (list named))
                      ((and (list? named) (pair? named)) named)
                      (else #f))))
    (define (known name)
      (let ((found (assoc name short)))
        (if found
            (cdr found)
            (%refuse-sentence path (format "has the pooling ~s" name)
                              "cls, max, mean, mean_sqrt_len_tokens, \
weightedmean and lasttoken are available"))))
    (for-each
     (lambda (key)
       (when (and (string-prefix? "pooling_mode_" key)
                  (eq? (hash-ref settings key) #t)
                  (not (assoc (substring key 13 (string-length key))
                              %pooling-names)))
         (%refuse-sentence path (format "has the pooling ~s" key) "")))
     (hash-keys settings))
    (let ((found
           (if names
               (map known names)
               (map cdr
                    (filter (lambda (each)
                              (eq? (hash-ref settings
                                             (string "pooling_mode_" (car each))
                                             #f)
                                   #t))
                            %pooling-names)))))
      (if (null? found)
          (if (= (hash-size settings) 0)
              '(mean)
              (%refuse-sentence path "chooses no pooling" ""))
          found))))

(define (%sentence-step folder entry dtype)
  "The step of a module after the pooling."
  (let ((own (%beside folder (cdr entry))))
    (cond ((equal? (car entry) "Normalize") 'normalize)
          ((equal? (car entry) "Dense") (%sentence-dense own dtype))
          ((equal? (car entry) "LayerNorm") (%sentence-norm own dtype))
          (else
           (%refuse-sentence (%beside folder "modules.json")
                             (format "has the module ~a" (car entry))
                             "Transformer, Pooling, Dense, LayerNorm, Dropout \
and Normalize are available")))))

(define (%normalized-rows x)
  "The rows at length 1."
  (tensor-div x (tensor-clamp-min (tensor-norm x 2 '(1) #t) 1e-12)))

(define (%sentence-tensors folder)
  "The tensors of a module's folder."
  (let ((path (%beside folder "model.safetensors"))
        (pickled (%beside folder "pytorch_model.bin")))
    (cond ((file-exists? path) (load-tensors path))
          ((file-exists? pickled) (load-state-dict pickled))
          (else (%refuse-sentence folder "has no model.safetensors" "")))))

(define %sentence-activations
  (list (cons "Identity" (lambda (x) x)) (cons "Tanh" tensor-tanh)
        (cons "ReLU" tensor-relu) (cons "Sigmoid" tensor-sigmoid)
        (cons "GELU" (lambda (x) (tensor-gelu x)))
        (cons "SiLU" tensor-silu)))

(define (%sentence-dense folder dtype)
  "A linear layer and its activation."
  (let* ((path (%beside folder "config.json"))
         (settings (%sentence-json path))
         (name (hash-ref settings "activation_function"
                         "torch.nn.modules.activation.Tanh"))
         (name (last (string-split (if (string? name) name "") ".")))
         (activation (assoc name %sentence-activations))
         (bias (not (eq? (hash-ref settings "bias" #t) #f))))
    (unless activation
      (%refuse-sentence path (format "has the activation ~s" name)
                        "Identity, Tanh, ReLU, Sigmoid, GELU and SiLU are \
available"))
    (for-each
     (lambda (key)
       (unless (member (hash-ref settings key "sentence_embedding")
                       '("sentence_embedding" null))
         (%refuse-sentence path (format "has the ~a ~s" key
                                        (hash-ref settings key))
                           "")))
     '("module_input_name" "module_output_name"))
    (let* ((in (%config-size settings "in_features"))
           (out (%config-size settings "out_features"))
           (adds (eq? (hash-ref settings "use_residual" #f) #t))
           (tensors (%sentence-tensors folder))
           (filled (lambda (layer prefix)
                     (load-state-dict! layer (%tensors-below tensors prefix))
                     (to! layer dtype))))
      (%sentence-layer (filled (linear in out :bias bias) "linear.")
                       (cdr activation)
                       (and adds
                            (or (= in out)
                                (filled (linear in out :bias #f)
                                        "residual.")))))))

(define (%tensors-below table prefix)
  "The tensors whose names begin with a prefix, without it."
  (%table-of
   (filter-map (lambda (entry)
                 (and (string-prefix? prefix (car entry))
                      (cons (substring (car entry) (string-length prefix)
                                       (string-length (car entry)))
                            (cdr entry))))
               (hash->list table))))

(define (%sentence-norm folder dtype)
  "A layer norm of the vector."
  (let* ((settings (%sentence-json (%beside folder "config.json")))
         (layer (layer-norm (%config-size settings "dimension"))))
    (load-state-dict! layer (%sentence-tensors folder) :prefix "norm.")
    (to! layer dtype)))

;; Use, by embed.

(define (%finisher head pooling normalize skipped)
  "The procedure of states and mask that returns vectors.  skipped: how many
  tokens of a prompt are not pooled."
  (lambda (states mask)
    (let* ((vectors (if (and head (not pooling))
                        (head states mask (%without-prompt mask skipped)
                              normalize)
                        (pool-states states mask (or pooling 'mean))))
           (normalize (if (eq? normalize 'model)
                          (or (not head) (and pooling #t))
                          normalize)))
      (if normalize (%normalized-rows vectors) vectors))))

(define (%without-prompt mask skipped)
  "The mask without a prompt's tokens."
  (if (= skipped 0)
      mask
      (tensor-logical-and mask
                          (tensor-ge (tensor-arange (tensor-size mask 1)
                                                    :device (tensor-device mask))
                                     skipped))))

(define (%prompt-of head prompt)
  "The text that stands before texts, or #f."
  (let ((name (cond (prompt prompt)
                    (head (%sentence-vectors-default-prompt head))
                    (else #f))))
    (unless (or (not name) (string? name) (symbol? name))
      (wrong-type "embed" "the name of a prompt or a text as the prompt" name))
    (cond ((not name) #f)
          ((and head (hash-ref (%sentence-vectors-prompts head) (string name) #f)))
          ((symbol? name)
           (error (format "embed: the model has no prompt ~a; it has" name)
                  (if head (hash-keys (%sentence-vectors-prompts head)) '())))
          (else name))))

(define (%prompt-length head tokenizer prompt)
  "How many tokens of a prompt are not pooled: all but the last special one."
  (if (and head prompt (not (%sentence-vectors-with-prompt head)))
      (let-values (((ids mask) (encode-batch tokenizer (list prompt)
                                             :side 'right)))
        (- (tensor-size ids 1) 1))
      0))

(define (%most-tokens model head)
  "The most tokens of a text."
  (let ((most (cond ((text-encoder? model) (text-encoder-context model))
                    ((decoder-encoder? model)
                     (model-context (decoder-encoder-decoder model)))
                    (else #f)))
        (own (and head (%sentence-vectors-length head))))
    (if (and most own) (min most own) (or own most))))

(define (%prepared-texts head prompt texts)
  "The texts as the tokenizer gets them."
  (let ((texts (if prompt
                   (map (lambda (text) (string prompt text)) texts)
                   texts)))
    (if (and head (%sentence-vectors-lower-case head))
        (map string-downcase texts)
        texts)))
