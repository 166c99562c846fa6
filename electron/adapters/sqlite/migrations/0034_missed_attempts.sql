-- The channel that may have a notice of something missed: it was sent there, and the end is not known.
ALTER TABLE inbox ADD COLUMN attempted_on TEXT;
