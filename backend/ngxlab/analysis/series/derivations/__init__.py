"""How raw readings become derived series: one small function each, the same for live and stored data."""
