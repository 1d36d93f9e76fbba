"""Backups of the whole database in one file, made while the server runs, and restored elsewhere.

The database holds everything that lasts, kept files of trials included, so that one consistent dump of it is all.
"""
