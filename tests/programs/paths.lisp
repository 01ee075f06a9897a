; Paths, and patterns of file names.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))

(print (path-join "a" "b" "c.txt") (path-join "a/" "b") (path-join "a" "/b" "c") (path-join "" "b") (path-join "a")) ; => a/b/c.txt a/b /b/c b a
(print (map path-folder '("a/b.txt" "b.txt" "/b" "/" "" "a/b/" "a//b"))) ; => (a . / / . a a)
(print (map path-name '("a/b.txt" "b.txt" "/" "" "a/b/" ".."))) ; => (b.txt b.txt /  b ..)
(print (map path-extension '("a/b.txt" "b.tar.gz" ".profile" "a.b/c" "..x" "x."))) ; => (.txt .gz    .)
(print (map path-stem '("a/b.txt" "b.tar.gz" ".profile" "a.b/c" "x."))) ; => (b b.tar .profile c x)
(print (path-with-extension "a/b.md" ".html") (path-with-extension "b.md" "") (path-with-extension "/b" ".c") (path-with-extension "./b.x" ".y")) ; => a/b.html b /b.c ./b.y
(print (map path-absolute? '("/a" "a" "")) (path-parts "/a//b/") (path-parts "a/./b")) ; => (#t #f #f) (/ a b) (a . b)
(print (map path-normalize '("/a/../../b/./c//d/.." "a/.." "../a" "a/../../b" "" "/.."))) ; => (/b/c . ../a ../b . /)
(print (path-relative "a/b/c" "a/d") (path-relative "a" "a") (path-relative "/x" "/") (path-relative "a/b" "a/b/c/d")) ; => ../b/c . x ../..
(print (path-absolute? (path-absolute "x")) (path-absolute "/x/../y")) ; => #t /y
(print (message (lambda () (path-relative "/a" "b")))) ; => path-relative: one of "/a" and "b" is absolute, and the other is not
(print (message (lambda () (path-join "a" 5))) (message (lambda () (path-name 'a)))) ; => path-join: expected a string, got 5 path-parts: expected a string, got a

; Patterns.
(print (map (lambda (name) (glob-match? "*.[ch]" name)) '("a.c" "a.h" "a.cc" ".c" "a.x"))) ; => (#t #t #f #t #f)
(print (map (lambda (name) (glob-match? "a*b*c" name)) '("abc" "aXbYbZc" "abcd" "ac"))) ; => (#t #t #f #f)
(print (map (lambda (name) (glob-match? "[!a-c]?" name)) '("dx" "ax" "d" "-λ"))) ; => (#t #f #f #t)
(print (glob-match? "\\*" "*") (glob-match? "\\*" "a") (glob-match? "[]x]" "]") (glob-match? "[x" "[x") (glob-match? "" "") (glob-match? "*" "")) ; => #t #f #t #t #t #t
(print (glob-match? (string-append (apply string-append (make-list 40 "*a")) "b") (make-string 3000 #\a))) ; => #f
