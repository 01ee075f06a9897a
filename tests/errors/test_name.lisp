(import (srfi 64))
(test-begin "names")
(test-equal 4 (+ 2 2) "sum")
