"""``python -m ngxlab_cli``."""

from ngxlab_cli.main import main

main()
