"""What an experiment's nginx configuration may contain.

The backend judges what people write (:mod:`ngxlab_policy.fragments`); each host's agent judges the whole text that it
is given (:mod:`ngxlab_policy.document`), so that whoever controls the backend still makes no host run more than that.
"""
