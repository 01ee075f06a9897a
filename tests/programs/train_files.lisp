; Datasets of files: tables, arrays, texts, folders.
(define base (string "/tmp/lambent-train-files-" (random 1000000000)))
(define (file name . lines)
  (let ((path (string base "-" name)))
    (call-with-output-file path
      (lambda (port) (for-each (lambda (line) (display line port)) lines)))
    path))

; Tables.
(define plants
  (file "plants.csv" "\xFEFF;width, kind ,colour\r\n" "1.5,iris,red\r\n" "\n"
        "+2,\"rose, \"\"old\"\"\",blue\n" " 3e-1 ,iris,\"light\nred\"\n" ",iris,red"))
(write (hash->list (read-table plants))) (newline)
; => (("width" . [1.5 2.0 0.3 +nan.0]) ("kind" "iris" "rose, \"old\"" "iris" "iris") ("colour" "red" "blue" "light\nred" "red"))
(define d (csv-dataset plants :target "kind" :columns '("colour" 0)))
(print d (dataset-classes d))                   ; => #<dataset source: csv length: 4> (iris rose, "old")
(write (dataset-columns d)) (newline)           ; => ("colour=blue" "colour=light\nred" "colour=red" "width")
(print (dataset-tensors d))                     ; => ([[0.0 0.0 1.0 1.5] [1.0 0.0 0.0 2.0] [0.0 1.0 0.0 0.3] [0.0 0.0 1.0 nan]] [0 1 0 0])
(print (dataset-classes (subset-dataset d '(1)))) ; => (iris rose, "old")
(define more (file "more.csv" "kind,width,colour\n" "\"rose, \"\"old\"\"\",9,blue\n"))
(print (dataset-tensors (csv-dataset more :like d))) ; => ([[1.0 0.0 0.0 9.0]] [1])

(define numbers (file "numbers.csv" "1;2;9223372036854775807\n3;4;99999999999999999999\n"))
(define table (read-table numbers :separator ";"))
(print (hash-keys table) (tensor-dtype (hash-ref table "0")) (hash-ref table "2")) ; => (0 1 2) int64 [9.2234e+18 1.0000e+20]
(define n (csv-dataset numbers :separator ";" :target 1 :columns '(0) :dtype 'float64))
(print (dataset-tensors n) (tensor-dtype (car (dataset-tensors n))) (dataset-classes n)) ; => ([[1.0] [3.0]] [2 4]) float64 #f
(print (dataset-tensors (csv-dataset numbers :separator ";" :header #t :target -1)))
; => ([[3.0 4.0]] [1.0000e+20])
(print (dataset-tensors (csv-dataset numbers :separator ";" :columns '(1)))) ; => ([[2.0] [4.0]])

; Arrays.
(define x (tensor-reshape (tensor-arange 6) 3 2))
(define x-file (string base "-x.npy"))
(define both (string base "-both.safetensors"))
(save-npy x-file x)
(save-tensors both (list (cons "x" x) (cons "y" [5 6 7])))
(print (dataset-ref (npy-dataset x-file x-file) 1)) ; => ([2 3] [2 3])
(print (dataset-ref (safetensors-dataset both) 2)) ; => ([4 5] 7)
(print (dataset-ref (safetensors-dataset both "y") 0)) ; => (5)
(do-batches ((x y) (data-loader (safetensors-dataset both) :batch-size 2 :prefetch 1))
  (print x y))
; => [[0 1] [2 3]] [5 6]
; => [[4 5]] [7]

; Texts.
(define text (file "text.txt" "abcabcd\n" "\n" "äb\n"))
(print (read-text text))                        ; => abcabcd
; => 
; => äb
; => 
(print (dataset->list (lines-dataset text)))    ; => (abcabcd äb)
(define chars (text-dataset text 3))
(define v (dataset-vocabulary chars))
(print chars v) (write (vocabulary-items v)) (newline) ; => #<dataset source: text length: 9> #<vocabulary size: 6>
; => ("\n" "a" "b" "c" "d" "ä")
(print (dataset-ref chars 2))                   ; => ([3 1 2] [1 2 3])
(print (dataset-length (text-dataset text 3 :stride 4 :vocabulary v))) ; => 3
(print (encode-text v "bad") (decode-text v '(5 1)) (encode-text v "axa" :unknown 9)) ; => [2 1 4] äa [1 9 1]
(define words (word-vocabulary '("b" "a" "c" "a" "c" "d") :most 3))
(print (vocabulary-items words) (vocabulary-size words)) ; => (a c b) 3
(print (encode-text words '("c" "b")) (encode-text words '("d" "a") :unknown 0) (decode-text words [2 0])) ; => [1 2] [0 0] (b a)
(define windows (window-dataset '(1 2 3 4 5) 2 :stride 2))
(print (dataset->list windows))                 ; => (([1 2] [2 3]) ([3 4] [4 5]))
(do-batches ((x y) (data-loader windows :batch-size 2 :prefetch 1)) (print x y)) ; => [[1 2] [3 4]] [[2 3] [4 5]]

; Folders.
(define folder (string base "-images"))
(define (put path) (call-with-output-file (string folder "/" path) (lambda (port) (display path port))))
(make-folder (string folder "/cats/young"))
(make-folder (string folder "/dogs"))
(for-each put '("README" "cats/b.PNG" "cats/a.png" "cats/young/c.png" "dogs/notes.txt" "dogs/.d.png" "dogs/e.png"))
(define images (folder-dataset folder (lambda (path) (tensor (string-length (read-text path)))) :suffixes '(".png")))
(print images (dataset-classes images))         ; => #<dataset source: folder length: 4> (cats dogs)
(define (name path) (substring path (+ (string-length folder) 1)))
(print (map name (dataset-files images)))       ; => (cats/a.png cats/b.PNG cats/young/c.png dogs/e.png)
(print (dataset-ref images 3))                  ; => (10 1)
(do-batches ((x y) (data-loader images :batch-size 3 :prefetch 2)) (print x y))
; => [10 10 16] [0 0 0]
; => [10] [1]

; Wrong use.
(define (wrong f . arguments)
  (guard (e ((error-object? e)
             (print (string-replace (error-object-message e) base "F"))))
    (print "no error:" (apply f arguments))))
(wrong read-table (file "a.csv" "1,2\n3\n"))    ; => read-table: "F-a.csv", line 2, column 2: expected 2 fields, got 1
(wrong read-table (file "b.csv" "ä,b\n\"1\n2\",x,3\n")) ; => read-table: "F-b.csv", line 3, column 6: expected 2 fields, got 3
(wrong read-table (file "c.csv" "a,b\n1,\"x\n")) ; => read-table: "F-c.csv", line 2, column 3: a quote is never closed
(wrong read-table (file "d.csv" "\n"))          ; => read-table: "F-d.csv": it is empty
(wrong read-table (file "e.csv" "a,b\n"))       ; => read-table: "F-e.csv": it has no rows after its header
(wrong read-table (file "f.csv" "a,a\n1,2\n"))  ; => read-table: "F-f.csv" has two columns named "a"
(wrong read-table plants :separator ", ")       ; => read-table: expected a separator of one ASCII character, got ", "
(wrong csv-dataset plants :target "hue")        ; => csv-dataset: "F-plants.csv" has no column "hue"
(wrong csv-dataset numbers :target 3)           ; => csv-dataset: "F-numbers.csv" has no column 3
(wrong csv-dataset numbers :columns '())        ; => csv-dataset: "F-numbers.csv" has no column for features
(wrong csv-dataset (file "g.csv" "kind,width,colour\niris,1,mauve\n") :like d)
; => csv-dataset: "F-g.csv": column "colour" has "mauve", which the other dataset does not have
(wrong csv-dataset (file "h.csv" "kind,width,colour\niris,wide,red\n") :like d)
; => csv-dataset: "F-h.csv": expected numbers in column "width", got "wide"
(wrong csv-dataset plants :like 5)              ; => csv-dataset: expected a dataset from csv-dataset, got 5
(wrong npy-dataset (string base "-none.npy"))   ; => load-npy: cannot open "F-none.npy": No such file or directory
(wrong safetensors-dataset both "z")            ; => safetensors-dataset: "F-both.safetensors" has no tensor "z"
(wrong window-dataset '(1 2 3) 3)               ; => window-dataset: windows of 3 tokens and the one that follows need 4 tokens, got 3
(wrong window-dataset [[1 2]] 1)                ; => window-dataset: expected a list or a tensor [m] of tokens, got a tensor int64 (1 2)
(wrong window-dataset '(1 2) 0)                 ; => window-dataset: expected a positive exact integer, got 0
(wrong encode-text v "abz")                     ; => encode-text: the vocabulary does not have the character "z" at index 2
(wrong encode-text words '("z"))                ; => encode-text: the vocabulary does not have "z"
(wrong encode-text v '("z"))                    ; => encode-text: expected a string, got ("z")
(wrong decode-text v '(6))                      ; => decode-text: token 6 is out of range for a vocabulary of 6
(wrong decode-text words '(3))                  ; => decode-text: token 3 is out of range for a vocabulary of 3
(wrong folder-dataset (string base "-none") list) ; => folder-dataset: cannot open "F-none": No such file or directory
(wrong folder-dataset (string folder "/dogs") list) ; => folder-dataset: "F-images/dogs" has no sub-folder
(wrong folder-dataset folder list :suffixes '(".jpg" ".gif"))
; => folder-dataset: the class folder "F-images/cats" has no file that ends with .jpg or .gif
