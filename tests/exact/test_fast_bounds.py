"""Every bound of the integer kernel against the truth."""

from __future__ import annotations

import pytest

from tests.exact.kernel import modules
from tests.exact.kernel_checks import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_bound(name: str) -> None:
    CHECKS[name](modules())
