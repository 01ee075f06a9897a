(import (srfi 64))
(test-begin "a")
(test-eqv 5)
