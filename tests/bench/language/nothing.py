"""The shortest program: what every other one takes before it begins."""

import sys

print(len(sys.argv))
