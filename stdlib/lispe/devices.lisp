;; devices.lisp - devices, memory and modes, as LispETorch names them.
;;
;; A program written for Apple's devices runs here too: torch_to_mps moves a
;; tensor there if there is such a device, and otherwise leaves it where it is.

(define (torch_cuda_is_available)
  "Whether there is a CUDA device."
  (cuda-available?))

(define (torch_mps_is_available)
  "Whether there is a device of Apple's."
  (%has-device? "mps"))

(define (%has-device? name)
  "Whether tensors can be made on a device."
  (guard (e (#t #f))
    (tensor-zeros '(1) :device name)
    #t))

(define (torch_cuda_device_count)
  "How many CUDA devices there are."
  (length (%cuda-devices)))

(define (%cuda-devices)
  "The names of the CUDA devices."
  (filter (lambda (name) (string-prefix? "cuda" name)) (available-devices)))

(define (torch_cuda_memory_allocated)
  "The bytes that tensors take on the CUDA devices."
  (%cuda-memory 'live-bytes))

(define (torch_cuda_memory_total)
  "The bytes of the CUDA devices."
  (%cuda-memory 'total-bytes))

(define (%cuda-memory which)
  "A number of the devices' memory, summed over them; 0 without one."
  (fold (lambda (device sum) (+ sum (assq-ref (device-memory device) which 0)))
        0
        (%cuda-devices)))

(define (torch_cuda_empty_cache)
  "Give free blocks of memory back to the system."
  (device-cache-release!)
  #t)

(define (torch_set_device device)
  "Create new tensors on a device: a name, or the number of a CUDA device."
  (set-default-device! (if (number? device) (string "cuda:" device) device))
  #t)

(define (torch_to_cuda x . device)
  "A tensor or model on a CUDA device (the first)."
  (torch_to_device x (if (pair? device) (string "cuda:" (car device)) "cuda")))

(define (torch_to_device x device)
  "A tensor or model on a device, such as \"cpu\" or \"cuda:1\"."
  (cond ((tensor? x) (tensor-to x device))
        ((%quantized? x) x)
        (else (to! x device))))

(define (torch_to_cpu x)
  "A tensor or model in the memory of the processor."
  (torch_to_device x "cpu"))

(define (torch_to_mps x)
  "A tensor or model on Apple's device; without one it stays where it is."
  (if (torch_mps_is_available) (torch_to_device x "mps") x))

(define (torch_on_mps x)
  "Whether a tensor is on Apple's device."
  (string-prefix? "mps" (string (tensor-device x))))

(define (torch_mps_synchronize . safe)
  "Wait for Apple's device: there is nothing to wait for without one."
  (when (torch_mps_is_available) (device-synchronize "mps"))
  #t)

(define (torch_get_best_device)
  "The best device there is: \"mps\", \"cuda\" or \"cpu\"."
  (cond ((torch_mps_is_available) "mps")
        ((cuda-available?) "cuda")
        (else "cpu")))

(define (%usable-device device)
  "The device of a configuration, or the processor if there is no such device."
  (if (and device (%has-device? device)) device "cpu"))

;; Gradients.

(define (torch_backward loss . options)
  "Add the gradients of a loss to the parameters; options: whether the graph is
  kept, and whether it is recorded."
  (unless (tensor? loss)
    (%fail "torch_backward: expected a tensor, got " (%text loss)))
  (backward loss
            :retain-graph (and (pair? options) (%true? (car options)))
            :create-graph (and (> (length options) 1) (%true? (cadr options))))
  #t)

(define (torch_set_grad_enabled enabled)
  "Whether operations are recorded for gradients, until this is called again."
  (%procedure "set-grad-enabled!" (%true? enabled))
  #t)

;; The system.

(define (command text)
  "Run a command of the shell; what it printed, as a text."
  (%procedure "command" text))

(define (memory_size)
  "The bytes of memory that the program occupies."
  (let ((fields (string-split (call-with-input-file "/proc/self/statm" read-line))))
    (* 4096 (string->number (cadr fields)))))

(define (torch_memory_usage)
  "The bytes of all tensors."
  (cdr (assq 'live-bytes (tensor-memory))))

(define (torch_peak_memory)
  "The most bytes that all tensors took."
  (cdr (assq 'peak-bytes (tensor-memory))))

(define (torch_memory_map)
  "What is known of the tensors' memory, as a dictionary."
  (apply %dictionary
         (append-map (lambda (entry) (list (string (car entry)) (cdr entry)))
                     (tensor-memory))))
