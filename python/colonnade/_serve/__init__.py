"""The HTTP server's application."""
