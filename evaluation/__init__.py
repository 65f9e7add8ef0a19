"""Playing agents and measuring what they do."""
