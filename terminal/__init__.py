"""What the commands share: options, messages, progress bars and tables."""
