-- What each computer tells the others of limits: a usage limit, a provider that is down, what was spent of
-- a budget. One row for each computer and thing; the last word of a computer replaces the one before.
CREATE TABLE holdfast.fact (
  kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 300),
  machine uuid NOT NULL REFERENCES holdfast.machine ON DELETE CASCADE,
  -- The order of telling, over all computers.
  n bigint NOT NULL,
  body text NOT NULL CHECK (length(body) <= 2000),
  until timestamptz NOT NULL,
  PRIMARY KEY (kind, key, machine)
);
CREATE INDEX fact_order ON holdfast.fact (n);
CREATE SEQUENCE holdfast.fact_n;
REVOKE ALL ON holdfast.fact FROM PUBLIC;
REVOKE ALL ON SEQUENCE holdfast.fact_n FROM PUBLIC;

-- Times travel as what is left of them: the computers' clocks may differ.
-- `p_is_all`: what this computer has told in an earlier life holds no longer.
CREATE FUNCTION holdfast.put_facts(p_facts json, p_is_all boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); changed integer; ended integer := 0;
BEGIN
  -- Numbers are seen in their order: nobody reads 6 before 5 is there.
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.facts'));
  DELETE FROM fact WHERE until < clock_timestamp() - interval '1 hour';
  IF p_is_all THEN
    UPDATE fact SET until = clock_timestamp(), n = nextval('fact_n')
      WHERE machine = m.id AND until > clock_timestamp();
    GET DIAGNOSTICS ended = ROW_COUNT;
  END IF;
  INSERT INTO fact (kind, key, machine, n, body, until)
    SELECT f->>'kind', f->>'key', m.id, nextval('fact_n'), f->>'body',
      clock_timestamp() + least((f->>'forMs')::bigint, 3456000000) * interval '1 ms'
    FROM json_array_elements(p_facts) f
    ON CONFLICT (kind, key, machine)
      DO UPDATE SET n = excluded.n, body = excluded.body, until = excluded.until;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed + ended > 0 THEN PERFORM pg_notify('holdfast', 'facts'); END IF;
END $$;

-- The small question of an idle computer, with what others have told since the last one.
CREATE FUNCTION holdfast.look_facts(
  p_life uuid, p_incarnation uuid, p_seen bigint, p_turns uuid[], p_from bigint
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); told json; upto bigint;
BEGIN
  SELECT coalesce(json_agg(json_build_object('kind', f.kind, 'key', f.key, 'body', f.body,
      'machine', w.id, 'name', w.name,
      'leftMs', greatest(0, ceil(extract(epoch FROM f.until - clock_timestamp()) * 1000))) ORDER BY f.n), '[]'),
      coalesce(max(f.n), p_from)
    INTO told, upto
    FROM (SELECT * FROM fact WHERE n > p_from AND machine <> m.id ORDER BY n LIMIT 500) f
      JOIN machine w ON w.id = f.machine;
  RETURN (look(p_life, p_incarnation, p_seen, p_turns)::jsonb
    || jsonb_build_object('facts', told, 'factsUpTo', upto))::json;
END $$;
REVOKE ALL ON FUNCTION holdfast.put_facts(json, boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION holdfast.look_facts(uuid, uuid, bigint, uuid[], bigint) FROM PUBLIC;

-- A claim reads the queue from its front by an index, however long it is: first what has waited too
-- long, then by priority and age.
CREATE INDEX turn_waiting ON holdfast.turn (created_at) WHERE state <> 'done';
CREATE OR REPLACE FUNCTION holdfast.claim(
  p_life uuid, p_request uuid, p_incarnation uuid, p_seen bigint, p_lease_ms integer, p_max_wait_ms bigint
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  m machine := caller(); t turn; why text; took text; now_at timestamptz := clock_timestamp();
  aged timestamptz := now_at - p_max_wait_ms * interval '1 ms';
BEGIN
  -- Claims of one machine come one after the other: the try before this one may still be at work.
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.claim'), hashtext(m.id::text));
  why := refusal(m, p_life, p_incarnation, p_seen);
  IF why <> '' THEN RETURN json_build_object('kind', 'refused', 'why', why); END IF;
  SELECT * INTO t FROM turn
    WHERE owner = m.id AND state = 'leased' AND life = p_life AND request = p_request;
  IF FOUND THEN RETURN granted(t, ''); END IF;
  IF m.is_draining THEN RETURN json_build_object('kind', 'none'); END IF;
  IF EXISTS (SELECT 1 FROM turn c WHERE c.state <> 'done' AND c.created_at < aged) THEN
    SELECT c.* INTO t FROM turn c
      WHERE c.state <> 'done' AND c.created_at < aged AND grantable(c, m, p_life, now_at)
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.n < c.n AND o.state <> 'done')
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.id <> c.id AND o.state = 'leased')
      ORDER BY c.n LIMIT 1 FOR UPDATE OF c SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN
    SELECT c.* INTO t FROM turn c
      WHERE c.state <> 'done' AND grantable(c, m, p_life, now_at)
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.n < c.n AND o.state <> 'done')
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.id <> c.id AND o.state = 'leased')
      ORDER BY c.priority, c.n LIMIT 1 FOR UPDATE OF c SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN RETURN json_build_object('kind', 'none'); END IF;
  took := CASE WHEN t.state = 'leased' THEN (SELECT name FROM machine WHERE id = t.owner) ELSE '' END;
  UPDATE turn SET state = 'leased', epoch = epoch + 1, owner = m.id, life = p_life, request = p_request,
    lease_until = clock_timestamp() + p_lease_ms * interval '1 ms', not_before = NULL,
    lives = lives + CASE WHEN t.state = 'leased' THEN 1 ELSE 0 END
    WHERE id = t.id RETURNING * INTO t;
  PERFORM nextval('mark');
  RETURN granted(t, took);
EXCEPTION WHEN unique_violation THEN
  -- Another turn of its session was granted in the same moment.
  RETURN json_build_object('kind', 'none');
END $$;

-- Whether this computer may have the turn now, its session aside.
CREATE FUNCTION holdfast.grantable(
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
$$;
REVOKE ALL ON FUNCTION
  holdfast.grantable(holdfast.turn, holdfast.machine, uuid, timestamptz) FROM PUBLIC;
