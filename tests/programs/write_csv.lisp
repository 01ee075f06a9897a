; Tables are written as read-csv reads them.
(call-with-temporary-folder
 (lambda (folder)
   (define path (path-join folder "table.csv"))
   (define (round-trip rows) (write-csv path rows) (equal? (read-csv path) rows))
   (define table '(("name" "n" "note") ("Ada, Countess" 1 "said \"hi\"") ("two\nlines" -2.5 "") ("é" 1e100 "a\nb")))
   (print (round-trip table))       ; => #t
   (print (read-lines path))        ; => (name,n,note "Ada, Countess",1,"said ""hi""" "two lines",-2.5, é,1e100,"a b")
   (print (round-trip '()) (round-trip '(("") ("a") (""))) (round-trip '((1 2) (3 4))))  ; => #t #t #t
   (write-csv path '((x y) (#t 1/2) (#f "a;b")) :separator ";")
   (print (read-csv path :separator ";"))  ; => ((x y) (true 1/2) (false a;b))
   (write-csv path '(("naïve")) :encoding 'latin-1)
   (print (file-size path) (read-csv path :encoding 'latin-1))  ; => 6 ((naïve))
   ; After an error the file is as it was, and nothing else is there.
   (define (try thunk) (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
   (try (lambda () (write-csv path '((1 2) (3)))))  ; => write-csv: row 2: expected 2 fields, got 1 ()
   (try (lambda () (write-csv path '((1 (2))))))    ; => write-csv: row 1: expected a number, a string, a symbol or a boolean, got ((2))
   (try (lambda () (write-csv path '((1)) :separator "")))  ; => write-csv: expected a string of one character for :separator, got ()
   (print (read-csv path :encoding 'latin-1) (list-folder folder))  ; => ((naïve)) (table.csv)
   (print (round-trip (map (lambda (n) (list n (* 1.5 n) (string "t" n))) (iota 1000))))))  ; => #t
