;; zones.lisp - time zones: which offset from UTC holds when.
;;
;; A zone comes from the system's database, in /usr/share/zoneinfo or the folder
;; that the variable TZDIR names, or from a rule.

(define-record-type <zone>
  (%new-zone name times types rule)
  zone?
  (name zone-name)
  (times %zone-times)     ; seconds of UTC at which the type changes
  (types %zone-types-of)  ; the type before them, and from each on
  (rule %zone-rule))      ; for the time after the last one, or #f

(define %zones (make-hash-table))   ; by the names under which they were asked for

(define (zone name)
  "The time zone of a name, such as Europe/Berlin, UTC, or a rule like
  CET-1CEST,M3.5.0,M10.5.0/3.  The system's database knows the names."
  (unless (string? name) (wrong-type "zone" "the name of a time zone" name))
  (let ((key (cons (or (get-environment-variable "TZDIR") "") name)))
    (or (hash-ref %zones key #f)
        (let ((zone (%find-zone name)))
          (hash-set! %zones key zone)
          zone))))

(define (%find-zone name)
  "The zone of a name."
  (let ((path (%zone-path name)))
    (cond ((and path (file? path)) (%read-zone name path))
          ((%rule-zone name) => identity)
          ((equal? name "UTC") (%fixed-zone "UTC" 0 "UTC"))
          (else (%unknown-zone name)))))

(define (%unknown-zone name)
  "Raise the error for a name that stands for no zone."
  (let ((near (find (lambda (other)
                      (equal? (string-downcase (path-name other))
                              (string-downcase (path-name (string-replace name " " "_")))))
                    (guard (e ((file-error? e) '())) (zone-names)))))
    (%error-with-hint "zone: unknown time zone:" (list name)
                      (if near
                          (string "did you mean " near "?")
                          (string "the names are those of the files in "
                                  (%zone-folder) ", such as Europe/Berlin")))))

(define (%zone-folder)
  "Where the database is."
  (let ((folder (get-environment-variable "TZDIR")))
    (if (and folder (not (string-null? folder))) folder "/usr/share/zoneinfo")))

(define (%zone-path name)
  "The path of a zone's file; #f if the name could lead out of the database."
  (and (regexp-matches? '(: (or alnum) (* (or alnum ("_+-/"))) ) name)
       (path-join (%zone-folder) name)))

(define (%read-zone name path)
  "The zone in a file."
  (receive (times types rule) (%parse-zone-file path (%zone-bytes path))
    (%new-zone name times types rule)))

(define (%rule-zone text)
  "The zone of a rule; #f if the text is none."
  (let ((rule (%parse-zone-rule text)))
    (and rule (%new-zone text '#() (vector (vector-ref rule 0)) rule))))

(define (%fixed-zone name offset abbreviation)
  "A zone with one offset."
  (%new-zone name '#() (vector (%zone-type offset #f abbreviation)) #f))

(define (local-zone)
  "The time zone of this machine: that of the variable TZ, or of /etc/localtime."
  (let ((name (get-environment-variable "TZ")))
    (cond ((not name)
           (or (hash-ref %zones 'local #f)
               (let ((zone (if (file? "/etc/localtime")
                               (%read-zone "local" "/etc/localtime")
                               (%fixed-zone "UTC" 0 "UTC"))))
                 (hash-set! %zones 'local zone)
                 zone)))
          ((string-null? name) (zone "UTC"))
          (else (%zone-of-variable name)))))

(define (%zone-of-variable name)
  "The zone of the variable TZ: a name, a rule, or a path after a colon."
  (let ((name (if (char=? (string-ref name 0) #\:) (substring name 1) name)))
    (if (string-prefix? "/" name) (%read-zone name name) (zone name))))

(define (zone-names)
  "The names of the time zones in the system's database, in order."
  (let* ((folder (%zone-folder))
         (start (+ 1 (string-length folder))))
    (sort (filter-map (lambda (path)
                        (let ((name (substring path start)))
                          (and (regexp-matches? '(: upper (* (or alnum ("_+-/")))) name)
                               (file? path)
                               (%zone-file? path)
                               name)))
                      (walk-folder folder))
          string<?)))

(define (%zone-file? path)
  "Whether a file begins like one of a zone."
  (call-with-port (open-binary-input-file path)
    (lambda (port) (equal? (read-bytevector 4 port) #u8(84 90 105 102)))))

(define (%zone-argument who where)
  "A zone or an offset of an argument: a zone, a name, an offset in seconds, or #f
  for the zone of this machine."
  (cond ((not where) (local-zone))
        ((zone? where) where)
        ((string? where) (zone where))
        ((exact-integer? where) (%check-zone-offset who where) where)
        (else (wrong-type who "a zone, its name, or an offset in seconds" where))))

;; What holds when.

(define (%zone-type-at zone seconds)
  "The type of a zone at a second of UTC."
  (%type-where zone seconds #f 0
               (lambda (k) (vector-ref (%zone-times zone) k))))

(define (%zone-type-there zone local fold)
  "The type at local seconds.  Of those that come twice, fold 0 is the first; those
  that a zone skips count as before the change, or after it if fold is 1."
  (let ((types (%zone-types-of zone)))
    (%type-where zone local #t fold
                 (lambda (k)
                   (+ (vector-ref (%zone-times zone) k)
                      ((if (= fold 0) max min)
                       (%type-offset (vector-ref types k))
                       (%type-offset (vector-ref types (+ k 1)))))))))

(define (%type-where zone seconds local? fold time-of)
  "The type at a second, where (time-of k) is when the change k happens."
  (let* ((count (vector-length (%zone-times zone)))
         (index (let search ((low 0) (high count))   ; how many changes are past
                  (if (= low high)
                      low
                      (let ((middle (quotient (+ low high) 2)))
                        (if (<= (time-of middle) seconds)
                            (search (+ middle 1) high)
                            (search low middle)))))))
    (if (and (= index count) (%zone-rule zone))
        (%rule-type (%zone-rule zone) seconds local? fold)
        (vector-ref (%zone-types-of zone) index))))

(define (%zone-offset-at zone seconds)
  "The offset at a second of UTC."
  (%type-offset (%zone-type-at zone seconds)))

(define (zone-offset zone date)
  "The seconds by which a zone, or that of a name, is ahead of UTC at a date."
  (%check-date "zone-offset" date)
  (let ((where (%zone-argument "zone-offset" zone)))
    (if (zone? where) (%zone-offset-at where (%date-utc-seconds date)) where)))
