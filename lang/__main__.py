"""`python -m lambent.lang` is the command `lambent`."""

import sys

from lambent.lang.cli import main

sys.exit(main())
