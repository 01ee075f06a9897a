; An error of the library's own is shown at the program's call.
(print (map car '(1 2)))
