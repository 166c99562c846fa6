-- What is over goes after a while: the request, the steps and the texts of a turn. Its row and its end
-- stay: the same message never becomes a turn again, and a computer that was away hears of the end.
ALTER TABLE holdfast.text ADD COLUMN used_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE holdfast.turn ADD COLUMN pruned_at timestamptz;
CREATE INDEX turn_ended ON holdfast.turn (ended_at) WHERE state = 'done' AND pruned_at IS NULL;
CREATE INDEX turn_kept ON holdfast.turn (created_at) WHERE pruned_at IS NULL;
CREATE INDEX text_used ON holdfast.text (used_at);

CREATE OR REPLACE FUNCTION holdfast.put_text(p_hash text, p_body text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  IF encode(sha256(convert_to(p_body, 'UTF8')), 'hex') <> p_hash THEN
    RAISE EXCEPTION 'the text is not the one of this hash' USING ERRCODE = 'HF007';
  END IF;
  INSERT INTO text (hash, body) VALUES (p_hash, p_body)
    ON CONFLICT (hash) DO UPDATE SET used_at = now();
END $$;

CREATE OR REPLACE FUNCTION holdfast.earlier(p_turn uuid, p_limit integer)
RETURNS TABLE (id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM need_readable(caller(), p_turn);
  RETURN QUERY SELECT b.id, b.body FROM (
    SELECT o.id, o.body, o.n FROM turn o JOIN turn t ON t.id = p_turn
      WHERE o.session = t.session AND o.n < t.n AND o.pruned_at IS NULL ORDER BY o.n DESC LIMIT p_limit
  ) b ORDER BY b.n;
END $$;

-- Takes at most so many turns at once, and none that ended less than a day ago, whoever asks.
CREATE FUNCTION holdfast.prune(p_keep_ms bigint, p_most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  until timestamptz := clock_timestamp() - greatest(p_keep_ms, 86400000) * interval '1 ms';
  oldest timestamptz;
  taken integer;
BEGIN
  PERFORM caller();
  WITH old AS (
    SELECT t.id, t.entries FROM turn t
      WHERE t.state = 'done' AND t.pruned_at IS NULL AND t.ended_at < until
      ORDER BY t.ended_at LIMIT p_most FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM entry e USING old WHERE e.turn = old.id AND e.n < old.entries
  ), marked AS (
    UPDATE turn t SET pruned_at = clock_timestamp(), body = '' FROM old WHERE t.id = old.id RETURNING 1
  ) SELECT count(*) INTO taken FROM marked;
  -- A text was put before the turn that names it, or while it ran.
  SELECT least(until, min(t.created_at)) - interval '1 day' INTO oldest FROM turn t WHERE t.pruned_at IS NULL;
  DELETE FROM text WHERE hash IN (
    SELECT x.hash FROM text x WHERE x.used_at < coalesce(oldest, until) ORDER BY x.used_at LIMIT p_most * 20
  );
  RETURN taken;
END $$;
REVOKE ALL ON FUNCTION holdfast.prune(bigint, integer) FROM PUBLIC;
