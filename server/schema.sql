-- The tables of the server. A change of them needs another user_version, which server/database.py
-- compares. Times are seconds since 1970.
BEGIN IMMEDIATE;

CREATE TABLE IF NOT EXISTS players (
    -- AUTOINCREMENT: the number of a guest that was forgotten is never given again.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE, -- NULL for guests
    token_hash TEXT NOT NULL UNIQUE,
    seen_at REAL NOT NULL,
    -- Counted with every change, so that nobody has to count games.
    practice_games INTEGER NOT NULL DEFAULT 0,
    practice_wins INTEGER NOT NULL DEFAULT 0,
    practice_open INTEGER NOT NULL DEFAULT 0,
    recorded_games INTEGER NOT NULL DEFAULT 0,
    recorded_wins INTEGER NOT NULL DEFAULT 0,
    recorded_open INTEGER NOT NULL DEFAULT 0,
    recorded_hinted INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,
    player_id INTEGER NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    max_wrong INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'ongoing' CHECK (status IN ('ongoing', 'success', 'failed')),
    resigned INTEGER NOT NULL DEFAULT 0,
    hinted INTEGER NOT NULL DEFAULT 0, -- the agent gave a hint
    withheld INTEGER NOT NULL, -- the word is not told when the game is lost
    request_key TEXT,
    created_at REAL NOT NULL,
    -- A request that is sent again begins no second game.
    UNIQUE (player_id, request_key)
);

CREATE INDEX IF NOT EXISTS open_games ON games (player_id, created_at) WHERE status = 'ongoing';
CREATE INDEX IF NOT EXISTS practice_games ON games (created_at) WHERE NOT recorded;
CREATE INDEX IF NOT EXISTS recorded_games ON games (player_id, secret) WHERE recorded;
CREATE INDEX IF NOT EXISTS hinted_wins ON games (player_id)
    WHERE recorded AND hinted AND status = 'success';

CREATE TABLE IF NOT EXISTS guesses (
    game_id TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 1, in the order of play
    letter TEXT NOT NULL,
    request_key TEXT,
    created_at REAL NOT NULL,
    PRIMARY KEY (game_id, number),
    -- No letter counts twice in a game.
    UNIQUE (game_id, letter)
);

-- One row: the secret that draws the words of games.
CREATE TABLE IF NOT EXISTS server_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    draw_key TEXT NOT NULL
);

PRAGMA user_version = 1;
COMMIT;
