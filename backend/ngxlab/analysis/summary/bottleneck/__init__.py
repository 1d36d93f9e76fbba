"""Which resource limited a trial and an arm, by the USE method (Gregg, Systems Performance, 2nd edition, 2.5.9)."""
