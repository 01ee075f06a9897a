;; template-pieces.lisp - a chat template as pieces: texts, values and tags.
;;
;;     "Hi {{ name }}!"  =>  text "Hi ", value (name), text "!"
;;
;; Templates are Jinja's, with the settings of the transformers library: a tag
;; takes the line break behind it (trim_blocks) and the spaces before it
;; (lstrip_blocks).  A token is a list of its kind, its value and its line.

(define %longest-template 1000000)      ; characters

(define (%template-error line message)
  "Raise the error for a line of a template."
  (error (string "apply-chat-template: line " line " of the template: "
                 message)))

(define (%template-pieces text)
  "The pieces of a template, in order."
  (when (> (string-length text) %longest-template)
    (error (string "apply-chat-template: the template has more than "
                   %longest-template " characters")))
  (let* ((text (string-replace (string-replace text "\r\n" "\n") "\r" "\n"))
         (text (if (string-suffix? "\n" text)      ; as Jinja drops it
                   (substring text 0 (- (string-length text) 1))
                   text)))
    (%pieces-from text (string->vector text))))

(define-record-type %piece
  (%make-piece kind content line)
  %piece?
  (kind %piece-kind)              ; text, value or tag
  (content %piece-content)        ; a string, or tokens
  (line %piece-line))

(define-record-type %template-reader
  (%make-template-reader text chars place line line-begins)
  %template-reader?
  (text %template-reader-text)
  (chars %template-reader-chars)  ; of the text, a vector
  (place %template-reader-place %set-template-reader-place!)
  (line %template-reader-line %set-template-reader-line!)
  (line-begins %template-reader-line-begins
               %set-template-reader-line-begins!))    ; whether one does here

