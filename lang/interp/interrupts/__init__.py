"""Ctrl-C: the thread that runs Lisp, and when an interrupt may reach it.

    ctrl_c.py       the signal handler of scripts and the REPL
    deep_thread.py  the thread with a large stack that runs Lisp
    delivery.py     raising KeyboardInterrupt in that thread
    masking.py      decorators for functions that must not be interrupted
"""
