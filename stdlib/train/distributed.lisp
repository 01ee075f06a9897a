;; distributed.lisp - one program on several processes, which exchange tensors.
;;
;; Each process is a rank.  ctorch does the work over c10d.  An operation that
;; waits for other ranks is a loop of short waits here, so that Ctrl-C ends it.

(define-syntax with-distributed
  "Join the other processes of the program, evaluate the forms, and leave when
  all have ended: (with-distributed [option value] ... form ...).

  The launcher's variables say which rank this process is: RANK, WORLD_SIZE,
  MASTER_ADDR and MASTER_PORT, as `lambent launch` and torchrun set them, or
  those of mpirun and srun.  Without them the process is the only rank.

  :timeout seconds to wait for the others, 600 by default: as long as that a
  rank may be late.  :rank, :world-size, :address and :port are used instead of
  the variables.  :check #f leaves out the comparison of what the ranks call.
  :backend is 'gloo.

  An error in one rank is an error in the others, which names the rank, also if
  its process was killed."
  (syntax-rules ()
    ((_ form ...) (%with-distributed () form ...))))

(define-syntax %with-distributed
  (syntax-rules ()
    ((_ (option ...) :timeout value form ...)
     (%with-distributed (option ... :timeout value) form ...))
    ((_ (option ...) :backend value form ...)
     (%with-distributed (option ... :backend value) form ...))
    ((_ (option ...) :rank value form ...)
     (%with-distributed (option ... :rank value) form ...))
    ((_ (option ...) :world-size value form ...)
     (%with-distributed (option ... :world-size value) form ...))
    ((_ (option ...) :address value form ...)
     (%with-distributed (option ... :address value) form ...))
    ((_ (option ...) :port value form ...)
     (%with-distributed (option ... :port value) form ...))
    ((_ (option ...) :check value form ...)
     (%with-distributed (option ... :check value) form ...))
    ((_ (option ...) (operator . operands) form ...)
     (%call-distributed
      (lambda () (%value (let () (operator . operands) form ...)))
      option ...))
    ((_ (option ...) atom form ...)
     (begin
       (%check-not-option atom)
       (%call-distributed (lambda () (let () atom form ...)) option ...)))))

(define (%value x)
  "The value.  Its argument is not a tail call, so that errors show its place."
  x)

(define (%check-not-option first)
  "Raise an error if the first form is a keyword."
  (when (keyword? first)
    (%error-with-hint "with-distributed: unknown option" (list first)
                      (string ":timeout, :rank, :world-size, :address, :port, "
                              ":backend and :check stand before the forms"))))

