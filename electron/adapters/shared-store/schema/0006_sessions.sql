-- A turn takes the conversation of its session along. So a later turn of a session, which may say nothing of
-- where it runs, is only for a computer that may have each of the earlier ones, and nobody else reads it.
CREATE INDEX turn_told ON holdfast.turn (session, n) WHERE state = 'done' AND pruned_at IS NULL;

-- Whether a computer has sent it, has run it, or may run it; its session aside.
CREATE FUNCTION holdfast.readable(p_turn holdfast.turn, p_m holdfast.machine) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_turn.sender = p_m.id OR p_turn.owner IS NOT DISTINCT FROM p_m.id
    OR p_turn.needs <@ p_m.caps AND (p_turn.place IS NULL OR p_turn.place = p_m.id)
$$;
REVOKE ALL ON FUNCTION holdfast.readable(holdfast.turn, holdfast.machine) FROM PUBLIC;

-- Of the turns that its conversation is made of: as many as a computer asks for when it is granted one.
CREATE FUNCTION holdfast.conversation(p_turn holdfast.turn) RETURNS SETOF holdfast.turn
LANGUAGE sql STABLE SET search_path = holdfast, pg_temp AS $$
  SELECT * FROM turn o
    WHERE o.session = p_turn.session AND o.n < p_turn.n AND o.state = 'done' AND o.pruned_at IS NULL
    ORDER BY o.n DESC LIMIT 20
$$;
REVOKE ALL ON FUNCTION holdfast.conversation(holdfast.turn) FROM PUBLIC;

CREATE FUNCTION holdfast.knows_session(p_turn holdfast.turn, p_m holdfast.machine) RETURNS boolean
LANGUAGE sql STABLE SET search_path = holdfast, pg_temp AS $$
  SELECT NOT EXISTS (SELECT 1 FROM conversation(p_turn) o WHERE NOT readable(o, p_m))
$$;
REVOKE ALL ON FUNCTION holdfast.knows_session(holdfast.turn, holdfast.machine) FROM PUBLIC;

-- A computer reads what it has sent or run, and what it may run.
CREATE OR REPLACE FUNCTION holdfast.need_readable(p_m holdfast.machine, p_turn uuid) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = p_turn AND readable(t, p_m)
    AND (t.sender = p_m.id OR t.owner IS NOT DISTINCT FROM p_m.id OR knows_session(t, p_m))) THEN
    RAISE EXCEPTION 'not for this machine' USING ERRCODE = 'HF008';
  END IF;
END $$;

-- The turns of a session that are over, oldest first, before one: its conversation. A computer that sends a
-- turn to a session of others reads nothing of it.
CREATE OR REPLACE FUNCTION holdfast.earlier(p_turn uuid, p_limit integer)
RETURNS TABLE (id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller();
BEGIN
  PERFORM need_readable(m, p_turn);
  RETURN QUERY SELECT b.id, b.body FROM (
    SELECT o.id, o.body, o.n FROM turn o JOIN turn t ON t.id = p_turn
      WHERE o.session = t.session AND o.n < t.n AND o.pruned_at IS NULL AND readable(o, m)
      ORDER BY o.n DESC LIMIT p_limit
  ) b ORDER BY b.n;
END $$;

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
        AND knows_session(c, m)
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.n < c.n AND o.state <> 'done')
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.id <> c.id AND o.state = 'leased')
      ORDER BY c.n LIMIT 1 FOR UPDATE OF c SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN
    SELECT c.* INTO t FROM turn c
      WHERE c.state <> 'done' AND grantable(c, m, p_life, now_at)
        AND knows_session(c, m)
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

