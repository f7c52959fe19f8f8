"""``python -m symattn``."""

from __future__ import annotations

from symattn.cli.main import main

if __name__ == "__main__":
    main()
