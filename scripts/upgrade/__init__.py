"""``python -m scripts.upgrade [COMMIT]``: does a stack of an earlier commit with a finished run come up as of today?"""
