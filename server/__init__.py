"""The game server: games over HTTP, their store, and the web page."""
