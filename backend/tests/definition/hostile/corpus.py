"""All hostile configurations: the fragment that has the text, the text, and how the allow-list's message begins."""

from definition import hostile_configurations, hostile_performance

ALL = [*hostile_configurations.ALL, *hostile_performance.ALL]
