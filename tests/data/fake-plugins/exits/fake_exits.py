"""A script that was never meant to be imported."""

import sys

sys.exit("usage: fake-exits FILE")