(define (%call-distributed body :backend 'gloo :timeout 600 :rank #f
                           :world-size #f :address #f :port #f :check #t)
  "The result of the body, between joining the other ranks and leaving them."
  (%procedure "with-distributed" "start"
              backend timeout rank world-size address port (if check #t #f))
  (let* ((result (%settle (%try (lambda () (%join-ranks) (body)))))
         (ended (if (%caught? result)
                    result
                    (%settle (%try %end-together))))
         (text (and (%caught? ended)
                    (%settle (%try (lambda () (%failure-text ended)))))))
    (%procedure "with-distributed" "leave"
                (if (%caught? text) "it was stopped" text))
    (%finish text)
    (%finish ended)
    (%finish result)))

(define (%join-ranks)
  "Wait until all ranks have joined."
  (unless (%procedure "with-distributed" "join")
    (%join-ranks)))

(define (%end-together)
  "Wait until all ranks are at the end."
  (%await "with-distributed" (%procedure "with-distributed" "end")))

(define (%failure-text caught)
  "What the other ranks read about a failure."
  (let ((payload (and (%caught-error? caught) (%caught-payload caught))))
    (cond ((not (%caught-error? caught)) "it was stopped")
          ((error-object? payload)
           (string-join (cons (error-object-message payload)
                              (map (lambda (x) (format "~s" x))
                                   (error-object-irritants payload)))
                        " "))
          (else (format "it raised ~s" payload)))))

;; Waiting.

(define (%collective who . arguments)
  "The result of an operation in which all ranks take part."
  (%await who (apply %procedure who "start" arguments)))

(define (%await who result)
  "The element of a result, once it is a list: #f stands for a wait."
  (cond ((pair? result) (car result))
        ((null? result) result)
        (else (%await who (%procedure who "wait")))))

;; The processes.

(define (rank)
  "The number of this process among those of with-distributed, from 0; outside
  of with-distributed, 0."
  (%procedure "rank"))

(define (world-size)
  "The number of processes of with-distributed; outside of it, 1."
  (%procedure "world-size"))

(define (local-rank)
  "The number of this process among those of its machine, from 0: which of its
  GPUs to use."
  (%procedure "local-rank"))

;; Operations.  All ranks must call the same ones in the same order.

(define (all-reduce x :op 'sum)
  "The sum of a tensor over all ranks, a new tensor, the same on each.

  op is 'sum, 'mean, 'product, 'max or 'min.  x has the same shape and dtype on
  all ranks.  Gradients do not flow through it; use data-parallel! for those."
  (%collective "all-reduce" x op #f))

(define (all-reduce! x :op 'sum)
  "all-reduce that replaces the elements of x, and returns it."
  (%collective "all-reduce!" x op #t)
  x)

(define (broadcast x :from 0)
  "The tensor x of the rank `from`, as a new tensor on each rank.

  x has the same shape and dtype on all ranks."
  (%collective "broadcast" x from #f))

(define (broadcast! x :from 0)
  "broadcast that replaces the elements of x, and returns it."
  (%collective "broadcast!" x from #t)
  x)

(define (all-gather x)
  "The tensors x of all ranks, as a list in their order.

  x has the same shape and dtype on all ranks."
  (%collective "all-gather" x))

(define (reduce-scatter x :op 'sum)
  "This rank's part of the sum of x over all ranks.

  x [n, ...] is divided along its first dimension into as many parts as there
  are ranks; rank 0 has the first one.  op as in all-reduce."
  (%collective "reduce-scatter" x op))

(define (barrier)
  "Wait until all ranks have called it."
  (%collective "barrier" "barrier")
  (if #f #f))

;; Training.

(define (data-parallel! model :bucket-size 25 :compress #f
                        :shard-optimizer #f)
  "Train a model on all ranks: give it rank 0's parameters, and average its
  gradients over the ranks in each `backward` from now on.  Returns the model.

  model is a module or a list of parameters.  Each rank computes the gradients
  of its own batch.  They are sent in buckets of bucket-size megabytes while
  backward still computes others.  A gradient that a rank has not computed
  counts as zeros; one that no rank has computed stays #f.  Frozen parameters
  and buffers are given, too, but not averaged.  It ends with with-distributed.

  compress: 'bfloat16 or 'float16, to send the gradients in half of the bytes;
  averages are then as exact as that.  shard-optimizer: an optimizer, or a list
  of them, whose state is divided over the ranks: each keeps that of its share
  of the parameters, steps these, and gives them to the others.

  Source: Li et al. 2020, PyTorch Distributed; Rajbhandari et al. 2020, ZeRO,
  stage 1."
  (let ((named (%named-for-sharing model))
        (optimizers (%optimizers-to-shard shard-optimizer)))
    (%collective "data-parallel!" (map car named) (map cdr named) bucket-size
                 compress)
    (unless (list? model)
      (for-each (lambda (entry) (broadcast! (cdr entry)))
                (named-buffers model)))
    (for-each (lambda (each) (%shard-optimizer! "data-parallel!" each))
              optimizers)
    model))

(define (%optimizers-to-shard given)
  "The optimizers as a list; #f are none."
  (let ((all (cond ((not given) '()) ((list? given) given) (else (list given)))))
    (for-each (lambda (each)
                (%optimizer-groups "data-parallel!" each)
                (%check-shardable "data-parallel!" each))
              all)
    all))

(define (%named-for-sharing model)
  "The parameters of a module or a list, with names for messages."
  (if (list? model)
      (map (lambda (k parameter) (cons (string "parameter " k) parameter))
           (iota (length model)) model)
      (named-parameters model)))

(define-syntax without-gradient-sync
  "Evaluate the forms; `backward` in them does not average the gradients of
  data-parallel! parameters.  They accumulate, and the next `backward` outside
  averages the sums."
  (syntax-rules ()
    ((_ form ...) (%without-gradient-sync (lambda () form ...)))))

(define (%without-gradient-sync body)
  "Call the body while gradients are not averaged."
  (let* ((before (%procedure "sync-gradients" #f))
         (result (%settle (%try body))))
    (%procedure "sync-gradients" before)
    (%finish result)))
