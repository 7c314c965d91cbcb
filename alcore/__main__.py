"""``python -m alcore`` is the command ``alcore``."""

from alcore.cli import main

if __name__ == "__main__":
    main(prog_name="alcore")
