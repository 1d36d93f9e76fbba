"""Raw data of ended runs in compressed blocks: many readings or histograms in one row (ADR 9)."""
