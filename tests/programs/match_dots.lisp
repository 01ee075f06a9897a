; What SRFI 204 has besides: ,@ repeats its pattern, anywhere in a list; a word
; may follow a dot, which the reader drops; or and not take any number of patterns.
(define (quasi x)
  (match x
    (`(twos ,@2) 'twos)
    (`(,@(key value) last) (list key value))
    (`(first ,@middle last) middle)
    (`#(v ,@(? number? n)) n)
    (`(rest ,@(a . b)) (list a b))
    (_ 'none)))
(print (map quasi '((twos) (twos 2 2) (twos 2 3) ((a 1) (b 2) last) (last) (first 1 2 last) (first last) #(v 1 2) #(v a) (rest (1 . 2) (3)) (first 1 . last))))
; => (twos twos none ((a b) (1 2)) (() ()) (1 2) () (1 2) none ((1 3) (2 ())) none)

(define (dotted x)
  (match x
    ((a . 'end) (list 'end a))
    ((a . (? string? b)) (list 'string a b))
    ((a b . (and c (or 1 2))) (list 'number a b c))
    ((a . `(q ,b)) (list 'quasi a b))
    (_ 'none)))
(print (map dotted '((1 . end) (1 . "two") (1 2 . 1) (1 2 . 3) (1 q 2) (1 quote end))))
; => ((end 1) (string 1 two) (number 1 2 1) none (quasi 1 2) none)
(print (match (cons 1 2) ((a . (get! b)) (list a (b))))) ; => (1 2)
(define pair (cons 1 2))
(match pair ((_ . (set! put!)) (put! 3)))
(print pair) ; => (1 . 3)

; A word that the program has given another meaning is a variable.
(print (let ((get! 5)) (match '(1 2 3) ((a get! b) (list a get! b))))) ; => (1 2 3)

(print (match 1 ((or) 'matched) (_ 'none)) (match 1 ((not) 'matched) (_ 'none))) ; => none matched
(print (map (lambda (x) (match x ((not 2 3) 'other) (_ 'two-or-three))) '(1 2 3 4))) ; => (other two-or-three two-or-three other)
