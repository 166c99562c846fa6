-- What one computer writes the others read whole: so each text has a size that every computer can hold, far above
-- what a Holdfast writes. Rows that are there stay as they are.
ALTER TABLE holdfast.turn
  ADD CONSTRAINT turn_body_size CHECK (octet_length(body) <= 1048576) NOT VALID,
  ADD CONSTRAINT turn_needs_size CHECK (octet_length(needs::text) <= 1048576) NOT VALID;
ALTER TABLE holdfast.machine
  ADD CONSTRAINT machine_caps_size CHECK (octet_length(caps::text) <= 4194304) NOT VALID;
ALTER TABLE holdfast.entry
  ADD CONSTRAINT entry_body_size CHECK (octet_length(body) <= 8388608) NOT VALID;
-- The files of a turn travel as one text.
ALTER TABLE holdfast.text
  ADD CONSTRAINT text_body_size CHECK (octet_length(body) <= 268435456) NOT VALID;
ALTER TABLE holdfast.question
  ADD CONSTRAINT question_body_size CHECK (octet_length(body) <= 1048576) NOT VALID,
  ADD CONSTRAINT question_answer_size CHECK (octet_length(answer) <= 1048576) NOT VALID;

CREATE OR REPLACE FUNCTION holdfast.entries(p_turn uuid, p_from integer)
RETURNS TABLE (n integer, epoch integer, machine text, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM need_readable(caller(), p_turn);
  -- Sizes are read without the texts.
  IF (SELECT sum(octet_length(e.body)) FROM entry e WHERE e.turn = p_turn AND e.n > p_from) > 268435456 THEN
    RAISE EXCEPTION 'the entries of this turn have more than 256 MiB' USING ERRCODE = 'HF009';
  END IF;
  RETURN QUERY SELECT e.n, e.epoch, coalesce(w.name, ''), e.body
    FROM entry e LEFT JOIN machine w ON w.id = e.machine WHERE e.turn = p_turn AND e.n > p_from ORDER BY e.n;
END $$;

-- Only the owner of the turn asks. The same question again changes nothing. All of them are read with each look.
CREATE OR REPLACE FUNCTION holdfast.ask(
  p_life uuid, p_turn uuid, p_epoch integer, p_id text, p_body text
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn;
BEGIN
  SELECT * INTO t FROM turn WHERE id = p_turn FOR NO KEY UPDATE;
  IF t.epoch IS DISTINCT FROM p_epoch OR t.owner IS DISTINCT FROM m.id
    OR t.life IS DISTINCT FROM p_life OR t.state <> 'leased' THEN RETURN false; END IF;
  IF (SELECT coalesce(sum(octet_length(q.body)), 0) FROM question q WHERE q.turn = p_turn AND q.epoch = p_epoch)
    + octet_length(p_body) > 16777216 THEN
    RAISE EXCEPTION 'the questions of this turn have more than 16 MiB' USING ERRCODE = 'HF009';
  END IF;
  INSERT INTO question (turn, epoch, id, body) VALUES (p_turn, p_epoch, p_id, p_body)
    ON CONFLICT DO NOTHING;
  PERFORM pg_notify('holdfast', 'question');
  RETURN true;
END $$;
