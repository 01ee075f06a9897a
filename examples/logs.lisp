;; logs.lisp - what a web server's logs say: a report in columns.
;;
;;     lambent examples/logs.lisp                     the log beside this program
;;     lambent examples/logs.lisp access.log old.log.gz ...
;;     lambent examples/logs.lisp --since 2026-11-27 access.log
;;
;; The lines are in the combined format of Apache and nginx, with the seconds
;; that a request took at the end if the server writes them.  Files whose names
;; end with .gz are compressed.  Only counts are kept, so logs may be long.

;; Lines.

(define line-pattern
  (pregexp
   (string "(?<host>\\S+) \\S+ \\S+ "
           "\\[(?<day>\\d\\d)/(?<month>[A-Z][a-z]{2})/(?<year>\\d{4})"
           ":(?<hour>\\d\\d):(?<minute>[0-5]\\d):(?<second>[0-5]\\d) [-+]\\d{4}\\] "
           "\"(?<method>[A-Z]+) (?<path>[^ \"?]*)[^\"]*\" (?<status>\\d{3}) (?<size>\\d+|-)"
           "(?: \"[^\"]*\" \"(?<agent>[^\"]*)\"(?: (?<seconds>[\\d.]+))?)?")))

(define months
  '("Jan" "Feb" "Mar" "Apr" "May" "Jun" "Jul" "Aug" "Sep" "Oct" "Nov" "Dec"))

(define-record-type request
  (make-request host date hour path status size seconds)
  request?
  (host request-host)
  (date request-date)          ; "2026-11-27"
  (hour request-hour)
  (path request-path)
  (status request-status)
  (size request-size)          ; bytes that were sent
  (seconds request-seconds))   ; or #f

(define (line->request line)
  "The request of a line, or #f if it is not one."
  (define found (regexp-matches line-pattern line))
  (define (part name) (regexp-match-submatch found name))
  (define (number name) (string->number (or (part name) "")))
  (and found
       (member (part 'month) months)
       (make-request (part 'host)
                     (format "~a-~2,'0d-~a" (part 'year)
                             (+ 1 (list-index (lambda (m) (equal? m (part 'month))) months))
                             (part 'day))
                     (number 'hour) (part 'path) (number 'status)
                     (or (number 'size) 0) (number 'seconds))))

;; Counts: tables from a key to a vector of requests, failures, bytes, seconds,
;; and the most seconds.

(define (add! table key request)
  (let ((count (or (hash-ref table key #f) (vector 0 0 0 0.0 0.0)))
        (seconds (or (request-seconds request) 0.0)))
    (define (more! k n) (vector-set! count k (+ (vector-ref count k) n)))
    (more! 0 1)
    (more! 1 (if (>= (request-status request) 400) 1 0))
    (more! 2 (request-size request))
    (more! 3 seconds)
    (vector-set! count 4 (max seconds (vector-ref count 4)))
    (hash-set! table key count)))

(define by-day (make-hash-table))
(define by-hour (make-hash-table))
(define by-path (make-hash-table))
(define by-status (make-hash-table))
(define by-host (make-hash-table))
(define total (make-hash-table))
(define unread '())   ; (file line number . text), the last one first

(define (note! request)
  (add! total 'all request)
  (add! by-day (request-date request) request)
  (add! by-hour (request-hour request) request)
  (add! by-path (request-path request) request)
  (add! by-status (request-status request) request)
  (add! by-host (request-host request) request))

(define (read-log path since)
  "Count the requests of a file from a date on."
  (define (read-from port)
    (let loop ((number 1))
      (let ((line (read-line port)))
        (unless (eof-object? line)
          (let ((request (line->request line)))
            (cond ((not request) (set! unread (cons (cons* (path-name path) number line) unread)))
                  ((string>=? (request-date request) since) (note! request))))
          (loop (+ number 1))))))
  (if (equal? (path-extension path) ".gz")
      (call-with-gzip-input-file path read-from :invalid 'replace)
      (call-with-input-file path read-from :invalid 'replace)))

;; The report.

(define (size-text bytes)
  (cond ((>= bytes (expt 10 6)) (format "~,1f MB" (/ bytes (expt 10 6))))
        ((>= bytes 1000) (format "~,1f kB" (/ bytes 1000)))
        (else (format "~d B" bytes))))

(define (row key count)
  (match count
    (#(requests failures bytes seconds slowest)
     (list key (format "~:d" requests)
           (if (= failures 0) "" (format "~:d" failures))
           (size-text bytes)
           (format "~,3f" (/ seconds requests)) (format "~,3f" slowest)))))

(define (most-first table)
  "The entries of a table, those with the most requests first."
  (sort (hash-table->alist table)
        (lambda (a b)
          (let ((m (vector-ref (cdr a) 0)) (n (vector-ref (cdr b) 0)))
            (or (> m n) (and (= m n) (string<? (string (car a)) (string (car b)))))))))

(define (show title entries)
  (format #t "~%~a~%~%" title)
  (print-table (map (lambda (entry) (row (car entry) (cdr entry))) entries)
               :header (list "" "requests" "failed" "sent" "mean s" "max s")
               :align '(left right right right right right)))

(define (in-order table before?)
  (sort (hash-table->alist table) (lambda (a b) (before? (car a) (car b)))))

(define (at-most n items)
  (if (> (length items) n) (take items n) items))

(define (show-hours)
  (define most (apply max 1 (map (lambda (count) (vector-ref count 0)) (hash-values by-hour))))
  (format #t "~%Hours of the day~%~%")
  (dotimes (hour 24)
    (let ((count (vector-ref (or (hash-ref by-hour hour #f) (vector 0)) 0)))
      (format #t "~2,'0d ~4d ~a~%" hour count
              (make-string (quotient (* 50 count) most) #\#)))))

(define (report files)
  (define all (hash-ref total 'all #f))
  (if (not all)
      (print "no requests")
      (begin
        (format #t "~:d request~:p in ~{~a~^, ~}: ~a to ~:d client~:p, ~,1f% failed~%"
                (vector-ref all 0) (map path-name files) (size-text (vector-ref all 2))
                (hash-size by-host)
                (* 100 (/ (vector-ref all 1) (vector-ref all 0))))
        (show "Days" (in-order by-day string<?))
        (show "Status" (in-order by-status <))
        (show "Pages" (at-most 8 (most-first by-path)))
        (show "Clients" (at-most 5 (most-first by-host)))
        (show-hours)))
  (unless (null? unread)
    (format #t "~%~d line~:p could not be read:~%" (length unread))
    (for-each (lambda (entry)
                (format #t "  ~a:~d: ~a~%" (car entry) (cadr entry) (cddr entry)))
              (at-most 5 (reverse unread)))))

(define (main arguments)
  (match arguments
    (("--since" date files ...)
     (for-each (lambda (file) (read-log file date)) files)
     (report files))
    (() (main (list (find file-exists?
                          (list (path-join (program-folder) "data/access.log.gz")
                                "examples/data/access.log.gz" "data/access.log.gz")))))
    (files
     (for-each (lambda (file) (read-log file "")) files)
     (report files))))

(main (cdr (command-line)))
