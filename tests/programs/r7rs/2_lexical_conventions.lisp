; R7RS 2, 7.1: what sources may hold.
#!fold-case
(DEFINE Fold-Me 'MiXeD)
(print fold-me 'ABC '|ABC| :KEY)              ; => mixed abc ABC :key
(write (list #\SPACE #\A "ABC" #T #FALSE))    ; => (#\space #\A "ABC" #t #f)
(newline)
#!no-fold-case
(print 'ABC)                                  ; => ABC

; Identifiers.
(write '(... + - ->x 1+ +.x .. a.b <=? !x $ % & * / : ~ ^ _ é λx |two words| || |a\x41;\t\|b| |1| |.|))
(newline) ; => (... + - ->x 1+ +.x .. a.b <=? !x $ % & * / |:| ~ ^ _ é λx |two words| || |aA\t\|b| |1| |.|)
(define |a variable| 1)
(define lambda-2+ 2)
(print |a variable| lambda-2+ (eq? 'abc '|abc|) (eq? 'x '|\x78;|)) ; => 1 2 #t #t

; Comments.
(print 1 #| one #| nested |# "still in |# 2) ; => 1 2
(print '(a #;b c #;(d e)) '(#;a) '#;a b '(a . #;b c #;d)) ; => (a c) () b (a . c)
(print #;#;1 2 3)                             ; => 3
(print '(#; #| a |# b c))                     ; => (c)

; Characters and strings.
(write '(#\a #\A #\( #\; #\space #\newline #\tab #\nul #\null #\return #\alarm #\backspace #\delete
         #\escape #\x #\x41 #\x3bb #\λ))
(newline) ; => (#\a #\A #\( #\; #\space #\newline #\tab #\null #\null #\return #\alarm #\backspace #\delete #\escape #\x #\A #\λ #\λ)
(write "\a\b\t\n\r\"\\\|\x41;\x3bb;")          ; => "\a\b\t\n\r\"\\|Aλ"
(newline)
(write "one \
        line, \   
        and   the   same")                    ; => "one line, and   the   same"
(newline)
(print (string-length "two
lines"))                                      ; => 9

; Booleans, vectors, bytevectors, abbreviations.
(print #t #true #f #false '#t #(1 #(a)) #u8(0 255) '#u8()) ; => #t #t #f #f #t #(1 #(a)) #u8(0 255) #u8()
(write '('a `(b ,c ,@d) (quote e) (quasiquote f) (unquote g) (unquote-splicing h) (quote) (quote 1 2)))
(newline) ; => ('a `(b ,c ,@d) 'e `f ,g ,@h (quote) (quote 1 2))
(print '(a . (b . (c d))) '(a . (b . c)) '(() . ()) '((a) . b)) ; => (a b c d) (a b . c) (()) ((a) . b)

; Datum labels.
(define shared '(#0=(a) #0# #(#0#) . #0#))
(print shared (eq? (car shared) (cadr shared)) (eq? (car shared) (vector-ref (caddr shared) 0))) ; => ((a) (a) #((a)) a) #t #t
(print (let ((one '#1="text") (same '#1#)) (eq? one same))) ; => #t
(define circle '#2=(1 2 . #2#))
(print circle (eq? circle (cddr circle)))     ; => #0=(1 2 . #0#) #t
(define knot '#3=(#4=#(#3# #4#) . #4#))
(print knot (eq? knot (vector-ref (cdr knot) 0)) (eq? (car knot) (vector-ref (car knot) 1))) ; => #0=(#1=#(#0# #1#) . #1#) #t #t
;; The case of letters matters in names only; a line end in a string is a newline, however written.
(print '(#T #F #TRUE #False) #U8(1 2) #XfF)  ; => (#t #f #t #f) #u8(1 2) 255
