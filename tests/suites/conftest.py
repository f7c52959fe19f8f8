"""What is run by hand needs torch and is no test."""

from __future__ import annotations

collect_ignore = ["record_torch.py"]
