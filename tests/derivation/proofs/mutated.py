"""A plugin of pytest that loads one module of the proof kernel with a passage of its source replaced."""

from __future__ import annotations

import os
import sys

from tests.exact.kernel import Finder

if "MUTANT_MODULE" in os.environ:
    sys.meta_path.insert(0, Finder(*(os.environ[f"MUTANT_{part}"] for part in ("MODULE", "OLD", "NEW"))))
