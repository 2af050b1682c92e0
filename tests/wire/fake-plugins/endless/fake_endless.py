"""A plugin whose import never ends."""

import sys
import threading

print("importing", file=sys.stderr, flush=True)
threading.Event().wait()
