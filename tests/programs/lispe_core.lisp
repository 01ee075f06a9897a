; The core forms and data of LispE.
(use 'lispe_torch)
(use 'lispe_tiktoken)
(setq x 3)
(defun f(a (b 2)) (setq z (+ a b)) z)
(println "x:" x (f 1) (f 1 5) (list 1 2.0 "a" nil) {"k":1})  ; => x: 3 3 6 (1 2 "a" nil) {"k":1}
(defun g() (setq x 10) (setg y (* x 2)) x)
(println (g) x y)  ; => 10 3 20
(defun h(a (rest)) (list a rest))
(println (h 1) (h 1 2 3))  ; => (1 ()) (1 (2 3))
(loop w (strings "a" "b") (println w))  ; => a
; => b
(loopcount 5 i (check (> i 2) (break)) (println i))  ; => 0
; => 1
; => 2
(println (catch (throw "boom")) (maybe (catch (throw "x"))) (maybe 3))  ; => boom true nil
(println (maybe (throw "x") "fallback") (maybe (@ (list 1 2) 7) "out"))  ; => fallback out
(println (catch (@ (list 1 2) 7)))  ; => Error: @: index 7 out of bounds for 2 elements
(class@ Counter (count (step 2))
  (defun inc() (setqi count (+ count step)) count)
  (defun twice() (inc) (inc))
  (defun configure() (setqi extra "e") (toclean 'bye))
  (defun bye() (println "bye" count)))
(class@ Sub (name) (from@ Counter)
  (defun inc() (+= count 1) (from@ Counter (inc))))
(setq c (Counter 5 (configure)))
(println (c (inc)) (c (twice)) (c Counter (inc)) (@ c 'count) (@ c 'extra) (set@ c 'count 1))  ; => 7 11 13 13 e 1
(setq s (Sub 1 1 "n"))
(println (s (twice)) s (withclass Counter (c (inc))))  ; => 5 (Sub 5 1 "n") 3
(println (+ "a" 1 "b") (+ 1 2 3) (/ 10 4) (/ 10 5) (% 7 3) (round 2.567) (round (* 2.567 100) 100))  ; => a1b 6 2.5 2 1 3 2.57
(defpat fact (0) 1)
(defpat fact (n) (* n (fact (- n 1))))
(println (fact 10))  ; => 3628800
(defpat sz ([]) 0)
(defpat sz ([a $ rest]) (+ 1 (sz rest)))
(println (sz (list 1 2 3)))  ; => 3
(data@ [Point integer_ integer_] [Disc [Point _ _] float_])
(println (Disc (Point 1 2) 3.5) (catch (Point 1.5 2)))  ; => (Disc (Point 1 2) 3.5) Error: Point: expected integer_, got 1.5
(defpat area ([Disc p r]) (* r r))
(defpat area ([Point x y]) 0)
(defpat area ((integer_ n)) (+ "int" n))
(defpat area ({"r":r}) (+ "dict" r))
(println (area (Disc (Point 1 2) 3.0)) (area (Point 1 2)) (area 7) (area {"r":5}) (catch (area "s")))  ; => 9 0 int7 dict5 Error: area: no pattern matches "s"
(setq config (dictionary "a" 1))
(config "b" 2)
(println config (config "a") (select (@ config "zz") "none"))  ; => {"a":1 "b":2} 1 none
(println (map '+ (list 1 2) (list 10 20)) (map (lambda (x) (* x x)) (iota 4)) (filter (λ (x) (> x 2)) (iota0 5)))  ; => (11 22) (1 4 9 16) (3 4)
(println (rho 2 3 (iota 4)) (rho 3 (integers 0)) (range 0 10 3) (@@ (iota 10) 2 5) (@@ (iota 10) 7 0))  ; => ((1 2 3) (4 1 2)) (0 0 0) (0 3 6 9) (3 4 5) (8 9 10)
(defun fnd(l p) (loop y l (check (p y) (return y))) nil)
(println (fnd (list 1 5 9) (lambda (q) (> q 3))) (fnd (list 1) (lambda (q) (> q 3))))  ; => 5 nil
(setq n 0)
(while (< n 3) (+= n 1))
(setq multi `back "q"
line \n`)
(println n (split multi "\n"))  ; => 3 ("back \"q\"" "line \\n")
(println (json (dictionary "a" (list 1 2.5 "x" nil true))) (json_parse "{\"z\": [1, 2.0, {\"q\": null}]}"))  ; => {"a":[1,2.5,"x",null,true]} {"z":(1 2 {"q":nil})}
(dethread th(a) (threadstore "r" a))
(th 1)
(th 2)
(wait)
(println (threadretrieve "r") (threadspace (seth shared 5)) shared)  ; => (1 2) 5 5
(println (cond ((eq 1 2) "no") (true "yes")) (and 1 2) (or nil 0 5) (not nil) (== "a" "a") (if 0 "t" "f"))  ; => yes 2 5 true true f
(println (in (list 1 2) 2) (size "abc") (reverse (list 1 2 3)) (cons 0 (list 1)) (car (list 4 5)) (cdr (list 4 5)) (cadr (list 4 5)))  ; => true 3 (3 2 1) (0 1) 4 (5) 5
(println (f . + 1 2) '(a (b 1) nil) (eq 'a 'a))  ; => 5 (a (b 1) nil) true
(println (("a" 1) ("b" 2)) [1 2 3] () {"a":{"b":[1]}})  ; => (("a" 1) ("b" 2)) (1 2 3) () {"a":{"b":(1)}}
(setq v (list))
(push v 1)
(pushfirst v 0)
(extend v (list 7 8))
(println v (copy v) (clone v) (clear (copy v)) (shorts 1 2) (numbers 1.5 2) (integers 1.9 (list "3")))  ; => (0 1 7 8) (0 1 7 8) (0 1 7 8) () (1 2) (1.5 2) (1 3)
(println (chrbyte (integers 72 105)) (fill "=" 5) (in _current "/"))  ; => Hi ===== true
(println (switch 3 (1 "one") (3 "three") (true "other")))  ; => three
(println (>= (elapse (setq q 1)) 0) (> (time) 1000000000) (file_exists "no-such-file") (file_exists "/"))  ; => true true nil true
(defun count-to(n) (setq total 0) (loop i (range 1 (+ n 1) 1) (+= total i)) total)
(println (count-to 10) (irange 0 10 5) (rangein 1 3) (iota0 3) (iota 3))  ; => 55 (0 5) (1 2 3) (0 1 2) (1 2 3)
(println (string 1.5) (upper "a") (lower "B") (split "a,b" ",") (join (list 1 2) "-") (trim "  x ") (format "%1 and %2" 1 "b"))  ; => 1.5 A b ("a" "b") 1-2 x 1 and b
(println (min 3 1 2) (max (list 1 5 2)) (floor 2.7) (sqrt 16) (!= 1 2) (xor true nil) (- 5) (* 2 3.5) (^^ 2 10))  ; => 1 5 2 4 true true -5 7 1024
(println (let ((u 1) (v 2)) (+ u v)) (block 1 2) (ncheck nil "no" "yes") (apply '+ (list 1 2 3)) (foldl '+ (list 1 2) 0))  ; => 3 2 no 6 3
(println (sort (list 3 1 2)) (unique (list 1 1 2)) (flatten (list 1 (list 2 3))) (pop (list 7 8)) (keys@ {"b":1 "a":2}) (values@ {"b":1 "a":2}))  ; => (1 2 3) (1 2) (1 2 3) 7 ("a" "b") (2 1)
(println (stringp "a") (numberp 1) (nullp nil) (emptyp (list)) (listp ()) (dictionaryp (map)) (integerp 1.5))  ; => true true true true true true nil
(defmacro unless (c body) (list 'if (list 'not c) body))
(println (unless nil "macro") (catch (@ {"a":1} "b")) (catch (+ 1 nil)) (catch (undefined-thing 1)))  ; => macro Error: @: no key "b" Error: +: expected numbers, got 1 and nil Error: unbound variable: undefined-thing
(println (+ (list 1 2) 1) (+ (iota 3) (iota 3)) (% -7 3) (== (list 1 2) (iota 2)) (>=< 1 2))  ; => (2 3) (2 4 6) -1 true -1
(setq command_output (command "printf hello"))
(println command_output (trim "--x-" "-") (replace "aba" "a" "c") (ord "A") (chr 66))  ; => hello x cbc 65 B
(print "a" 1 "b")
(println "")  ; => a1b
(printerr "")
(println (input))  ; => nil
; => bye 3
