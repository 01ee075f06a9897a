;; inventory.lisp - a stock of goods in a file, with a command line and tests.
;;
;;     lambent examples/inventory.lisp add bolts 40 --price 0.12 --tag metal
;;     lambent examples/inventory.lisp take bolts 5
;;     lambent examples/inventory.lisp list --by worth
;;     lambent examples/inventory.lisp --help
;;
;; Without arguments it runs its tests.  The file, stock.json or that of --file,
;; is replaced only when the new one is complete.

(import (srfi 64))

;; Items.

(define-record-type item
  (make-item name count price tags changed)
  item?
  (name item-name)
  (count item-count)
  (price item-price)       ; of one, an exact number
  (tags item-tags)         ; strings
  (changed item-changed))  ; a date, as ISO 8601

(define (item-worth item) (* (item-count item) (item-price item)))

(define (find-item stock name)
  (find (lambda (item) (string=? (item-name item) name)) stock))

(define (with-item stock item)
  "The stock with an item in place of the one of its name."
  (cons item (remove (lambda (other) (string=? (item-name other) (item-name item)))
                     stock)))

(define (add stock name count price tags now)
  "The stock after goods have come; a price or tags change those of before."
  (let ((before (find-item stock name)))
    (with-item stock
      (make-item name
                 (+ count (if before (item-count before) 0))
                 (or price (if before (item-price before) 0))
                 (if (and (null? tags) before) (item-tags before) tags)
                 now))))

(define (take stock name count now)
  "The stock after goods have gone."
  (let ((before (find-item stock name)))
    (unless before (error "there is no such item:" name))
    (when (> count (item-count before))
      (error (string "there are only " (item-count before) " of") name))
    (with-item stock
      (make-item name (- (item-count before) count) (item-price before)
                 (item-tags before) now))))

;; The file.

(define (item->json item)
  (hash-table "name" (item-name item) "count" (item-count item)
              "price" (number->string (item-price item))
              "tags" (item-tags item) "changed" (item-changed item)))

(define (json->item json)
  (make-item (hash-ref json "name") (hash-ref json "count")
             (string->number (hash-ref json "price"))
             (hash-ref json "tags") (hash-ref json "changed")))

(define (read-stock path)
  (if (file? path)
      (map json->item (string->json (read-text path)))
      '()))

(define (write-stock path stock)
  (call-with-atomic-output-file path
    (lambda (port)
      (write-string (json->string (map item->json stock)) port)
      (newline port))))

;; The report.

(define (sorted stock key)
  (case key
    ((name) (sort stock (lambda (a b) (string<? (item-name a) (item-name b)))))
    ((count) (sort stock (lambda (a b) (> (item-count a) (item-count b)))))
    (else (sort stock (lambda (a b) (> (item-worth a) (item-worth b)))))))

(define (report stock)
  (format #t "~16a~8@a~10@a~12@a  ~a~%" "item" "count" "price" "worth" "changed")
  (for-each
   (lambda (item)
     (format #t "~16a~8d~10,2f~12,2f  ~a~%" (item-name item) (item-count item)
             (item-price item) (item-worth item)
             (date->string (iso8601->date (item-changed item)) "~e ~b ~Y")))
   stock)
  (format #t "~34a~12,2f~%" "all" (apply + (map item-worth stock))))

;; The command line.

(define (price text)
  (let ((n (string->number (string-append "#e" text))))
    (and (real? n) (>= n 0) n)))

(define (now) (date->iso8601 (current-date 0)))

(define (change options change)
  "Replace the stock in the file by what a procedure makes of it."
  (let ((path (options 'file)))
    (guard (e ((error-object? e)
               (write-string (string-append
                              "inventory: "
                              (string-join (map string (cons (error-object-message e)
                                                             (error-object-irritants e)))
                                           " ")
                              "\n")
                             (current-error-port))
               (exit 1)))
      (write-stock path (change (read-stock path))))))

(define-command-line inventory "Keep a stock of goods in a file."
  (:version "1.0")
  (:option file "-f" :default "stock.json" :help "the file that holds the stock")
  (:command add "Add goods."
    (:argument name :help "what they are called")
    (:argument count :type 'integer :check positive? :help "how many, at least 1")
    (:option price "-p" :type price :help "of one of them")
    (:option tag "-t" :repeated #t :help "a word to find them by")
    (:run (lambda (options)
            (change options
                    (lambda (stock)
                      (add stock (options 'name) (options 'count) (options 'price)
                           (options 'tag) (now)))))))
  (:command take "Take goods away."
    (:argument name)
    (:argument count :type 'integer :check positive? :help "how many, at least 1")
    (:run (lambda (options)
            (change options
                    (lambda (stock)
                      (take stock (options 'name) (options 'count) (now)))))))
  (:command list "Print the stock."
    (:option by "-b" :type '(name count worth) :default 'name :help "the order")
    (:option tag "-t" :help "only items with this word")
    (:run (lambda (options)
            (report (sorted (filter (lambda (item)
                                      (or (not (options 'tag))
                                          (member (options 'tag) (item-tags item))))
                                    (read-stock (options 'file)))
                            (options 'by)))))))

;; The tests.

(define (run-tests)
  (define monday "2026-11-23T08:00:00Z")
  (define stock (add (add '() "nuts" 10 1/10 '("metal") monday) "bolts" 4 1/4 '() monday))
  (test-begin "inventory")
  (test-equal "worth" 2 (apply + (map item-worth stock)))
  (test-equal "more" 14 (item-count (find-item (add stock "nuts" 4 #f '() monday) "nuts")))
  (test-equal "tags stay" '("metal")
    (item-tags (find-item (add stock "nuts" 4 #f '() monday) "nuts")))
  (test-equal "less" 1 (item-count (find-item (take stock "bolts" 3 monday) "bolts")))
  (test-error "too many" (take stock "bolts" 5 monday))
  (test-equal "order" '("nuts" "bolts") (map item-name (sorted stock 'count)))
  (test-assert "the file"
    (call-with-temporary-folder
     (lambda (folder)
       (let ((path (path-join folder "stock.json")))
         (write-stock path stock)
         (equal? (map item-worth stock) (map item-worth (read-stock path)))))))
  (test-equal "a command line" '(("add") "nuts" 3 1/8 ("a" "b"))
    (map (parse-command-line inventory '("add" "nuts" "3" "-p0.125" "-ta" "--tag=b"))
         '(command name count price tag)))
  (test-error "none" (parse-command-line inventory '("add" "nuts" "none")))
  (test-end "inventory")
  (report (sorted stock 'name)))

(if (null? (cdr (command-line)))
    (run-tests)
    (run-command-line inventory))
