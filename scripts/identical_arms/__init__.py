"""Real experiments in which nothing differs: how often does a report claim a difference?"""
