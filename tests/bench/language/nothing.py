"""The shortest program: the start-up time of every other one."""

import sys

print(len(sys.argv))
