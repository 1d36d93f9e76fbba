"""``ngxlab mix``: an access log made into a mix of requests, without what it tells of people."""

from ngxlab_cli.mix.command import mix
from ngxlab_cli.mix.document import MOST_REQUESTS, MixOptions, mix_of

__all__ = ["MOST_REQUESTS", "MixOptions", "mix", "mix_of"]
