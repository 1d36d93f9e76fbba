"""What is kept of runs, and for how long: deleting a run, stars, the space that raw data takes, and the rule by age."""
