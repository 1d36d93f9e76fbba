"""What a connection may send, and whose turn it is."""
