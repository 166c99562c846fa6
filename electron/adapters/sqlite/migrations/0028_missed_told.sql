-- The channel that took a notice of something missed: it is told there once.
ALTER TABLE inbox ADD COLUMN told_on TEXT;
