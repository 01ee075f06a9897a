;; What is known of the devices, the memory of one, and waiting for it.

(print (member "cpu" (available-devices)))        ; => (cpu)
(print (default-device))                          ; => cpu
(define (fact name facts) (cdr (assq name facts)))
(print (fact 'type (device-properties)))          ; => cpu
(print (fact 'type (device-properties 'cpu)))     ; => cpu
(print (< 0 (fact 'threads (device-properties "cpu"))))  ; => #t
(print (map car (device-memory)))  ; => (live-bytes peak-bytes cached-bytes allocations allocated-bytes free-bytes total-bytes)

(define (live) (fact 'live-bytes (device-memory)))
(define (peak) (fact 'peak-bytes (device-memory)))
(define before (live))
(define x (tensor-zeros '(1000 1000)))
(print (- (live) before))                         ; => 4000000
(device-synchronize)
(device-synchronize "cpu")
(define (with-more) (tensor-item (tensor-sum (tensor-cat (list x x)))))
(print (with-more))                               ; => 0.0
(print (>= (- (peak) before) 12000000))           ; => #t
(device-peak-reset!)
(print (= (peak) (live)))                         ; => #t
(device-cache-release! "cpu")
(print (device-cache-release!))                   ; => 0
(print (<= (fact 'free-bytes (device-memory)) (fact 'total-bytes (device-memory))))  ; => #t

(define (message thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(message (lambda () (device-memory "cuda:77")))   ; => device-memory: device cuda:77 is not available
(message (lambda () (device-properties "gpu")))   ; => device-properties: unknown device: gpu
(message (lambda () (device-synchronize 3)))      ; => device-synchronize: expected a device, got 3
(message (lambda () (device-memory "meta")))      ; => device-memory: device meta has no memory
(message (lambda () (device-memory "cpu" 2)))     ; => device-memory: expected 0 to 1 arguments, got 2
