"""Many runs on Ray: search spaces, seeds, and what they came to."""
