-- The lists of a person's games by number of players and by the strongest bot: both are now known of
-- every game, not only of those that count in the statistics.
ALTER TABLE seat_holders ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
DROP INDEX seat_holders_for_statistics;
CREATE INDEX seat_holders_for_statistics
    ON seat_holders (person_id, players, bots, won, score) WHERE counted = 1;

CREATE INDEX seat_holders_by_players
    ON seat_holders (person_id, stage, removed, players, since, table_id);
CREATE INDEX seat_holders_by_bots
    ON seat_holders (person_id, stage, removed, bots, since, table_id);
CREATE INDEX seat_holders_by_players_and_bots
    ON seat_holders (person_id, stage, removed, players, bots, since, table_id);
