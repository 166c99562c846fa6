-- A computer that was granted a turn and cannot take it passes it for a while: the others may have it at once.
-- By the start of that computer, so that its next start is asked again.
ALTER TABLE holdfast.turn ADD COLUMN passed jsonb NOT NULL DEFAULT '{}';

CREATE OR REPLACE FUNCTION holdfast.grantable(
  p_turn holdfast.turn, p_m holdfast.machine, p_life uuid, p_now timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (
      p_turn.state = 'queued' AND (p_turn.not_before IS NULL OR p_turn.not_before <= p_now)
      OR p_turn.state = 'leased' AND p_turn.lease_until < p_now
        AND NOT (p_turn.owner = p_m.id AND p_turn.life = p_life)
      -- An earlier life of this machine: its data directory is locked by this one.
      OR p_turn.state = 'leased' AND p_turn.owner = p_m.id AND p_turn.life <> p_life
    )
    AND p_turn.needs <@ p_m.caps AND p_turn.journal <= p_m.journal
    AND (p_turn.place IS NULL OR p_turn.place = p_m.id)
    AND coalesce((p_turn.passed ->> p_life::text)::timestamptz <= p_now, true)
$$;

-- Only the owner of a turn passes it, before it gives it back; for a day at most.
CREATE FUNCTION holdfast.pass(p_life uuid, p_turn uuid, p_epoch integer, p_for_ms bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); now_at timestamptz := clock_timestamp();
BEGIN
  UPDATE turn t SET passed = coalesce((
        SELECT jsonb_object_agg(p.key, p.value) FROM jsonb_each_text(t.passed) p WHERE p.value::timestamptz > now_at
      ), '{}') || jsonb_build_object(p_life::text, now_at + least(p_for_ms, 86400000) * interval '1 ms')
    WHERE t.id = p_turn AND t.epoch = p_epoch AND t.owner = m.id AND t.life = p_life AND t.state = 'leased';
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION holdfast.pass(uuid, uuid, integer, bigint) FROM PUBLIC;
