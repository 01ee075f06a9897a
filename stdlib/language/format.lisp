;; format.lisp - text with directives.
;;
;;     (format "~a has ~d, ~,2f each~%" "Ada" 3 1/3)
;;     =>  "Ada has 3, 0.33 each\n"
;;
;; A directive is ~, a width, a comma with decimals or a 'c to pad with, and a
;; letter.  Text is padded on the right, or on the left with @ before the
;; letter; numbers are padded on the left.

(define (format destination . arguments)
  "Text with the arguments in place of its directives.

  ~a is what display prints, ~s what write prints, ~d a number, ~x ~o ~b an
  exact number in base 16, 8, 2, ~f a number or a tensor of one element, with
  decimals (~,2f), ~c a character, ~% a new line, ~& one unless a line begins
  there, ~~ itself.  ~10a pads to a width.  With #t or a port before the text
  it is displayed there, with #f it is returned."
  (cond ((string? destination) (%formatted destination arguments))
        ((not (or (boolean? destination) (port? destination)))
         (wrong-type "format" "a string, a boolean or a port" destination))
        ((null? arguments)
         (error "format: expected at least 2 arguments, got 1"))
        ((not (string? (car arguments)))
         (wrong-type "format" "a string" (car arguments)))
        (else
         (let ((text (%formatted (car arguments) (cdr arguments))))
           (cond ((not destination) text)
                 ((port? destination) (display text destination))
                 (else (display text)))))))

(define (%formatted text arguments)
  "The text with its directives replaced."
  (let loop ((k 0) (left arguments) (parts '()))
    (let ((at (string-contains text "~" k)))
      (if at
          (let* ((before (cons (substring text k at) parts))
                 (directive (%read-directive text (+ at 1)))
                 (letter (car directive))
                 (next (cadr directive))
                 (plain (%plain-directive letter before)))
            (cond (plain (loop next left (cons plain before)))
                  ((not (memv letter %format-letters))
                   (error (string "format: unknown directive ~" letter)))
                  ((null? left)
                   (error (string "format: no argument is left for ~" letter)))
                  (else
                   (loop next
                         (cdr left)
                         (cons (%format-one letter (cddr directive) (car left))
                               before)))))
          (begin
            (unless (null? left)
              (%report-surplus arguments left))
            (string-join (reverse (cons (substring text k) parts)) ""))))))

(define (%report-surplus arguments left)
  "Raise the error for arguments without directives in the text."
  (let ((n (length arguments)))
    (error (string "format: the text uses " (- n (length left)) " of " n
                   (if (= n 1) " argument" " arguments")))))

(define %format-letters '(#\a #\s #\w #\d #\x #\o #\b #\f #\c))

(define (%read-directive text start)
  "(letter next width decimals fill left?) of the directive after a ~."
  (let* ((n (string-length text))
         (peek (lambda (k)
                 (if (< k n)
                     (string-ref text k)
                     (error (string "format: unfinished directive ~"
                                    (substring text start))))))
         (width (%read-count text start))
         (k (cdr width))
         (comma? (char=? (peek k) #\,))
         (quote? (and comma? (char=? (peek (+ k 1)) #\')))
         (decimals (if (and comma? (not quote?))
                       (%read-count text (+ k 1))
                       (cons #f (if quote? (+ k 3) k))))
         (at? (char=? (peek (cdr decimals)) #\@))
         (end (if at? (+ (cdr decimals) 1) (cdr decimals))))
    (list (char-downcase (peek end)) (+ end 1)
          (car width) (car decimals) (if quote? (peek (+ k 2)) #\space) at?)))

(define (%read-count text start)
  "(number . next) for the digits at an index; number is #f if there are none."
  (let loop ((k start) (number #f))
    (let ((digit (and (< k (string-length text))
                      (char<=? #\0 (string-ref text k) #\9)
                      (digit-value (string-ref text k)))))
      (cond ((not digit) (cons number k))
            ((and number (> number 99))
             (error "format: a width or number of decimals is above 999"))
            (else (loop (+ k 1) (+ (* 10 (or number 0)) digit)))))))

(define (%plain-directive letter before)
  "The text of a directive that takes no argument; #f for the others."
  (case letter
    ((#\%) "\n")
    ((#\~) "~")
    ((#\&) (if (%at-line-start? before) "" "\n"))
    (else #f)))

(define (%at-line-start? parts)
  "Whether a line begins after the pieces, the last of which comes first."
  (cond ((null? parts) #t)
        ((string-null? (car parts)) (%at-line-start? (cdr parts)))
        (else (string-suffix? "\n" (car parts)))))

(define (%format-one letter options x)
  "The text of an argument, padded; options are (width decimals fill left?)."
  (let* ((text (%format-argument letter x (cadr options)))
         (lacks (- (or (car options) 0) (string-length text)))
         (fill (caddr options))
         (left? (or (cadddr options) (memv letter '(#\d #\x #\o #\b #\f)))))
    (cond ((<= lacks 0) text)
          (left? (string-append (make-string lacks fill) text))
          (else (string-append text (make-string lacks fill))))))

(define (%format-argument letter x decimals)
  "The text of an argument."
  (case letter
    ((#\a) (string x))
    ((#\s #\w) (%written x))
    ((#\c)
     (unless (char? x)
       (wrong-type "format" "a character" x))
     (string x))
    ((#\f) (%fixed x decimals))
    ((#\x) (%format-number x 16))
    ((#\o) (%format-number x 8))
    ((#\b) (%format-number x 2))
    (else (%format-number x 10))))

(define (%format-number x radix)
  "The text of a number in a radix, 10 unless it is exact."
  (cond ((not (number? x)) (wrong-type "format" "a number" x))
        ((and (not (= radix 10)) (inexact? x))
         (wrong-type "format" "an exact number" x))
        (else (number->string x radix))))
