"""The prediction phase: targets are later observations, the loss is their likelihood."""
