"""What is installed: every package, and the recipes."""

import configparser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_setup_cfg_lists_every_package():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    listed = parser["options"]["packages"].split()
    found = {".".join(p.parent.relative_to(ROOT).parts) for p in (ROOT / "paddlite").rglob("__init__.py")}
    assert sorted(listed) == listed
    assert set(listed) == found | {"paddlite.configs", "paddlite.recipes"}
