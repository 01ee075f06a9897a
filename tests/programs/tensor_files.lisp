; Tensors to files and back: safetensors, numpy's arrays and archives.
(define base (string "/tmp/lambent-tensor-files-" (random 1000000000)))
(define (path end) (string base end))
(define (message thunk)
  (guard (e (#t (error-object-message e))) (thunk)))
(define (show table)
  (hash-for-each table (lambda (name x) (print name (tensor-dtype x) (tensor-shape x) x))))

(define columns (tensor-transpose [[1 2] [3 4]] 0 1))
(save-tensors (path ".safetensors")
              (list (cons "w" [[1.0 2.0] [3.0 4.0]]) (cons 'flags [#t #f #t])
                    (cons "none" (tensor-zeros 0 3)) (cons "one" (tensor 5))
                    (cons "columns" columns))
              :metadata '((format . "pt") ("note" . "say \"hé\"\n")))
(define table (load-tensors (path ".safetensors")))
(show table)
; => w float32 (2 2) [[1.0 2.0] [3.0 4.0]]
; => flags bool (3) [#t #f #t]
; => none float32 (0 3) []
; => one int64 () 5
; => columns int64 (2 2) [[1 3] [2 4]]
(write (hash->list (tensors-metadata (path ".safetensors")))) (newline) ; => (("format" . "pt") ("note" . "say \"hé\"\n"))

; A loaded tensor is the program's own: the file stays as it is.
(tensor-add! (hash-ref table "w") 1)
(print (hash-ref table "w"))                     ; => [[2.0 3.0] [4.0 5.0]]
(print (hash-ref (load-tensors (path ".safetensors")) "w")) ; => [[1.0 2.0] [3.0 4.0]]

; It outlives its table and its file, also when a new one takes the place.
(define kept (hash-ref (load-tensors (path ".safetensors")) "one"))
(save-tensors (path ".safetensors") table)
(print (hash-size (load-tensors (path ".safetensors"))) kept) ; => 5 5
(delete-file (path ".safetensors"))
(print kept (hash-ref table "flags"))            ; => 5 [#t #f #t]

; Every dtype of the format.
(define (of dtype) (tensor-to [1 0] dtype))
(define dtypes '(float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 uint16 uint32 uint64
                 bool complex64 float8-e4m3fn float8-e5m2))
(save-tensors (path ".all") (map (lambda (d) (cons d (of d))) dtypes))
(define all (load-tensors (path ".all")))
(print (every (lambda (d) (eq? (tensor-dtype (hash-ref all (symbol->string d))) d)) dtypes)) ; => #t
(print (map (lambda (d) (tensor-item (tensor-sum (tensor-to (hash-ref all (symbol->string d)) 'float64))))
            '(float16 bfloat16 uint16 uint64 float8-e5m2))) ; => (1.0 1.0 1.0 1.0 1.0)
(delete-file (path ".all"))

; numpy's files.
(save-npy (path ".npy") columns)
(print (load-npy (path ".npy")))                 ; => [[1 3] [2 4]]
(print (message (lambda () (save-npy (path ".npy") (of 'bfloat16))))) ; => save-npy: numpy has no dtype for a tensor bfloat16 (2)
(print (load-npy (path ".npy")))                 ; => [[1 3] [2 4]]
(delete-file (path ".npy"))
(save-npz (path ".npz") (list (cons "a" [1.5 2.5]) (cons 'b (tensor 7)) (cons "c d" (tensor-zeros 2 0))))
(print (file-exists? (path ".npz")))             ; => #t
(save-npz (path ".npz") (load-npz (path ".npz")) :compress #t)
(show (load-npz (path ".npz")))
; => a float32 (2) [1.5 2.5]
; => b int64 () 7
; => c d float32 (2 0) [[] []]
(delete-file (path ".npz"))
(show (load-npz "tests/programs/data/arrays.npz"))
; => steps int64 (100) [0 5 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 100 105 110 115 120 125 130 135 140 145 150 155 160 165 170 175 180 185 190 195 200 205 210 215 220 225 230 235 240 245 250 255 260 265 270 275 280 285 290 295 300 305 310 315 320 325 330 335 340 345 350 355 360 365 370 375 380 385 390 395 400 405 410 415 420 425 430 435 440 445 450 455 460 465 470 475 480 485 490 495]
; => flag bool () #t
; => big float64 (1 2) [[1.5 2.5]]

; What cannot be opened is a file error; what cannot be written leaves what was there.
(print (guard (e ((file-error? e) (error-object-message e))) (load-tensors "no-such-file"))) ; => load-tensors: cannot open "no-such-file": No such file or directory
(print (guard (e ((file-error? e) (error-object-message e))) (save-npy "no-such-folder/x.npy" [1]))) ; => save-npy: cannot open "no-such-folder/x.npy": No such file or directory
(print (guard (e ((file-error? e) #t) (else (error-object-message e))) (load-npy "tests/programs/data/points.csv"))) ; => load-npy: "tests/programs/data/points.csv", byte 0: it is not an npy file
(print (message (lambda () (load-tensors "tests")))) ; => load-tensors: "tests": the folder has neither model.safetensors.index.json nor model.safetensors
(print (message (lambda () (save-tensors (path "") (list (cons "a" [1]) (cons 'a [2])))))) ; => save-tensors: the name "a" is given twice
(print (message (lambda () (save-tensors (path "") '(("a" . 5)))))) ; => save-tensors: expected a tensor for "a", got 5
(print (message (lambda () (save-tensors (path "") [1])))) ; => save-tensors: expected an alist or a hash table, got a tensor int64 (1)
(print (file-exists? (path "")))                 ; => #f

; A header may take more than a megabyte, as that of a model with thousands of long names does.
(save-tensors (path "") (list (cons (make-string 1100000 #\a) [1 2])))
(print (hash-values (load-tensors (path ""))))   ; => ([1 2])
(delete-file (path ""))
