"""What connections may send, and in which order their requests are begun."""
