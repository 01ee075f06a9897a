"""python -m lambent.ctorch.sentencepiece: build the library now."""

import sys

from lambent.ctorch.sentencepiece import building
from lambent.lang.errors import UsageFault

try:
    print(f"sentencepiece: {building.built()}")
except UsageFault as fault:
    sys.exit(f"lambent: {fault}" + (f"\nhint: {fault.hint}" if fault.hint else ""))
