; Plots as text: curves, points, histograms, several series, ranges, logs.
(define xs (map (lambda (k) (* 0.25 k)) (iota 17)))
(define-syntax shown     ; without the spaces at the ends of lines
  (syntax-rules ()
    ((_ form ...)
     (begin
       (for-each (lambda (line) (print (string "|" line)))
                 (port->lines (open-input-string
                               (with-output-to-string (lambda () form)))))
       ...))))
(shown (plot (map sin xs) :width 40 :height 8 :title "sine" :x xs))
; => |                   sine
; => |  │        ⣀⠤⠊⠉⠉⠉⠉⠉⠉⠒⠢⣀
; => |  │     ⢀⠔⠉            ⠑⠢⢄
; => |  │   ⣀⠔⠁                 ⠑⢄
; => |  │ ⡠⠊                      ⠑⠢⡀
; => |0 ┤⠔⠁                         ⠈⢆
; => |  │                             ⠑⠤⡀
; => |  │                               ⠈⠢⡀
; => |  │                                 ⠈⠢⢄
; => |  └┬────────┬────────┬────────┬───────┬
; => |   0        1        2        3       4
(shown
 (plot "square" (map square xs) "line" (vector 0 5 10 15)
       :width 44 :height 8 :x-label "x" :y-label "y" :y-range '(0 16)))
; => |y
; => |   │       o                            ***
; => |   │     oo                          ***
; => |10 ┤    o                          **
; => |   │   o                        ***
; => |   │   o                   *****
; => |   │  o                ****
; => |   │ o            *****
; => | 0 ┤o*************
; => |   └┬───────────┬───────────┬───────────┬──
; => |    0           5           10          15
; => |                       x
; => |    * square   o line
(shown (plot [1.0 10.0 100.0 1000.0] :log-y #t :width 30 :height 6))
; => |1000 ┤                   ⣀⠤⠒⠉
; => | 100 ┤               ⣀⠤⠒⠉
; => |     │           ⣀⠤⠒⠉
; => |  10 ┤       ⢀⠤⠒⠉
; => |     │   ⢀⡠⠔⠊⠁
; => |   1 ┤⡠⠔⠊⠁
; => |     └┬──────────────┬───────
; => |      0              2
(shown (plot "points" [[0.0 0.0] [1.0 1.0] [2.0 0.5]] "more" '((0.5 2) (1 0))
             :kind 'scatter :width 30 :height 6))
; => |  1 ┤      o     *
; => |    │
; => |0.5 ┤                       *
; => |    │
; => |    │
; => |  0 ┤*                      o
; => |    └┬───────────┬──────────┬
; => |     0           1          2
; => |     * points   o more
(shown (plot '(1 2 2 3 3 3 4 4 5) :kind 'histogram :bins 5 :width 30 :height 6))
; => |3 ┤          ⢸⣿⣿⣿⣿⣿
; => |2 ┤     ⢀⣀⣀⣀⣀⣸⣿⣿⣿⣿⣿⣀⣀⣀⣀⣀
; => |  │     ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => |1 ┤⣀⣀⣀⣀⣀⣸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣀⣀⣀⣀⣀
; => |  │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => |0 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => |  └──────┬────────────┬──────
; => |         2            4
(shown (plot "a" '(1 2 2 3) "b" [[3 3] [3 4]] :kind 'histogram :bins 3
             :width 30 :height 6))
; => |4 ┤                 ooooooooo
; => |  │                 o       o
; => |2 ┤        *********o       o
; => |  │        *        o       o
; => |  │*********        o*******o
; => |0 ┤oooooooooooooooooo       o
; => |  └┬───────┬────────┬───────┬
; => |   1       2        3       4
; => |   * a   o b
; Gaps, one point, equal values, a long curve.
(shown (plot (list 1 2 (/ 0. 0.) 2 (/ 1. 0.) 1) :width 30 :height 4))
; => |  2 ┤   ⢀⠎         ⠁
; => |1.5 ┤  ⢠⠊
; => |    │ ⡠⠃
; => |  1 ┤⡰⠁                     ⢀
; => |    └┬────────┬─────────┬────
; => |     0        2         4
(shown (plot '(5 5) :width 24 :height 3) (plot (list 1/2) :width 24 :height 3))
; => |5.5 ┤
; => |  5 ┤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
; => |4.5 ┤
; => |    └┬────────┬───────┬
; => |     0       0.5      1
; => |  1 ┤
; => |0.5 ┤         ⠂
; => |  0 ┤
; => |    └┬────────┬───────┬
; => |     -0.5     0      0.5
(shown (plot (map (lambda (k) (expt -1 k)) (iota 10000)) :width 24 :height 3))
; => | 1 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => | 0 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => |-1 ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
; => |   └┬────────┬─────────
; => |    0       5000
(define log (map (lambda (k) (list (cons "step" (* 10 k)) (cons "loss" (/ 8 (+ k 1)))
                                   (cons "note" "text")))
                 (iota 8)))
(shown (plot-log log "loss" :width 30 :height 5))
; => |  │⠱⡀
; => |  │ ⠘⡄
; => |5 ┤  ⠈⢆
; => |  │    ⠉⠒⠤⣀⡀
; => |  │        ⠈⠉⠒⠒⠒⠤⠤⠤⠤⣀⣀⣀⣀⣀⣀⣀⣀⣀
; => |  └┬─────────────────┬───────
; => |   0                 50
; => |              step
; => |   ⠤ loss

(define-syntax complain
  (syntax-rules ()
    ((_ form ...)
     (begin
       (guard (e (#t (print (error-object-message e) (error-object-irritants e))))
         form)
       ...))))
(complain
 (plot)                           ; => plot: expected a series of numbers at least ()
 (plot "a")                       ; => plot: no series follows the name (a)
 (plot '())                       ; => plot: the series is empty ()
 (plot "a" [])                    ; => plot: the series "a" is empty ()
 (plot "a" '(1 2 3) :x '(1 2))    ; => plot: the series "a" has 2 x and 3 y ()
 (plot '((1 2) (3)))              ; => plot: the series has 2 x and 1 y ()
 (plot '(1 "b"))                  ; => plot: expected a number, got "b" ()
 (plot 5)                         ; => plot: expected a list, a vector or a tensor of numbers in a row, got 5 ()
 (plot (tensor-zeros 2 3))        ; => plot: expected a list, a vector or a tensor of numbers in a row, got a tensor float32 (2 3) ()
 (plot (list (/ 0. 0.)))          ; => plot: no y is a finite number ()
 (plot '(-1 0) :log-y #t)         ; => plot: no y is a positive number ()
 (plot '(1 2) :kind 'pie)         ; => plot: expected the kind line, scatter or histogram, got pie ()
 (plot '(1 2) :bins 0)            ; => plot: expected an exact integer from 1 to 10000 as :bins, got 0 ()
 (plot '(1 2) :width "a")         ; => plot: expected an exact integer from 1 to 10000 as a size, got "a" ()
 (plot '(1 2) :y-range '(2 1))    ; => plot: expected a list of a low and a high number as :y-range, got (2 1) ()
 (plot '(1 2) :log-y #t :y-range '(0 1))  ; => plot: expected a list of two positive numbers as :y-range, got (0 1) ()
 (plot '(1 2) :file "x.gif")      ; => plot: a plot's file ends with .svg, .png or .pdf, got (x.gif)
 (plot '(1 2) :file 'x)           ; => plot: expected a string as :file, got x ()
 (plot '(1 2) :file "no/such.svg")  ; => open-output-file: cannot open "no/such.svg": No such file or directory ()
 (plot-log log)                   ; => plot-log: expected the name of a column at least ()
 (plot-log log "accuracy")        ; => plot-log: no row has a number in the column (accuracy)
 (plot-log log "note"))           ; => plot-log: no row has a number in the column (note)
