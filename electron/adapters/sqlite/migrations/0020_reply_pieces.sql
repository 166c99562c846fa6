-- A long answer goes in pieces: so many of them have arrived, and whether the next is on its way.
ALTER TABLE reply_attempts ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reply_attempts ADD COLUMN is_open INTEGER NOT NULL DEFAULT 1;
