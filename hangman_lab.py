"""The import name in a checkout, whatever its folder is called: runs ``__init__.py``."""

from pathlib import Path

__file__ = str(Path(__file__).with_name("__init__.py"))
exec(compile(Path(__file__).read_text("utf-8"), __file__, "exec"))
