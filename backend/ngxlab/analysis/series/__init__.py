"""From raw readings to chart series, the same for the live stream and for stored trials."""
