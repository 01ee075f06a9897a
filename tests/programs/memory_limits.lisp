; What cannot be had is an error that names the size; after it the program goes on as before.
(define (get key) (cdr (assq key (tensor-memory))))
(define (refusal thunk)
  (let ((before (list (get 'live-handles) (get 'live-bytes))))
    (print (guard (e ((error-object? e) (error-object-message e)))
             (thunk)
             "nothing happened"))
    (assert (equal? before (list (get 'live-handles) (get 'live-bytes))))))

(refusal (lambda () (tensor-zeros 1000000 1000000)))
; => tensor-zeros: not enough memory for a tensor of 3.6 TiB (4000000000000 bytes)
(refusal (lambda () (tensor-zeros 1000000 1000000 1000000)))
; => tensor-zeros: not enough memory for a tensor of 3.5 EiB (4000000000000000000 bytes)
(refusal (lambda () (tensor-empty 4611686018427387904 8)))
; => tensor-empty: not enough memory for a tensor of shape (4611686018427387904 8): that is more than 8.0 EiB
(refusal (lambda () (tensor-arange 3000000000000)))
; => tensor-arange: not enough memory for a tensor of 21.8 TiB (24000000000000 bytes)
(refusal (lambda () (@ (tensor-ones 3000000 1) (tensor-ones 1 3000000))))
; => tensor-matmul: not enough memory for a tensor of 32.7 TiB (36000000000000 bytes)
(refusal (lambda () (+ (tensor-ones 3000000 1) (tensor-ones 1 3000000))))
; => +: not enough memory for a tensor of 32.7 TiB (36000000000000 bytes)
(refusal (lambda () (list (tensor-ones 10) (tensor-repeat (tensor-ones 1000) 100000000000))))
; => tensor-repeat: not enough memory for a tensor of 363.8 TiB (400000000000000 bytes)

; A limit of the program's own.
(print (tensor-memory-limit! (+ (get 'live-bytes) 10000000)))  ; => #f
(refusal (lambda () (tensor-ones 4000000)))
; => tensor-ones: not enough memory for a tensor of 15.3 MiB (16000000 bytes)
(define (ones-until-refused kept)
  (guard (e ((error-object? e) (length kept)))
    (ones-until-refused (cons (tensor-ones 1000000) kept))))
(print (ones-until-refused '()))              ; => 2
(print (tensor-item (tensor-sum (tensor-ones 1000000))))  ; => 1000000.0
(define limit (tensor-memory-limit! #f))
(print (> limit 10000000) (tensor-memory-limit! #f))  ; => #f #f
(print (tensor-item (tensor-sum (tensor-ones 4000000))))  ; => 4000000.0

; Freed blocks are kept up to a limit, and given back when that is wanted.
(tensor-cache-release!)
(print (get 'cached-bytes))                   ; => 0
(tensor-cache-limit! 20000000)
(tensor-ones 1000000)
(print (< 4000000 (get 'cached-bytes) 5000000))  ; => #t
(tensor-ones 8000000)                         ; more than the limit
(print (< 4000000 (get 'cached-bytes) 5000000))  ; => #t
(print (= (get 'cached-bytes) (tensor-cache-release!)) (get 'cached-bytes))  ; => #t 0
(tensor-ones 1000000)
(print (tensor-cache-limit! 0) (get 'cached-bytes))  ; => 20000000 0
(tensor-ones 1000000)
(print (get 'cached-bytes) (tensor-cache-limit! 20000000))  ; => 0 0
