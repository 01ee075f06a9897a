"""`python -m lambent.lang` is the command `lambent`."""

from lambent.lang.command import main

main()
