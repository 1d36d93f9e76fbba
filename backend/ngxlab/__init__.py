"""ngxlab backend: the API, the database, the analysis."""
