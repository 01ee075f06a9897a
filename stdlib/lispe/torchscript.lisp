;; torchscript.lisp - modules that torch.jit.save wrote.
;;
;; A hook puts an adapter on a linear layer inside: its part is added to the
;; layer's weight while torch_jit_model_forward_with_lora runs, so gradients
;; reach the adapter.

(define-record-type %script-type (%make-script module path hooks) %script?
  (module %script-module %set-script-module!)
  (path %script-path)
  (hooks %script-hooks %set-script-hooks!))

(define (%script who model)
  "The TorchScript module of a model."
  (unless (%script? model)
    (%fail who ": expected a TorchScript model, got " (%text model)))
  (or (%script-module model) (%fail who ": the model is unloaded")))

(define (torch_jit_load path . device)
  "The model of a file of torch.jit.save, on a device (\"cpu\")."
  (torch_jit_model_to_device (%make-script (load-module path) path '())
                             (%option device 0 "cpu")))

(define (torch_jit_unload model)
  "Free a model's memory; it cannot be called any more."
  (%set-script-module! model #f)
  (%set-script-hooks! model '())
  #t)

(define (torch_jit_model_to_device model . device)
  "Move a model to a device (\"cpu\"); returns it."
  (%procedure "move-module!" (%script "torch_jit_model_to_device" model)
              (string (%option device 0 "cpu")))
  model)

(define (torch_jit_model_to_mps model)
  "Move a model to Apple's device; without one it stays."
  (if (torch_mps_is_available) (torch_jit_model_to_device model "mps") model))

(define (torch_jit_model_to_best_device model)
  "Move a model to the best device there is."
  (torch_jit_model_to_device model (torch_get_best_device)))

(define (torch_jit_model_forward model x)
  "The model's output."
  (call-module (%script "torch_jit_model_forward" model) x))

(define (torch_jit_model_register_lora_hook model layer-name lora)
  "Put an adapter on a linear layer, such as \"fc1\", of a model."
  (%script-tensor "torch_jit_model_register_lora_hook" model
                  (string layer-name ".weight"))
  (%set-script-hooks! model
                      (cons (cons layer-name lora)
                            (remove (lambda (entry) (equal? (car entry) layer-name))
                                    (%script-hooks model))))
  #t)

(define (torch_jit_model_forward_with_lora model x)
  "The model's output with the adapters of its hooks."
  (%procedure "call-module-with"
              (%script "torch_jit_model_forward_with_lora" model)
              (append-map
               (lambda (entry)
                 (let ((name (string (car entry) ".weight")))
                   (list name
                         (+ (%script-tensor "lora" model name)
                            (torch_lora_compute_delta (cdr entry))))))
               (%script-hooks model))
              x))

(define (%script-tensors who model)
  "The parameters and buffers of a model, as an alist."
  (let ((module (%script who model)))
    (append (module-parameters module) (module-buffers module))))

(define (%script-tensor who model name)
  "A parameter or buffer of a model."
  (let ((found (assoc name (%script-tensors who model))))
    (unless found
      (%fail who ": no tensor " name "; there are "
             (string-join (map car (%script-tensors who model)) ", ")))
    (cdr found)))

(define (%names entries) (%new-list 'strings (map car entries)))

(define (torch_jit_model_info model)
  "A dictionary: path, parameters, buffers, elements, bytes, methods."
  (let ((entries (%script-tensors "torch_jit_model_info" model))
        (module (%script "torch_jit_model_info" model)))
    (%dictionary "path" (%script-path model)
                 "parameters" (length (module-parameters module))
                 "buffers" (length (module-buffers module))
                 "elements" (fold + 0 (map (lambda (e) (tensor-numel (cdr e))) entries))
                 "bytes" (fold + 0 (map (lambda (e) (tensor-nbytes (cdr e))) entries))
                 "methods" (torch_jit_model_list_methods model))))

(define (torch_jit_model_list_methods model)
  "The names of a model's methods."
  (%new-list 'strings
             (module-methods (%script "torch_jit_model_list_methods" model))))

(define (torch_jit_model_list_buffers model)
  "The names of a model's buffers."
  (%names (module-buffers (%script "torch_jit_model_list_buffers" model))))

(define (torch_jit_model_list_parameter_names model)
  "The names of a model's parameters."
  (%names (module-parameters (%script "torch_jit_model_list_parameter_names"
                                      model))))

(define (torch_jit_model_list_tensor_names model)
  "The names of a model's parameters and buffers."
  (%names (%script-tensors "torch_jit_model_list_tensor_names" model)))

(define (torch_jit_model_get_buffer model name)
  "A buffer of a model."
  (let ((found (assoc name (module-buffers (%script "torch_jit_model_get_buffer" model)))))
    (if found (cdr found) (%fail "torch_jit_model_get_buffer: no buffer " name))))

(define (torch_jit_model_get_tensor model name)
  "A parameter or buffer of a model."
  (%script-tensor "torch_jit_model_get_tensor" model name))

(define (torch_jit_model_get_tensor_shape model name)
  "The shape of a parameter or buffer."
  (tensor_shape (%script-tensor "torch_jit_model_get_tensor_shape" model name)))

(define (torch_jit_model_get_intermediate_states model x names)
  "The outputs of layers, such as \"blocks.0\", in a run of the model: a
  dictionary by name."
  (let ((wanted (%elements names)))
    (apply %dictionary
           (append-map list wanted
                       (%procedure "module-states"
                                   (%script "torch_jit_model_get_intermediate_states"
                                            model)
                                   wanted x)))))

(define (torch_jit_model_update_weight model name value)
  "Give a parameter or buffer of a model new values."
  (let ((x (%script-tensor "torch_jit_model_update_weight" model name)))
    (unless (equal? (tensor-shape x) (tensor-shape value))
      (%fail "torch_jit_model_update_weight: " name " has the shape "
             (tensor-shape x) ", got " (tensor-shape value)))
    (no-grad (tensor-copy! x value))
    #t))
