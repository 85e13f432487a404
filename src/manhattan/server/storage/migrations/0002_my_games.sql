-- What the lists of a person's games show. It follows from the events: after a migration it is
-- rebuilt from them.

-- For the players of a table, as JSON. With every move change the player to move, the same player if
-- a person is awaited, the time of the move, and the colours on top of the sites.
-- Whether it has a clock.
ALTER TABLE tables ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tables ADD COLUMN game TEXT NOT NULL DEFAULT '{}';
ALTER TABLE tables ADD COLUMN mover INTEGER;
ALTER TABLE tables ADD COLUMN awaited INTEGER;
ALTER TABLE tables ADD COLUMN moved_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tables ADD COLUMN board TEXT NOT NULL DEFAULT '';

-- The stage of a game for one person, since when, and the person's seats, one digit each.
ALTER TABLE seat_holders ADD COLUMN stage TEXT NOT NULL DEFAULT 'closed';
ALTER TABLE seat_holders ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE seat_holders ADD COLUMN seats TEXT NOT NULL DEFAULT '';
-- Of a finished game that counts in the statistics: the number of players (otherwise 0), the
-- strongest bot, whether the person won, and their points.
ALTER TABLE seat_holders ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seat_holders ADD COLUMN bots TEXT NOT NULL DEFAULT '';
ALTER TABLE seat_holders ADD COLUMN won INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seat_holders ADD COLUMN score INTEGER NOT NULL DEFAULT 0;
-- Whether the person has removed the game from the list: the only column that doesn't follow from
-- the events.
ALTER TABLE seat_holders ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

CREATE INDEX seat_holders_by_stage
    ON seat_holders (person_id, stage, removed, since, table_id);
CREATE INDEX seat_holders_for_statistics
    ON seat_holders (person_id, players, bots, won, score) WHERE players > 0;
