;; persistence.lisp - models and checkpoints in files, and state dicts.
;;
;; Files are safetensors, whatever their name ends with; files of torch.save are
;; read too.

(define-record-type %state-dict-type (%make-state-dict entries facts) %state-dict?
  (entries %state-dict-entries)   ; an alist of names and tensors
  (facts %state-dict-facts))      ; a hash table: epoch and the like, or #f

(define (%state-dict-text x)
  (string "PyTorch State Dict (" (length (%state-dict-entries x)) " parameters)"))

(define (torch_state_dict model)
  "The parameters of a model by name, copied."
  (%make-state-dict (map (lambda (entry)
                           (cons (car entry) (tensor-clone (detach (cdr entry)))))
                         (state-dict model))
                    #f))

(define (torch_load_state_dict model dict)
  "Give a model the parameters of a state dict."
  (unless (%state-dict? dict)
    (%fail "torch_load_state_dict: expected a state dict, got " (%text dict)))
  (load-state-dict! model (%state-dict-entries dict))
  #t)

(define (torch_save_model model path)
  "Write a model's parameters to a file."
  (save-tensors path (%contiguous (state-dict model)))
  #t)

(define (%contiguous entries)
  "The entries, each tensor with memory of its own."
  (map (lambda (entry) (cons (car entry) (tensor-clone (detach (cdr entry)))))
       entries))

(define (torch_load_model first second)
  "Give a model the parameters of a file: (torch_load_model model path), or
  (torch_load_model path model).  Returns the model."
  (let ((model (if (string? first) second first))
        (path (if (string? first) first second)))
    (load-state-dict! model (%file-tensors path))
    model))

(define (%file-tensors path)
  "The tensors of a file, of safetensors or torch.save."
  (let ((table (if (%zip-file? path) (%tensors-in-file path) (load-tensors path))))
    (if (hash-table? table) (hash->list table) table)))

(define (torch_save_checkpoint model optimizer epoch path)
  "Write a model, its optimizer and the epoch to a file."
  (save-checkpoint path :model model
                   :optimizer (%inner "torch_save_checkpoint" optimizer)
                   :step epoch)
  #t)

(define (torch_load_checkpoint path . parts)
  "The state dict of a checkpoint, with (@ checkpoint \"epoch\"); with a model and
  an optimizer after the path, they continue from it."
  (let* ((model (%option parts 0 #f))
         (optimizer (%option parts 1 #f))
         (facts (load-checkpoint! path :model model
                                  :optimizer (and optimizer
                                                  (%inner "torch_load_checkpoint"
                                                          optimizer))
                                  :random (and model #t)))
         (table (make-hash-table)))
    (hash-set! table "epoch" (cdr (assoc "step" facts)))
    (%make-state-dict (%model-entries path) table)))

(define (%model-entries path)
  "The tensors of the model in a checkpoint, by their names in the model."
  (filter-map (lambda (entry)
                (and (string-prefix? "model." (car entry))
                     (cons (substring (car entry) 6 (string-length (car entry)))
                           (cdr entry))))
              (hash->list (load-tensors path))))

(define (%state-dict-ref dict key)
  "A tensor of a state dict, or a fact such as \"epoch\"."
  (let ((found (assoc key (%state-dict-entries dict)))
        (facts (%state-dict-facts dict)))
    (cond (found (cdr found))
          ((and facts (hash-has-key? facts key)) (hash-ref facts key #f))
          (else (%fail "state dict: no key " (%written key))))))