CREATE OR REPLACE FUNCTION holdfast.look(p_life uuid, p_incarnation uuid, p_seen bigint, p_turns uuid[])
RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); why text; known json; now_at timestamptz := clock_timestamp();
BEGIN
  UPDATE machine SET contact_at = now_at WHERE machine.id = m.id;
  why := refusal(m, p_life, p_incarnation, p_seen);
  SELECT coalesce(json_agg(json_build_object('id', t.id, 'epoch', t.epoch, 'state', t.state,
      'owner', t.owner, 'ownerName', coalesce(w.name, ''), 'isHere', t.owner = m.id AND t.life = p_life,
      'entries', t.entries, 'waits', CASE
        WHEN t.state <> 'queued' THEN ''
        WHEN t.place IS NOT NULL AND t.place <> m.id THEN 'place'
        WHEN NOT (t.needs <@ m.caps AND knows_session(t, m)) THEN 'needs'
        WHEN t.journal > m.journal THEN 'version'
        ELSE 'turn' END)), '[]') INTO known
    FROM turn t LEFT JOIN machine w ON w.id = t.owner WHERE t.id = ANY (p_turns);
  RETURN json_build_object('refused', why, 'turns', known, 'mark', (SELECT last_value FROM mark),
    'nextLeaseMs', (SELECT ceil(extract(epoch FROM min(c.lease_until) - now_at) * 1000)
      FROM turn c WHERE c.state = 'leased' AND c.lease_until >= now_at
        AND grantable(c, m, p_life, 'infinity') AND knows_session(c, m)),
    'hasWork', EXISTS (SELECT 1 FROM turn c WHERE c.state <> 'done' AND grantable(c, m, p_life, now_at)
        AND knows_session(c, m)));
END $$;

CREATE OR REPLACE FUNCTION holdfast.look_facts(
  p_life uuid, p_incarnation uuid, p_seen bigint, p_turns uuid[], p_from bigint
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); told json; upto bigint; asked json;
BEGIN
  SELECT coalesce(json_agg(json_build_object('kind', f.kind, 'key', f.key, 'body', f.body,
      'machine', w.id, 'name', w.name,
      'leftMs', greatest(0, ceil(extract(epoch FROM f.until - clock_timestamp()) * 1000))) ORDER BY f.n), '[]'),
      coalesce(max(f.n), p_from)
    INTO told, upto
    FROM (SELECT * FROM fact WHERE n > p_from AND machine <> m.id ORDER BY n LIMIT 500) f
      JOIN machine w ON w.id = f.machine;
  SELECT coalesce(json_agg(json_build_object('turn', q.turn, 'epoch', q.epoch, 'id', q.id,
      'body', q.body, 'answer', q.answer, 'by', q.answered_by)), '[]')
    INTO asked
    FROM turn t JOIN question q ON q.turn = t.id AND q.epoch = t.epoch
    WHERE t.state = 'leased' AND (
      t.owner = m.id AND t.life = p_life AND q.answer IS NOT NULL
      OR t.id = ANY (p_turns) AND (t.owner IS DISTINCT FROM m.id OR t.life IS DISTINCT FROM p_life)
        AND (readable(t, m) AND (t.sender = m.id OR knows_session(t, m))));
  RETURN (look(p_life, p_incarnation, p_seen, p_turns)::jsonb
    || jsonb_build_object('facts', told, 'factsUpTo', upto, 'questions', asked))::json;
END $$;

-- What waits, and what no machine that is here can do. `strangers` may not have its conversation: what they
-- would need for that is said beside it.
CREATE OR REPLACE FUNCTION holdfast.waiting(p_limit integer) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  RETURN (SELECT coalesce(json_agg(b), '[]') FROM (
    SELECT t.id, t.session, t.priority, t.needs,
      (extract(epoch FROM clock_timestamp() - t.created_at) * 1000)::bigint AS "waitsMs",
      coalesce((SELECT name FROM machine WHERE id = t.place), '') AS place,
      (SELECT coalesce(json_agg(need), '[]') FROM unnest(t.needs) need WHERE NOT EXISTS (
        SELECT 1 FROM machine w WHERE w.state = 'admitted' AND need = ANY (w.caps))) AS "unmet",
      EXISTS (SELECT 1 FROM turn o WHERE o.session = t.session AND o.n < t.n AND o.state <> 'done') AS "isBehind",
      ARRAY(SELECT DISTINCT need FROM conversation(t) o, unnest(o.needs) need
        WHERE need <> ALL (t.needs) ORDER BY need) AS "earlierNeeds",
      ARRAY(SELECT DISTINCT p.name FROM conversation(t) o JOIN machine p ON p.id = o.place
        ORDER BY p.name) AS "earlierPlaces",
      ARRAY(SELECT w.name FROM machine w WHERE w.state = 'admitted' AND NOT knows_session(t, w)
        ORDER BY w.name) AS "strangers"
    FROM turn t WHERE t.state = 'queued' ORDER BY t.priority, t.n LIMIT p_limit) b);
END $$;
