;; recompute.lisp - less memory for more time: gradients from what is computed
;; again.
;;
;; The region begins with %custom-gradient without results, which saves the
;; tensors as LibTorch's nodes do; the procedure for the backward pass holds
;; only the other arguments, as in custom-gradient.lisp.

(define (recompute f . arguments)
  "The result of f for the arguments.  What the backward pass needs of it is
  not kept, but computed again by a second call of f.

  The gradients are those of (f argument ...), bit for bit; between the passes
  only the arguments take memory.  f may be a model or any other procedure,
  keyword arguments included, and calls of recompute may nest.  The second call
  sees the random numbers of the first, so that dropout repeats; what else it
  reads must be unchanged.

  (define y (recompute block x))
  (backward (tensor-sum y))          ; calls block again"
  (if (grad-enabled?)
      (%recorded-region f arguments (random-state))
      (apply f arguments)))

(define (%recorded-region f arguments state)
  "The result of f, recorded without the tensors that its gradients need."
  (%custom-gradient (filter tensor? arguments)
                    '()
                    (%second-call f (map %without-tensor arguments) state))
  (let ((result (%settle (%try (lambda () (apply f arguments))))))
    (%procedure "end-recomputed-region")
    (%finish result)))

(define (%second-call f template state)
  "The procedure that LibTorch calls in the backward pass, with a list of the
  tensors among the arguments as its second argument."
  (lambda (none inputs also-none)
    (let ((now (random-state)))
      (set-random-state! state)
      (let ((result (%settle (%try (lambda ()
                                     (apply f (%with-tensors template
                                                             inputs)))))))
        (set-random-state! now)
        (%finish result)
        inputs))))