(define (%pieces-from text chars)
  "The pieces of a text."
  (let ((in (%make-template-reader text chars 0 1 #t)))
    (let loop ((pieces '()))
      (let* ((start (%template-reader-place in))
             (open (%next-opening text chars start)))
        (if (not open)
            (reverse (%add-text pieces in start (vector-length chars)))
            (let ((pieces (%add-text pieces in start (%text-end in start open))))
              (loop (%add-piece pieces in open))))))))

(define (%char-at chars k)
  "The character at an index, or a null character."
  (if (< -1 k (vector-length chars))
      (vector-ref chars k)
      #\null))

(define (%next-opening text chars start)
  "The index of the next {{, {% or {#, or #f."
  (let loop ((k (string-contains text "{" start)))
    (cond ((not k) #f)
          ((memv (%char-at chars (+ k 1)) '(#\{ #\% #\#)) k)
          (else (loop (string-contains text "{" (+ k 1)))))))

(define (%text-end in start open)
  "Where the text before an opening ends: earlier if white space is stripped."
  (let* ((chars (%template-reader-chars in))
         (sign (%char-at chars (+ open 2)))
         (white (let loop ((k open))
                  (if (and (> k start)
                           (char-whitespace? (vector-ref chars (- k 1))))
                      (loop (- k 1))
                      k))))
    (cond ((eqv? sign #\-) white)
          ((or (eqv? sign #\+) (eqv? (%char-at chars (+ open 1)) #\{)) open)
          (else
           (let loop ((k open))
             (cond ((and (> k start) (eqv? (vector-ref chars (- k 1)) #\newline))
                    k)
                   ((> k white) (loop (- k 1)))
                   ((and (= k start) (%template-reader-line-begins in)) k)
                   (else open)))))))

(define (%add-text pieces in start end)
  "The pieces with the text between two indices, if it is not empty."
  (if (< start end)
      (cons (%make-piece 'text (substring (%template-reader-text in) start end)
                    (%template-reader-line in))
            pieces)
      pieces))

(define (%go-to! in k)
  "Move a reader forward, and count the lines."
  (let ((chars (%template-reader-chars in)))
    (do ((i (%template-reader-place in) (+ i 1))) ((>= i k))
      (when (eqv? (vector-ref chars i) #\newline)
        (%set-template-reader-line! in (+ (%template-reader-line in) 1))))
    (%set-template-reader-line-begins! in (and (> k 0) (eqv? (vector-ref chars (- k 1)) #\newline)))
    (%set-template-reader-place! in k)))

(define (%add-piece pieces in open)
  "The pieces with the one that opens at an index."
  (%go-to! in open)
  (let* ((chars (%template-reader-chars in))
         (kind (%char-at chars (+ open 1)))
         (line (%template-reader-line in))
         (signed (if (memv (%char-at chars (+ open 2)) '(#\- #\+)) 3 2)))
    (case kind
      ((#\#) (%skip-comment! in open line) pieces)
      (else
       (%go-to! in (+ open signed))
       (let* ((tokens (%tokens-until in (if (eqv? kind #\{) #\} #\%) line))
              (raw (and (eqv? kind #\%) (%raw-tag? tokens))))
         (cond (raw (%add-raw pieces in line))
               (else (cons (%make-piece (if (eqv? kind #\{) 'value 'tag)
                                        tokens line)
                           pieces))))))))

(define (%skip-comment! in open line)
  "Move behind a comment."
  (let* ((text (%template-reader-text in))
         (end (string-contains text "#}" (+ open 2))))
    (unless end
      (%template-error line "the comment {# is never closed"))
    (%close! in end #t)))

(define (%close! in end tag)
  "Move behind the closing mark at an index, and what it strips: all white space
  behind a minus, the line break behind a tag."
  (let* ((chars (%template-reader-chars in))
         (sign (%char-at chars (- end 1)))
         (after (+ end 2)))
    (%go-to! in
             (cond ((eqv? sign #\-)
                    (let loop ((k after))
                      (if (char-whitespace? (%char-at chars k))
                          (loop (+ k 1))
                          k)))
                   ((and tag (not (eqv? sign #\+))
                         (eqv? (%char-at chars after) #\newline))
                    (+ after 1))
                   (else after)))))

(define (%raw-tag? tokens)
  "Whether the tokens of a tag begin a raw text; it keeps the line break behind."
  (and (pair? tokens) (null? (cdr tokens)) (equal? (cadar tokens) "raw")))

(define (%add-raw pieces in line)
  "The pieces with the text up to endraw, as it stands; endraw takes the spaces
  before it as other tags do."
  (let ((text (%template-reader-text in)) (start (%template-reader-place in)))
    (let loop ((k (string-contains text "{%" start)))
      (unless k
        (%template-error line "raw is never closed"))
      (let* ((chars (%template-reader-chars in))
             (word (if (memv (%char-at chars (+ k 2)) '(#\- #\+))
                       (+ k 3)
                       (+ k 2)))
             (raw-end (%text-end in start k))
             (name (string-trim
                    (substring text word
                               (or (string-contains text "%}" word)
                                   (string-length text)))
                    (lambda (c) (or (char-whitespace? c) (memv c '(#\- #\+)))))))
        (%go-to! in (+ k 2))
        (if (string=? name "endraw")
            (begin
              (%close! in (string-contains text "%}" word) #t)
              (cons (%make-piece 'text (substring text start raw-end) line)
                    pieces))
            (loop (string-contains text "{%" (+ k 2))))))))

;; Tokens.

(define %brackets '((#\( . #\)) (#\[ . #\]) (#\{ . #\})))

(define (%tokens-until in close line)
  "The tokens up to the mark that closes a value or a tag, behind which the
  reader moves."
  (let loop ((tokens '()) (open '()))
    (%skip-white! in)
    (let* ((chars (%template-reader-chars in))
           (k (%template-reader-place in))
           (c (%char-at chars k))
           (mark (if (memv c '(#\- #\+)) (+ k 1) k)))
      (cond ((>= k (vector-length chars))
             (%template-error line (string "the " (if (eqv? close #\}) "{{" "{%")
                                           " is never closed")))
            ((and (null? open)
                  (eqv? (%char-at chars mark) close)
                  (eqv? (%char-at chars (+ mark 1)) #\}))
             (%close! in mark (and (eqv? close #\%) (not (%raw-tag? tokens))))
             (reverse tokens))
            (else
             (let ((token (%next-token in)))
               (loop (cons token tokens)
                     (%open-brackets open token))))))))

(define (%open-brackets open token)
  "The brackets that are open after a token."
  (let ((value (cadr token)))
    (cond ((not (eq? (car token) 'mark)) open)
          ((member value '("(" "[" "{")) (cons value open))
          ((and (member value '(")" "]" "}")) (pair? open)) (cdr open))
          (else open))))

(define (%skip-white! in)
  "Move over white space."
  (let loop ((k (%template-reader-place in)))
    (if (char-whitespace? (%char-at (%template-reader-chars in) k))
        (loop (+ k 1))
        (%go-to! in k))))

(define (%name-char? c)
  "Whether a name may hold the character."
  (or (char-alphabetic? c) (char-numeric? c) (eqv? c #\_)))

(define (%next-token in)
  "The token at the reader's position."
  (let* ((chars (%template-reader-chars in)) (k (%template-reader-place in)) (c (%char-at chars k)))
    (cond ((memv c '(#\" #\')) (%string-token in c))
          ((char-numeric? c) (%number-token in))
          ((%name-char? c)
           (%run-token in 'name (%run-end chars k %name-char?)))
          (else
           (let ((two (string c (%char-at chars (+ k 1)))))
             (cond ((member two '("==" "!=" "<=" ">=" "//" "**"))
                    (%run-token in 'mark (+ k 2)))
                   ((memv c (string->list "+-*/%~<>=()[]{}.,:|"))
                    (%run-token in 'mark (+ k 1)))
                   (else
                    (%template-error (%template-reader-line in)
                                     (format "unexpected character ~s"
                                             (string c))))))))))

(define (%run-end chars k ok?)
  "The index behind the characters from k on that are ok."
  (if (and (< k (vector-length chars)) (ok? (vector-ref chars k)))
      (%run-end chars (+ k 1) ok?)
      k))

(define (%run-token in kind end)
  "The token from the reader's position to an index."
  (let ((token (list kind (substring (%template-reader-text in) (%template-reader-place in) end)
                     (%template-reader-line in))))
    (%go-to! in end)
    token))

(define (%number-token in)
  "The number at the reader's position."
  (let* ((chars (%template-reader-chars in))
         (digit? (lambda (c) (or (char-numeric? c) (eqv? c #\_))))
         (start (%template-reader-place in))
         (end (%run-end chars start digit?))
         (field (eqv? (%char-at chars (- start 1)) #\.))       ; x.0.1
         (end (if (and (not field) (eqv? (%char-at chars end) #\.)
                       (char-numeric? (%char-at chars (+ end 1))))
                  (%run-end chars (+ end 1) digit?)
                  end))
         (end (if field end (%exponent-end chars end digit?)))
         (token (%run-token in 'number end))
         (value (string->number (string-replace (cadr token) "_" ""))))
    (unless value
      (%template-error (caddr token)
                       (string "not a number: " (cadr token))))
    (list 'number value (caddr token))))

(define (%exponent-end chars end digit?)
  "Where a number ends whose digits end at an index: behind its exponent."
  (let ((k (if (memv (%char-at chars (+ end 1)) '(#\+ #\-)) 2 1)))
    (if (and (memv (%char-at chars end) '(#\e #\E))
             (char-numeric? (%char-at chars (+ end k))))
        (%run-end chars (+ end k) digit?)
        end)))

(define (%string-token in mark)
  "The string at the reader's position."
  (let ((chars (%template-reader-chars in)) (line (%template-reader-line in)))
    (let loop ((k (+ (%template-reader-place in) 1)) (made '()))
      (let ((c (%char-at chars k)))
        (cond ((>= k (vector-length chars))
               (%template-error line "a string is never closed"))
              ((eqv? c mark)
               (%go-to! in (+ k 1))
               (list 'string (list->string (reverse made)) line))
              ((eqv? c #\\)
               (%string-escape chars (+ k 1) line
                               (lambda (next end)
                                 (loop end (append next made)))))
              (else (loop (+ k 1) (cons c made))))))))

(define (%string-escape chars k line continue)
  "Continue with the characters that an escape stands for, and where it ends."
  (let* ((c (%char-at chars k))
         (known (assv c '((#\n . #\newline) (#\t . #\tab) (#\r . #\return)
                          (#\\ . #\\) (#\' . #\') (#\" . #\") (#\a . #\alarm)
                          (#\b . #\backspace)
                          (#\f . #\x0C) (#\v . #\x0B))))
         (digits (assv c '((#\x . 2) (#\u . 4) (#\U . 8)))))
    (cond (known (continue (list (cdr known)) (+ k 1)))
          ((eqv? c #\newline) (continue '() (+ k 1)))
          ((char<=? #\0 c #\7)
           (let* ((octal? (lambda (c) (char<=? #\0 c #\7)))
                  (end (min (+ k 3) (%run-end chars k octal?))))
             (continue (list (integer->char
                              (string->number
                               (list->string (vector->list chars k end)) 8)))
                       end)))
          (digits
           (let* ((end (+ k 1 (cdr digits)))
                  (code (and (<= end (vector-length chars))
                             (string->number
                              (list->string
                               (vector->list chars (+ k 1) end))
                              16))))
             (unless (and (exact-integer? code)
                          (or (< -1 code #xD800) (< #xDFFF code #x110000)))
               (%template-error line "a string has a wrong escape"))
             (continue (list (integer->char code)) end)))
          (else (continue (list c #\\) (+ k 1))))))
