"""What the backend looks for again and again."""
