-- The tables of the server. Increment user_version with each change; server/database.py checks it.
-- Commits survive the end of the process, but not a power failure.
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
BEGIN IMMEDIATE;

CREATE TABLE IF NOT EXISTS players (
    -- AUTOINCREMENT: the id of an evicted guest is not reused.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE, -- NULL for guests
    token_hash TEXT NOT NULL UNIQUE,
    -- The highest games.number at the last visit, in place of a time.
    seen INTEGER NOT NULL,
    -- Counters, maintained by the triggers below.
    practice_games INTEGER NOT NULL DEFAULT 0,
    practice_wins INTEGER NOT NULL DEFAULT 0,
    practice_open INTEGER NOT NULL DEFAULT 0,
    recorded_games INTEGER NOT NULL DEFAULT 0,
    recorded_wins INTEGER NOT NULL DEFAULT 0,
    recorded_open INTEGER NOT NULL DEFAULT 0,
    recorded_hinted INTEGER NOT NULL DEFAULT 0,
    recorded_hinted_wins INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS guests ON players (seen) WHERE name IS NULL;

CREATE TABLE IF NOT EXISTS games (
    -- AUTOINCREMENT: the number of a deleted game is not reused.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    player_id INTEGER NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    max_wrong INTEGER NOT NULL,
    recorded INTEGER NOT NULL,
    withheld INTEGER NOT NULL, -- the word of a lost game is not revealed
    request_key TEXT,
    guesses TEXT NOT NULL DEFAULT '', -- distinct letters in the order of play
    status TEXT NOT NULL DEFAULT 'ongoing' CHECK (status IN ('ongoing', 'success', 'failed')),
    resigned INTEGER NOT NULL DEFAULT 0,
    hinted INTEGER NOT NULL DEFAULT 0, -- the agent gave a hint
    -- A repeated request returns the same game.
    UNIQUE (player_id, request_key)
);

CREATE INDEX IF NOT EXISTS keyed_games ON games (request_key) WHERE request_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS open_games ON games (player_id) WHERE status = 'ongoing';
CREATE INDEX IF NOT EXISTS practice_games ON games (player_id)
    WHERE NOT recorded AND status != 'ongoing';
CREATE INDEX IF NOT EXISTS recorded_games ON games (player_id, secret) WHERE recorded;

CREATE TRIGGER IF NOT EXISTS game_begun AFTER INSERT ON games BEGIN
    UPDATE players SET
        seen = new.number,
        practice_games = practice_games + NOT new.recorded,
        practice_open = practice_open + NOT new.recorded,
        recorded_games = recorded_games + new.recorded,
        recorded_open = recorded_open + new.recorded
    WHERE id = new.player_id;
END;

CREATE TRIGGER IF NOT EXISTS game_ended AFTER UPDATE OF status ON games BEGIN
    UPDATE players SET
        seen = (SELECT MAX(number) FROM games),
        practice_wins = practice_wins + (NOT new.recorded AND new.status = 'success'),
        practice_open = practice_open - NOT new.recorded,
        recorded_wins = recorded_wins + (new.recorded AND new.status = 'success'),
        recorded_open = recorded_open - new.recorded,
        recorded_hinted_wins =
            recorded_hinted_wins + (new.recorded AND new.hinted AND new.status = 'success')
    WHERE id = new.player_id;
END;

-- The game may have ended before its hint arrived.
CREATE TRIGGER IF NOT EXISTS game_hinted AFTER UPDATE OF hinted ON games WHEN new.recorded BEGIN
    UPDATE players SET
        recorded_hinted = recorded_hinted + 1,
        recorded_hinted_wins = recorded_hinted_wins + (new.status = 'success')
    WHERE id = new.player_id;
END;

-- One row: the secret that draws the words of games.
CREATE TABLE IF NOT EXISTS server_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    draw_key TEXT NOT NULL
);

PRAGMA user_version = 2;
COMMIT;
