; Progress goes to the current error port; without a terminal it is lines.
; Times depend on the clock, so only what is before them is compared.
(define (lines-of thunk)
  (let ((port (open-output-string)))
    (parameterize ((current-error-port port)) (thunk))
    (for-each
     (lambda (line)
       (print (substring line 0 (string-contains line ","))
              (cond ((string-contains line ": " (string-contains line ","))
                     => (lambda (at)
                          (substring line (+ at 2) (string-length line))))
                    (else "-"))))
     (port->lines (open-input-string (get-output-string port))))))

(lines-of (lambda () (dotimes (i 4) (progress (+ i 1) 4 "a" (* 0.1 i)))))
; => a: 1/4 (25%) 0
; => a: 2/4 (50%) 0.1
; => a: 3/4 (75%) 0.2
; => a: 4/4 (100%) 0.3

; An epoch and its batches; a bar that begins anew; a label of two lines.
(lines-of
 (lambda ()
   (dotimes (epoch 2)
     (do-progress (x (list 'p 'q) "batch") (progress-message x))
     (progress (+ epoch 1) 2 "epoch\n" (lambda () "done")))))
; => batch: 1/2 (50%) p
; => batch: 2/2 (100%) q
; => epoch : 1/2 (50%) done
; => batch: 1/2 (50%) p
; => batch: 2/2 (100%) q
; => epoch : 2/2 (100%) done

(lines-of (lambda () (progress 3 2 "surplus" #f) (do-progress (x '()) x)))
; => surplus: 3/2 (100%) -
; => : 0/0 (100%) -

; The message is asked for only when a line is printed.
(define asked 0)
(lines-of
 (lambda ()
   (dotimes (i 1000)
     (progress (+ i 1) 1000 "" (lambda () (set! asked (+ asked 1)) asked)))))
; => : 100/1000 (10%) 1
; => : 200/1000 (20%) 2
; => : 300/1000 (30%) 3
; => : 400/1000 (40%) 4
; => : 500/1000 (50%) 5
; => : 600/1000 (60%) 6
; => : 700/1000 (70%) 7
; => : 800/1000 (80%) 8
; => : 900/1000 (90%) 9
; => : 1000/1000 (100%) 10
(lines-of
 (lambda ()
   (do-progress (row [[1.0 2.0] [3.0 4.0]] "rows")
     (progress-message (tensor-item (tensor-sum row))))))
; => rows: 1/2 (50%) 3
; => rows: 2/2 (100%) 7

;; A loader's batches, also of a loader that continues within an epoch.
(define loader (data-loader (tensor-dataset (tensor-arange 5) [10 11 12 13 14])
                            :batch-size 2))
(define (pass)
  (do-progress ((x y) loader "train") (progress-message (tensor-sum (+ x y)))))
(lines-of pass)
; => train: 1/3 (33%) 22
; => train: 2/3 (66%) 30
; => train: 3/3 (100%) 18
(define state
  (call/cc (lambda (leave) (do-batches ((x y) loader) (leave (loader-state loader))))))
(load-loader-state! loader state)
(lines-of pass)
; => train: 1/3 (33%) -
; => train: 2/3 (66%) 30
; => train: 3/3 (100%) 18

(define (complain thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(complain (lambda () (progress -1 2 "a")))    ; => progress: expected a non-negative exact integer, got -1
(complain (lambda () (progress 1 2.0 "a")))   ; => progress: expected a non-negative exact integer as the total, got 2.0
(complain (lambda () (progress 1 2 'a)))      ; => progress: expected a string as the label, got a
(complain (lambda () (progress 1 2 "" 1 2)))  ; => progress: expected 3 or 4 arguments, got 5
(complain (lambda () (do-progress (x "abc") x)))  ; => do-progress: expected a list, a vector, a tensor, a data loader or an integer, got "abc"
