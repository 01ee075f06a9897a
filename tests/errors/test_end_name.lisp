(import (srfi 64))
(test-begin "lists")
(test-end "list")
