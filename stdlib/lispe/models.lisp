;; models.lisp - the layers and models of LispETorch, as modules of Lambent.

(define-module (%mlp inputs hidden outputs)
  "Two linear layers with a ReLU between them.  x [..., inputs] -> [..., outputs]."
  ((fc1 (linear inputs hidden))
   (fc2 (linear hidden outputs)))
  (forward (x) (fc2 (tensor-relu (fc1 x)))))

(define-module (%positions width length)
  "Adds sines and cosines of the positions (Vaswani et al. 2017).  x [n, t,
  width] or [t, width] -> the same shape; t is at most length."
  ((table (%position-table width length) :buffer))
  (forward (x)
    (let ((t (tensor-size x -2)))
      (when (> t (tensor-size table 0))
        (%fail "torch_positional_forward: " t " positions, the table has "
               (tensor-size table 0)))
      (+ x (tensor-slice table 0 0 t)))))

(define (%position-table width length)
  "Sines in the even columns, cosines in the odd ones.  [length, width]"
  (let* ((half (quotient (+ width 1) 2))
         (rates (tensor-exp (* (tensor-arange half) (/ (* -2.0 (log 10000.0)) width))))
         (angles (* (tensor-unsqueeze (tensor-arange length :dtype 'float32) 1) rates))
         (both (tensor-stack (list (tensor-sin angles) (tensor-cos angles)) 2)))
    (tensor-contiguous
     (tensor-slice (tensor-reshape both (list length (* 2 half))) 1 0 width))))

(define-module (%rotary width length)
  "The cosines and sines of rotary embeddings (Su et al. 2021), of the halves of
  a vector: two tensors [t, width]."
  ((cosines (tensor-cos (%rotary-angles width length)) :buffer)
   (sines (tensor-sin (%rotary-angles width length)) :buffer))
  (forward (t)
    (when (> t (tensor-size cosines 0))
      (%fail "torch_rotary_forward: " t " positions, the table has "
             (tensor-size cosines 0)))
    (list (tensor-slice cosines 0 0 t) (tensor-slice sines 0 0 t))))

(define (%rotary-angles width length)
  "[length, width]: both halves of a row have the same angles."
  (unless (even? width) (%fail "torch_rotary_embedding: " width " is not even"))
  (let* ((half (quotient width 2))
         (rates (tensor-exp (* (tensor-arange half)
                               (/ (* -2.0 (log 10000.0)) width))))
         (angles (* (tensor-unsqueeze (tensor-arange length :dtype 'float32) 1)
                    rates)))
    (tensor-cat (list angles angles) 1)))

(define-module (%checkpointed inner)
  "A module whose inner values are computed again in the backward pass."
  ((inner inner)
   (enabled #t))
  (forward (x) (if enabled (recompute inner x) (inner x))))

;; Creation.

(define (torch_model inputs hidden outputs)
  "A model of two linear layers with a ReLU between them."
  (%mlp inputs hidden outputs))

(define (torch_linear inputs outputs) "A linear layer." (linear inputs outputs))

(define (torch_embedding count width)
  "A table of learned vectors."
  (embedding count width))

(define (torch_layer_norm shape)
  "A layer that normalizes the last dimensions; shape is a size or a list."
  (layer-norm (if (%list? shape) (%sizes shape) shape)))

(define (torch_multihead_attention width heads)
  "Attention of several heads; tensors are [n, t, width]."
  (multi-head-attention width heads :batch-first #t))

(define (torch_transformer_block width heads hidden)
  "Attention, then two linear layers, each with a sum and a layer norm; without
  dropout.  x [n, t, width] -> the same shape."
  (transformer-encoder-layer width heads :dim-feedforward hidden :dropout 0.0
                             :batch-first #t))

(define (torch_model_create . arguments)
  "torch_model for three sizes; (torch_model_create \"transformer\" config) is a
  language model of transformer blocks with the sizes of a dictionary:
  vocab_size, embed_dim, num_heads, num_layers, ff_dim, max_seq_length."
  (if (number? (car arguments))
      (apply torch_model arguments)
      (%transformer (cadr arguments))))

(define (%config-ref config key default)
  "A value of a dictionary, or of a list of (key value); default if it is not
  there or nil."
  (cond ((not config) default)
        ((hash-table? config) (or (hash-ref config key #f) default))
        (else (let ((found (find (lambda (pair) (%same? (%item pair 0) key))
                                 (%elements config))))
                (if found (%item found 1) default)))))

(define-module (%transformer config)
  "A causal language model of transformer blocks.  ids int64 [n, t] -> [n, t,
  vocab_size]."
  ((width (%config-ref config "embed_dim" 64))
   (table (embedding (%config-ref config "vocab_size" 256) width))
   (positions (%positions width (%config-ref config "max_seq_length" 512)))
   (blocks (apply sequential
                  (map (lambda (k)
                         (%causal-block
                          (torch_transformer_block
                           width (%config-ref config "num_heads" 4)
                           (%config-ref config "ff_dim" (* 4 width)))))
                       (iota (%config-ref config "num_layers" 2)))))
   (head (linear width (%config-ref config "vocab_size" 256))))
  (forward (ids) (head (blocks (positions (table ids))))))

(define-module (%causal-block block)
  "A block in which no position sees a later one."
  ((block block))
  (forward (x) (block x :src-mask (causal-mask (tensor-size x 1)))))

;; Calls.

(define (torch_forward model x)
  "The output of any model or layer; attention attends from x to x."
  (cond ((%attention? model) (torch_attention_forward model x x x))
        ((%flash? model) (torch_flash_attention_forward model x x x))
        ((%script? model) (torch_jit_model_forward model x))
        ((module? model) (model x))
        (else (%call model x))))

(define (%attention? x) (multi-head-attention? x))

(define (torch_linear_forward layer x)
  "The output of a linear layer."
  (layer x))

(define (torch_embedding_forward layer ids)
  "The vectors of ids."
  (layer (%ids ids)))

(define (torch_layer_norm_forward layer x) "The normalized tensor." (layer x))
(define (torch_transformer_forward block x) "The output of a block." (block x))
(define (torch_positional_forward layer x) "x plus the positions." (layer x))

(define (%ids x)
  "Token ids as an int64 tensor."
  (tensor-to (if (tensor? x) x (tensor (%nested x) :dtype 'int64)) 'int64))

(define (torch_attention_forward attention query key . value)
  "The output of attention for query, key and value; (torch_attention_forward
  attention x mask) attends from x to x, where the mask is 0 at padding."
  (receive (y weights)
      (if (pair? value)
          (attention query key (car value) :need-weights #f)
          (attention query query query :need-weights #f
                     :key-padding-mask (tensor-eq key 0)))
    y))

(define (torch_positional_encoding width length)
  "Sines and cosines of positions, which the layer adds to its input."
  (%positions width length))

(define (torch_rotary_embedding width length)
  "The tables of rotary embeddings for vectors of a width."
  (%rotary width length))

(define (torch_rotary_forward rotary t . device)
  "(cosines sines) of the first t positions, each [t, width]."
  (%new-list 'list (map (lambda (x)
                          (if (pair? device)
                              (torch_to_device x (%usable-device (car device)))
                              x))
                        (rotary t))))

(define (torch_apply_rotary_pos_emb x cosines sines)
  "x [..., t, width] with each pair of its halves' elements turned by the angle
  of the position."
  (let* ((half (quotient (tensor-size x -1) 2))
         (first (tensor-slice x -1 0 half))
         (second (tensor-slice x -1 half (* 2 half))))
    (+ (* x cosines)
       (* (tensor-cat (list (- second) first) -1) sines))))

;; Computing again instead of keeping.

(define (torch_checkpoint_create module)
  "A module that keeps no inner values for the backward pass, but computes them
  again."
  (%checkpointed module))

(define (torch_checkpoint_enable module)
  "Compute inner values again."
  (%checkpoint! module #t))

(define (torch_checkpoint_disable module)
  "Keep inner values."
  (%checkpoint! module #f))

(define (torch_checkpoint_forward module x) "The module's output." (module x))

(define (%checkpoint! module on)
  (unless (%checkpointed? module)
    (%fail "expected a checkpoint, got " (%text module)))
  (record-set! module 'enabled on)
  #t)

;; How modules are written.

(define (%module-text x)
  "A module, or another object, as println writes it."
  (cond ((linear? x) "PyTorch Linear Layer")
        ((%mlp? x) "PyTorch MLP Model")
        ((embedding? x) "PyTorch Embedding Layer")
        ((layer-norm? x) "PyTorch Layer Norm")
        ((multi-head-attention? x) "PyTorch Multi-Head Attention")
        ((transformer-encoder-layer? x) "PyTorch Transformer Block")
        ((%positions? x) "PyTorch Positional Encoding")
        ((%rotary? x) "PyTorch Rotary Embedding")
        ((%checkpointed? x) "PyTorch Checkpoint")
        ((lora-linear? x) (%lora-text x))
        ((%flash? x) (%flash-text x))
        ((%training? x) (%optimizer-text x))
        ((%rates? x) (%rates-text x))
        ((%state-dict? x) (%state-dict-text x))
        ((%word-tokenizer? x)
         (string "Simple Tokenizer (vocab size: " (torch_vocab_size x) ")"))
        ((%quantized? x) (%quantized-text x))
        ((%generator? x) "PyTorch Generator")
        ((%script? x) (string "TorchScript Model (" (%script-path x) ")"))
        ((tokenizer? x) (%tokenizer-text x))
        (else (string x))))
