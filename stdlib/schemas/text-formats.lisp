;; text-formats.lisp - the formats of strings in JSON schemas, as patterns.
;;
;; Dates are those of the calendar after the year 0; e-mail addresses and names
;; of hosts are the usual ones rather than all that the standards allow.

(define %format-year "([1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])")
(define %format-leap-year
  "((\\d\\d(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26])00))")
(define (%format-date)
  (string "(" %format-year "-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|"
          "(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))|"
          %format-leap-year "-02-29)"))
(define (%format-time)
  (string "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?"
          "(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)"))
(define %format-label "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
(define (%format-host) (string %format-label "(\\." %format-label "){0,8}"))
(define %format-byte "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)")
(define (%format-ipv4) (string "(" %format-byte "\\.){3}" %format-byte))
(define (%format-ipv6)
  (let ((h "[0-9A-Fa-f]{1,4}"))
    (string "((" h ":){7}" h
            (string-concatenate
             (map (lambda (k)                   ; k groups before ::
                    (string "|"
                            (if (= k 0)
                                ":"
                                (string h "(:" h "){" (- k 1) "}:"))
                            (if (= k 7) ":" (string "(:|(:" h "){1,"
                                                    (- 7 k) "})"))))
                  (iota 8)))
            ")")))
(define %format-uri
  "[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#@!$&'()*+,;=\\[\\]-]|%[0-9A-Fa-f]{2})+")

(define (%format-patterns)
  "An alist of formats and patterns of whole texts."
  (list (cons "date" (%format-date))
        (cons "time" (%format-time))
        (cons "date-time" (string (%format-date) "T" (%format-time)))
        (cons "duration"
              (string "P(\\d+W|\\d+Y(\\d+M)?(\\d+D)?|\\d+M(\\d+D)?|\\d+D|"
                      "(\\d+Y)?(\\d+M)?(\\d+D)?T(\\d+H(\\d+M)?(\\d+S)?|"
                      "\\d+M(\\d+S)?|\\d+S))"))
        (cons "email"
              (string "[A-Za-z0-9_+-]+(\\.[A-Za-z0-9_+-]+)*@" %format-label
                      "(\\." %format-label "){0,6}\\.[A-Za-z]{2,24}"))
        (cons "hostname" (%format-host))
        (cons "ipv4" (%format-ipv4))
        (cons "ipv6" (%format-ipv6))
        (cons "uuid" (string "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-"
                             "[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"))
        (cons "uri" %format-uri)))

;; Formats that say how a program keeps a value, and restrict no text.
(define %format-notes
  '("password" "binary" "byte" "path" "file-path" "directory-path" "int32"
    "int64" "float" "double"))

(define (%format-pattern format path)
  "The pattern of a format; #f for one that restricts nothing."
  (cond ((assoc format (%format-patterns))
         => (lambda (entry) (string "^" (cdr entry) "$")))
        ((member format %format-notes) #f)
        (else
         (%schema-error path
                        (string "format is not supported; there are "
                                (string-join (map car (%format-patterns)) ", "))
                        format))))
