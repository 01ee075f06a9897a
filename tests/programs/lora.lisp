(manual-seed 1)
(define-module (attention width)
  ((q-proj (linear width width)) (v-proj (linear width width :bias #f)) (out (linear width width)))
  (forward (x) (out (* (q-proj x) (v-proj x)))))
(define model (sequential (attention 8) (relu) (attention 8)))
(define x (tensor-randn 4 8))
(define before (detach (model x)))
(lora! model :targets '("q_proj" "2.v_proj") :rank 2 :alpha 4)
(print (map car (lora-parameters model)))
; => (0.q_proj.lora_A.weight 0.q_proj.lora_B.weight 2.q_proj.lora_A.weight 2.q_proj.lora_B.weight 2.v_proj.lora_A.weight 2.v_proj.lora_B.weight)
(print (equal? before (detach (model x))))  ; => #t
(print (map car (filter (lambda (entry) (requires-grad? (cdr entry))) (named-parameters model))))
; => (0.q_proj.lora_A.weight 0.q_proj.lora_B.weight 2.q_proj.lora_A.weight 2.q_proj.lora_B.weight 2.v_proj.lora_A.weight 2.v_proj.lora_B.weight)
(define frozen (tensor-copy (detach (linear-weight (lora-linear-base (module-at model "0.q_proj"))))))
; Only the adapters learn.
(define opt (sgd (filter requires-grad? (parameters model)) :lr 1.0))
(define (loss) (tensor-mean (square (- (model x) 1))))
(define first (tensor-item (loss)))
(dotimes (i 50) (backward (loss)) (optimizer-step opt) (zero-grad opt))
(print (< (tensor-item (loss)) first))  ; => #t
(print (equal? frozen (detach (linear-weight (lora-linear-base (module-at model "0.q_proj"))))))  ; => #t
; Merging and back.
(define (close? a b) (< (tensor-item (tensor-max (abs (- a b)))) 1e-4))
(define tuned (detach (model x)))
(merge-lora! model)
(print (close? tuned (detach (model x))) (equal? frozen (detach (linear-weight (lora-linear-base (module-at model "0.q_proj"))))))  ; => #t #f
(merge-lora! model)
(unmerge-lora! model)
(print (close? tuned (detach (model x))) (close? frozen (linear-weight (lora-linear-base (module-at model "0.q_proj")))))  ; => #t #t
; Saved adapters fit another copy of the base model.
(define folder (string (or (getenv "TMPDIR") "/tmp") "/lambent-lora-" (current-jiffy)))
(save-adapters folder model)
(manual-seed 1)
(define other (sequential (attention 8) (relu) (attention 8)))
(load-adapters! folder other)
(print (close? tuned (detach (other x))) (length (lora-parameters other)))  ; => #t 6
(define config (call-with-input-file (string folder "/adapter_config.json") read-json))
(print (hash-ref config "r") (hash-ref config "peft_type"))  ; => 2 LORA
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define small (sequential (attention 4) (relu) (attention 4)))
(print (message (lambda () (load-adapters! folder small))))
; => load-adapters!: tensor "base_model.model.0.q_proj.lora_A.weight" has shape (2 8), the model's has
(for-each delete-file (map (lambda (name) (string folder "/" name)) '("adapter_model.safetensors" "adapter_config.json")))
(merge-lora! other)
(remove-lora! other)
(print (close? tuned (detach (other x))) (map car (named-parameters (module-at other "0"))) (every requires-grad? (parameters other)))
; => #t (q_proj.weight q_proj.bias v_proj.weight out.weight out.bias) #t
(print (message (lambda () (lora! other :targets '("k_proj")))))  ; => lora!: no linear layer has the path "k_proj"; there are
(print (message (lambda () (lora! other :targets '("q_proj") :rank 0))))  ; => lora!: expected a positive exact integer after :rank, got 0
(print (message (lambda () (merge-lora! other))))  ; => merge-lora!: the model has no adapters; lora! adds them
(print (message (lambda () (lora! model :targets '("q_proj")))))  ; => lora!: the model has adapters; merge or remove them first
