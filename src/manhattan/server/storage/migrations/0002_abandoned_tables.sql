-- Tables without a clock are closed when nothing has happened there for a month.
UPDATE tables SET due = (changed_at / 86400000 + 31) * 86400000
WHERE due IS NULL AND stage IN ('lobby', 'playing');
