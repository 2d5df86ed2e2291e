"""A keyboard for pybaccarat, which asks for that of Windows when it is installed and when it is imported.

Nothing here reads a key. Python reads this file where its folder is in PYTHONPATH.
"""

import subprocess  # noqa: F401 - it asks for the same module to learn where it runs
import sys
from types import ModuleType

keyboard = ModuleType("msvcrt")
keyboard.getch = None  # type: ignore[attr-defined]
sys.modules[keyboard.__name__] = keyboard
