; The library's CSV reader turns numbers into numbers.
(print (read-csv "tests/programs/data/points.csv")) ; => ((x y label) (1 2.5 a) (3 4.5 é) (-4 0 c))
(print (read-lines "tests/programs/data/points.csv")) ; => (x,y,label 1,2.5,a 3,4.5,é -4,0,c)
