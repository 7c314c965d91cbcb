"""What this plugin gives to alcore."""

from __future__ import annotations

alcore_api = 1
