"""What is looked for in pages: faults that people with other eyes, hands and screens meet."""
