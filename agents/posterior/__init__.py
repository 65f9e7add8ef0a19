"""The learned letter posterior."""
