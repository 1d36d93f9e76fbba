<<<<<<< HEAD
"""What a connection may send, and whose turn it is."""
=======
"""What connections may send, and in which order their requests are begun."""
>>>>>>> safe
