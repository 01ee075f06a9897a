;; hf-lora.lisp - adapters on a language model's projections, each by its own
;; name, although the model joins queries, keys and values, and gate and up.

(define-module (%row-adapter layer name start size rank alpha dtype)
  "The part of a projection's adapter: rows start up to start + size of the
  output get alpha / rank * x a' b'."
  ((name name)
   (start start)
   (size size)
   (factor (inexact (/ alpha rank)))
   (lora-A (%adapter-matrix rank (tensor-size (linear-weight layer) 1) dtype #t)
           :parameter)
   (lora-B (%adapter-matrix size rank dtype #f) :parameter))
  (forward (x)
    (tensor-to (* factor
                  (tensor-linear (tensor-linear (tensor-to x (tensor-dtype lora-A))
                                                lora-A)
                                 lora-B))
               (tensor-dtype x))))

(define (%adapter-matrix rows columns dtype random)
  "[rows, columns]: uniform as in linear layers, or zeros."
  (let ((x (tensor-zeros rows columns :dtype dtype)))
    (if random (tensor-kaiming-uniform! x :a (sqrt 5.0)) x)))

(define-module (%adapted base parts)
  "A linear layer with adapters on ranges of its rows."
  ((base base)
   (parts parts)
   (active #t)
   (merged #f))
  (forward (x)
    (let ((y (base x)))
      (if (and active (not merged))
          (fold (lambda (part y) (%add-rows y (part x) part)) y parts)
          y))))

(define (%add-rows y delta part)
  "y with delta added to the part's columns."
  (let ((start (%row-adapter-start part)) (size (%row-adapter-size part))
        (width (tensor-size y -1)))
    (if (= size width)
        (+ y delta)
        (+ y (tensor-constant-pad-nd delta (list start (- width start size)))))))

;; The projections of a model: (name part-of from to), where from and to count
;; the heads, or the halves, of a joined one.

(define (%projection-ranges config path rows)
  "The projections in a linear layer of a path: a list of (name start size)."
  (cond ((string-suffix? "qkv_proj" path)
         (let* ((heads (config-ref config "num_attention_heads" 1))
                (kv (config-ref config "num_key_value_heads" heads))
                (size (quotient rows (+ heads kv kv))))
           (list (list "q_proj" 0 (* size heads))
                 (list "k_proj" (* size heads) (* size kv))
                 (list "v_proj" (* size (+ heads kv)) (* size kv)))))
        ((string-suffix? "gate_up_proj" path)
         (let ((half (quotient rows 2)))
           (list (list "gate_proj" 0 half) (list "up_proj" half half))))
        (else (list (list (last (string-split path ".")) 0 rows)))))

(define (torch_hf_lora_init name . arguments)
  "Freeze a model and put adapters on projections: rank, alpha, a list of names
  such as \"q_proj\", and a dtype (\"float32\"); or a dictionary with rank, alpha,
  target_modules and dtype."
  (let* ((config (and (not (number? (car arguments))) (car arguments)))
         (rank (if config (%config-ref config "rank" 8) (car arguments)))
         (alpha (if config (%config-ref config "alpha" 16) (cadr arguments)))
         (targets (if config
                      (%config-ref config "target_modules" (strings "q_proj" "v_proj"))
                      (list-ref arguments 2)))
         (dtype (if config
                    (%config-ref config "dtype" "float32")
                    (%option arguments 3 "float32"))))
    (%put-adapters! (%llm-of "torch_hf_lora_init" name) rank alpha
                    (%elements targets) (string->symbol dtype))))

(define (%put-adapters! model rank alpha targets dtype)
  (when (pair? (%adapted-layers model))
    (%fail "torch_hf_lora_init: the model has adapters already"))
  (let ((count 0) (config (model-config model)))
    (freeze! model)
    (for-each
     (lambda (entry)
       (let ((chosen (filter (lambda (range) (member (car range) targets))
                             (%projection-ranges
                              config (car entry)
                              (tensor-size (linear-weight (cdr entry)) 0)))))
         (when (pair? chosen)
           (set! count (+ count (length chosen)))
           (replace-module!
            model (car entry)
            (%adapted (cdr entry)
                      (map (lambda (range)
                             (%row-adapter (cdr entry)
                                           (%range-path (car entry) (car range))
                                           (cadr range) (caddr range)
                                           rank alpha dtype))
                           chosen))))))
     (%linear-paths model))
    (when (zero? count)
      (%fail "torch_hf_lora_init: no projection has a name of "
             (%joined targets)))
    #t))

(define (%range-path path name)
  "The path of a projection, by its own name."
  (string-join (append (drop-right (string-split path ".") 1) (list name)) "."))

(define (%adapted-layers model)
  (filter %adapted? (map cdr (named-modules model))))

(define (%adapter-parts name who)
  "All parts of a model's adapters."
  (let ((layers (%adapted-layers (%llm-of who name))))
    (when (null? layers)
      (%fail who ": the model has no adapters, torch_hf_lora_init adds them"))
    (append-map %adapted-parts layers)))

(define (torch_hf_lora_get_parameters name)
  "The parameters of a model's adapters, for an optimizer."
  (%new-list 'list
             (append-map (lambda (part)
                           (list (%row-adapter-lora-A part)
                                 (%row-adapter-lora-B part)))
                         (%adapter-parts name "torch_hf_lora_get_parameters"))))

(define (torch_hf_lora_parameters name)
  "The same as torch_hf_lora_get_parameters."
  (torch_hf_lora_get_parameters name))

(define (%part-entries name who)
  "The adapters' tensors by name."
  (append-map (lambda (part)
                (let ((path (%row-adapter-name part)))
                  (list (cons (string path ".lora_A.weight") (%row-adapter-lora-A part))
                        (cons (string path ".lora_B.weight") (%row-adapter-lora-B part)))))
              (%adapter-parts name who)))

(define (torch_hf_lora_save name path)
  "Write a model's adapters to a file."
  (save-tensors path (%contiguous (%part-entries name "torch_hf_lora_save")))
  #t)

(define (torch_hf_lora_load name path)
  "Read a model's adapters from a file: each must be in it."
  (let ((saved (load-tensors path)))
    (for-each
     (lambda (entry)
       (let ((x (hash-ref saved (car entry) #f)))
         (unless (and x (equal? (tensor-shape x) (tensor-shape (cdr entry))))
           (%fail "torch_hf_lora_load: " path " has no " (car entry)
                  " of shape " (tensor-shape (cdr entry))))
         (no-grad (tensor-copy! (cdr entry) x))))
     (%part-entries name "torch_hf_lora_load"))
    #t))

(define (torch_hf_lora_merge name)
  "Add the adapters to the weights, so that calls cost no more."
  (%merge-adapters! name "torch_hf_lora_merge" #t))

(define (torch_hf_lora_unmerge name)
  "Take the adapters out of the weights again."
  (%merge-adapters! name "torch_hf_lora_unmerge" #f))

(define (%merge-adapters! name who on)
  (%adapter-parts name who)
  (for-each
   (lambda (layer)
     (unless (eq? (%adapted-merged layer) on)
       (for-each (lambda (part) (%merge-rows! layer part (if on 1.0 -1.0)))
                 (%adapted-parts layer))
       (record-set! layer 'merged on)))
   (%adapted-layers (%llm-of who name)))
  #t)

(define (%merge-rows! layer part sign)
  "Add a part to its rows of the weight."
  (no-grad
    (let* ((weight (linear-weight (%adapted-base layer)))
           (rows (tensor-slice weight 0 (%row-adapter-start part)
                               (+ (%row-adapter-start part)
                                  (%row-adapter-size part)))))
      (tensor-add! rows
                   (tensor-to (* (* sign (%row-adapter-factor part))
                                 (tensor-matmul (%row-adapter-lora-B part)
                                                (%row-adapter-lora-A part)))
                              (tensor-dtype weight))))))

(define (torch_hf_lora_enable name enable)
  "Whether a model's adapters take part in calls."
  (%adapter-parts name "torch_hf_lora_enable")
  (for-each (lambda (layer) (record-set! layer 'active (%true? enable)))
            (%adapted-layers (%llm-of "torch_hf_lora_enable" name)))
  #t)
