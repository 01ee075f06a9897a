;; stop-strings.lisp - the end of a text at a stop string, which may come in
;; pieces.
;;
;; A reader of the stream must never see a part of a stop string.  So what may
;; be the beginning of one is held back until the next piece decides:
;;
;;     stops ("END")   pieces "the E" "N" "T, END x"
;;     shown           "the "   ""   "ENT, "          then it stops
;;
;; The stop string that is complete first counts, whatever the pieces are.

(define-record-type %stop-matcher
  (%make-stop-matcher stops held)
  %stop-matcher?
  (stops %stop-matcher-stops)
  (held %stop-matcher-held %set-stop-matcher-held!))   ; not shown yet

(define (%stop-strings who stops)
  "A string or a list of strings as a list of strings that are not empty."
  (let ((stops (if (string? stops) (list stops) stops)))
    (unless (and (list? stops)
                 (every (lambda (s) (and (string? s) (not (string-null? s))))
                        stops))
      (wrong-type who "a string or a list of strings, none empty, for :stop"
                  stops))
    stops))

(define (%new-stop-matcher stops)
  "A matcher of a list of stop strings, before the first piece."
  (%make-stop-matcher stops ""))

(define (%stop-text! matcher piece)
  "The text that a piece makes certain, and whether a stop string ended it: two
  values."
  (let* ((stops (%stop-matcher-stops matcher))
         (text (string-append (%stop-matcher-held matcher) piece))
         (start (and (pair? stops) (%first-stop stops text))))
    (if start
        (begin (%set-stop-matcher-held! matcher "")
               (values (substring text 0 start) #t))
        (let ((shown (- (string-length text) (%held-length stops text))))
          (%set-stop-matcher-held! matcher
                                   (substring text shown (string-length text)))
          (values (substring text 0 shown) #f)))))

(define (%stop-rest! matcher)
  "The text that was held back; no more will come."
  (let ((held (%stop-matcher-held matcher)))
    (%set-stop-matcher-held! matcher "")
    held))

(define (%first-stop stops text)
  "Where the stop string begins that is complete first; the longest of those
  that end together.  #f if there is none."
  (let loop ((left stops) (start #f) (end #f))
    (if (null? left)
        start
        (let* ((at (string-contains text (car left)))
               (after (and at (+ at (string-length (car left))))))
          (if (and at (or (not start) (< after end)
                          (and (= after end) (< at start))))
              (loop (cdr left) at after)
              (loop (cdr left) start end))))))

(define (%held-length stops text)
  "The length of the longest end of the text that begins a stop string."
  (fold (lambda (stop longest) (max longest (%overlap stop text))) 0 stops))

(define (%overlap stop text)
  "The length of the longest end of the text that begins the stop string."
  (let ((n (string-length text)))
    (let loop ((size (min n (- (string-length stop) 1))))
      (cond ((= size 0) 0)
            ((string=? (substring text (- n size) n) (substring stop 0 size))
             size)
            (else (loop (- size 1)))))))
