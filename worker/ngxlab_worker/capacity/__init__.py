"""The highest rate that meets a goal: which rates to try, how a step is judged, and where the capacity lies. Pure."""
