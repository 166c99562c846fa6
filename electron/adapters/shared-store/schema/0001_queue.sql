-- The shared queue. A machine's role may only call the functions at the end of this file: every rule
-- about who owns a turn is decided here, under the lock of its row, and none by a machine.
CREATE SCHEMA holdfast;
REVOKE ALL ON SCHEMA holdfast FROM PUBLIC;

CREATE TABLE holdfast.store (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  version integer NOT NULL,
  -- The smallest version of the client that this schema can work with.
  oldest_client integer NOT NULL,
  -- Another one after a person has accepted a store that went back in time.
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Why nobody may claim; empty where all is well.
  halted text NOT NULL DEFAULT ''
);
INSERT INTO holdfast.store (version, oldest_client) VALUES (1, 1);

-- Each accepted write takes a number. A machine that has seen a higher one than the store has knows
-- that the store has lost data.
CREATE SEQUENCE holdfast.mark;
SELECT nextval('holdfast.mark');

CREATE TABLE holdfast.machine (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- The database role that it connects as. Who calls is decided by the database, not by the caller.
  role name NOT NULL UNIQUE,
  -- Names the data directory; it says so itself with its first call.
  key uuid,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  state text NOT NULL DEFAULT 'invited' CHECK (state IN ('invited', 'asking', 'admitted', 'revoked')),
  invited_until timestamptz,
  life uuid,
  version text NOT NULL DEFAULT '',
  journal integer NOT NULL DEFAULT 0,
  caps text[] NOT NULL DEFAULT '{}',
  is_draining boolean NOT NULL DEFAULT false,
  clock_offset_ms bigint NOT NULL DEFAULT 0,
  contact_at timestamptz
);

CREATE TABLE holdfast.turn (
  id uuid PRIMARY KEY,
  -- The order of arrival.
  n bigserial NOT NULL,
  session text NOT NULL CHECK (length(session) BETWEEN 1 AND 200),
  priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 2),
  -- The message or schedule slot that it is: the same one again is the same turn, for ever.
  dedupe text UNIQUE,
  needs text[] NOT NULL DEFAULT '{}',
  -- The only machine that may run it.
  place uuid REFERENCES holdfast.machine,
  sender uuid NOT NULL REFERENCES holdfast.machine,
  -- The version of the journal that its entries are written in.
  journal integer NOT NULL DEFAULT 0,
  body text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'leased', 'done')),
  not_before timestamptz,
  -- The fencing token. Raised in the statement that grants the turn, and never lowered.
  epoch integer NOT NULL DEFAULT 0,
  owner uuid REFERENCES holdfast.machine,
  life uuid,
  request uuid,
  lease_until timestamptz,
  -- Ends without progress, over all machines.
  lives integer NOT NULL DEFAULT 0,
  entries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz
);
CREATE INDEX turn_open ON holdfast.turn (priority, n) WHERE state <> 'done';
CREATE INDEX turn_of_session ON holdfast.turn (session, n) WHERE state <> 'done';
CREATE INDEX turn_of_owner ON holdfast.turn (owner) WHERE state = 'leased';
-- Two turns of a session never run at once, whatever was sent while one was claimed.
CREATE UNIQUE INDEX turn_one_of_session ON holdfast.turn (session) WHERE state = 'leased';

CREATE TABLE holdfast.entry (
  turn uuid NOT NULL REFERENCES holdfast.turn ON DELETE CASCADE,
  n integer NOT NULL,
  epoch integer NOT NULL,
  machine uuid NOT NULL,
  life uuid NOT NULL,
  body text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (turn, n)
);

-- Texts that are too long for an entry, by their content.
CREATE TABLE holdfast.text (
  hash text PRIMARY KEY,
  body text NOT NULL
);

-- ---- Who calls -------------------------------------------------------------------------------

CREATE FUNCTION holdfast.caller() RETURNS holdfast.machine
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine;
BEGIN
  SELECT * INTO m FROM machine WHERE role = session_user;
  IF NOT FOUND THEN RAISE EXCEPTION 'unknown machine' USING ERRCODE = 'HF001'; END IF;
  IF m.state <> 'admitted' THEN
    RAISE EXCEPTION '%', m.state USING ERRCODE = CASE m.state WHEN 'revoked' THEN 'HF002' ELSE 'HF003' END;
  END IF;
  RETURN m;
END $$;

-- Why this caller may claim nothing; empty where it may. Notes a store that has gone back in time.
CREATE FUNCTION holdfast.refusal(p_m holdfast.machine, p_life uuid, p_incarnation uuid, p_seen bigint)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE s store; newest bigint;
BEGIN
  SELECT * INTO s FROM store;
  IF s.halted <> '' THEN RETURN 'halted'; END IF;
  SELECT last_value INTO newest FROM mark;
  IF s.incarnation <> p_incarnation THEN RETURN 'incarnation'; END IF;
  IF newest < p_seen THEN
    UPDATE store SET halted = format('%s has seen write %s, and the store has only %s', p_m.name, p_seen, newest);
    RETURN 'halted';
  END IF;
  IF p_m.life IS DISTINCT FROM p_life THEN RETURN 'superseded'; END IF;
  RETURN '';
END $$;

CREATE FUNCTION holdfast.hello(
  p_key uuid, p_name text, p_life uuid, p_version text, p_client integer, p_journal integer,
  p_caps text[], p_clock_ms bigint
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine; s store; newest bigint;
BEGIN
  SELECT * INTO s FROM store;
  IF p_client < s.oldest_client THEN RAISE EXCEPTION 'client too old' USING ERRCODE = 'HF004'; END IF;
  SELECT * INTO m FROM machine WHERE role = session_user FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'unknown machine' USING ERRCODE = 'HF001'; END IF;
  IF m.state = 'revoked' THEN RAISE EXCEPTION 'revoked' USING ERRCODE = 'HF002'; END IF;
  IF m.state = 'invited' THEN
    IF m.invited_until < clock_timestamp() THEN
      RAISE EXCEPTION 'invitation expired' USING ERRCODE = 'HF005';
    END IF;
    UPDATE machine SET state = 'asking' WHERE id = m.id;
    m.state := 'asking';
  ELSIF m.key IS NOT NULL AND m.key <> p_key THEN
    -- An invitation or a role is for one data directory.
    RAISE EXCEPTION 'another machine' USING ERRCODE = 'HF006';
  END IF;
  UPDATE machine SET key = p_key, name = left(p_name, 64), life = p_life, version = left(p_version, 64),
    journal = p_journal, caps = p_caps, is_draining = false, contact_at = clock_timestamp(),
    clock_offset_ms = p_clock_ms - (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    WHERE id = m.id;
  SELECT last_value INTO newest FROM mark;
  RETURN json_build_object('machine', m.id, 'state', m.state, 'incarnation', s.incarnation,
    'halted', s.halted, 'mark', newest);
END $$;

-- ---- Work in ---------------------------------------------------------------------------------

CREATE FUNCTION holdfast.send(
  p_id uuid, p_session text, p_priority integer, p_dedupe text, p_needs text[], p_is_here boolean,
  p_body text
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); known uuid;
BEGIN
  INSERT INTO turn (id, session, priority, dedupe, needs, place, sender, journal, body)
    VALUES (p_id, p_session, p_priority, p_dedupe, p_needs, CASE WHEN p_is_here THEN m.id END, m.id,
      m.journal, p_body)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    PERFORM pg_notify('holdfast', 'work');
    RETURN json_build_object('id', p_id, 'isNew', true, 'mark', nextval('mark'));
  END IF;
  SELECT id INTO known FROM turn WHERE id = p_id OR dedupe = p_dedupe ORDER BY n LIMIT 1;
  RETURN json_build_object('id', known, 'isNew', false, 'mark', (SELECT last_value FROM mark));
END $$;

CREATE FUNCTION holdfast.put_text(p_hash text, p_body text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  IF encode(sha256(convert_to(p_body, 'UTF8')), 'hex') <> p_hash THEN
    RAISE EXCEPTION 'the text is not the one of this hash' USING ERRCODE = 'HF007';
  END IF;
  INSERT INTO text (hash, body) VALUES (p_hash, p_body) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION holdfast.get_text(p_hash text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  RETURN (SELECT body FROM text WHERE hash = p_hash);
END $$;

-- ---- Work out --------------------------------------------------------------------------------

CREATE FUNCTION holdfast.granted(p_turn holdfast.turn, p_took text) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT json_build_object('kind', 'granted', 'id', p_turn.id, 'session', p_turn.session,
    'epoch', p_turn.epoch, 'lives', p_turn.lives, 'entries', p_turn.entries, 'body', p_turn.body,
    'sender', p_turn.sender, 'took', p_took, 'mark', (SELECT last_value FROM mark))
$$;

-- Grants at most one turn. The same request again gets the same answer, so a lost one costs nothing.
CREATE FUNCTION holdfast.claim(
  p_life uuid, p_request uuid, p_incarnation uuid, p_seen bigint, p_lease_ms integer, p_max_wait_ms bigint
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn; why text; took text; now_at timestamptz := clock_timestamp();
BEGIN
  -- Claims of one machine come one after the other: the try before this one may still be at work.
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.claim'), hashtext(m.id::text));
  why := refusal(m, p_life, p_incarnation, p_seen);
  IF why <> '' THEN RETURN json_build_object('kind', 'refused', 'why', why); END IF;
  SELECT * INTO t FROM turn
    WHERE owner = m.id AND state = 'leased' AND life = p_life AND request = p_request;
  IF FOUND THEN RETURN granted(t, ''); END IF;
  IF m.is_draining THEN RETURN json_build_object('kind', 'none'); END IF;
  SELECT c.* INTO t FROM turn c
    WHERE (
        c.state = 'queued' AND (c.not_before IS NULL OR c.not_before <= now_at)
        OR c.state = 'leased' AND c.lease_until < now_at AND NOT (c.owner = m.id AND c.life = p_life)
        -- An earlier life of this machine: its data directory is locked by this one.
        OR c.state = 'leased' AND c.owner = m.id AND c.life <> p_life
      )
      AND c.needs <@ m.caps AND c.journal <= m.journal
      AND (c.place IS NULL OR c.place = m.id)
      AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.n < c.n AND o.state <> 'done')
      AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.id <> c.id AND o.state = 'leased')
    ORDER BY CASE WHEN c.created_at < now_at - p_max_wait_ms * interval '1 ms' THEN -1 ELSE c.priority END, c.n
    LIMIT 1 FOR UPDATE OF c SKIP LOCKED;
  IF NOT FOUND THEN RETURN json_build_object('kind', 'none'); END IF;
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

-- Keeps the leases of turns whose epoch still holds; the others come back as lost.
CREATE FUNCTION holdfast.renew(p_life uuid, p_turns uuid[], p_epochs integer[], p_lease_ms integer)
RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); kept uuid[];
BEGIN
  WITH mine AS (
    UPDATE turn t SET lease_until = clock_timestamp() + p_lease_ms * interval '1 ms'
      FROM unnest(p_turns, p_epochs) AS h (id, epoch)
      WHERE t.id = h.id AND t.epoch = h.epoch AND t.owner = m.id AND t.life = p_life AND t.state = 'leased'
      RETURNING t.id
  ) SELECT coalesce(array_agg(id), '{}') INTO kept FROM mine;
  UPDATE machine SET contact_at = clock_timestamp() WHERE id = m.id;
  RETURN json_build_object('kept', kept);
END $$;

-- ---- Steps -----------------------------------------------------------------------------------

-- Appends entries of a turn under its epoch, and says how the turn goes on: `leased`, `queued` (given
-- back) or `done`. Each append renews the lease. The same append again is accepted and changes nothing.
CREATE FUNCTION holdfast.append(
  p_life uuid, p_turn uuid, p_epoch integer, p_from integer, p_bodies text[], p_lease_ms integer,
  p_after text, p_delay_ms bigint, p_is_progress boolean
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn; total integer := p_from + coalesce(array_length(p_bodies, 1), 0);
BEGIN
  SELECT * INTO t FROM turn WHERE id = p_turn FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN json_build_object('kind', 'fenced', 'epoch', 0, 'state', 'gone', 'owner', ''); END IF;
  IF t.epoch <> p_epoch OR t.owner IS DISTINCT FROM m.id OR t.life IS DISTINCT FROM p_life
    OR (t.state <> 'leased' AND NOT (t.state = p_after AND t.entries = total)) THEN
    RETURN json_build_object('kind', 'fenced', 'epoch', t.epoch, 'state', t.state,
      'owner', coalesce((SELECT name FROM machine WHERE id = t.owner), ''));
  END IF;
  IF (SELECT halted FROM store) <> '' THEN RETURN json_build_object('kind', 'halted'); END IF;
  IF t.entries = total AND t.entries > p_from OR t.state <> 'leased' THEN
    -- It had arrived, and its answer was lost.
    NULL;
  ELSIF t.entries <> p_from THEN
    RETURN json_build_object('kind', 'gap', 'entries', t.entries);
  ELSE
    INSERT INTO entry (turn, n, epoch, machine, life, body)
      SELECT p_turn, p_from + i, p_epoch, m.id, p_life, p_bodies[i] FROM generate_subscripts(p_bodies, 1) AS i;
  END IF;
  UPDATE turn SET entries = total, state = p_after, journal = greatest(journal, m.journal),
    lease_until = CASE WHEN p_after = 'leased' THEN clock_timestamp() + p_lease_ms * interval '1 ms' END,
    not_before = CASE WHEN p_after = 'queued' THEN clock_timestamp() + p_delay_ms * interval '1 ms' END,
    ended_at = CASE WHEN p_after = 'done' THEN clock_timestamp() END,
    lives = CASE WHEN p_is_progress THEN 0 ELSE lives END
    WHERE id = p_turn;
  IF p_after <> 'leased' THEN PERFORM pg_notify('holdfast', p_after || ' ' || p_turn); END IF;
  RETURN json_build_object('kind', 'appended', 'mark', nextval('mark'));
END $$;

-- A computer reads what it has sent, and what it may run.
CREATE FUNCTION holdfast.need_readable(p_m holdfast.machine, p_turn uuid) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = p_turn AND (t.sender = p_m.id OR t.owner = p_m.id
    OR t.needs <@ p_m.caps AND (t.place IS NULL OR t.place = p_m.id))) THEN
    RAISE EXCEPTION 'not for this machine' USING ERRCODE = 'HF008';
  END IF;
END $$;

CREATE FUNCTION holdfast.entries(p_turn uuid, p_from integer)
RETURNS TABLE (n integer, epoch integer, machine text, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM need_readable(caller(), p_turn);
  RETURN QUERY SELECT e.n, e.epoch, coalesce(w.name, ''), e.body
    FROM entry e LEFT JOIN machine w ON w.id = e.machine WHERE e.turn = p_turn AND e.n > p_from ORDER BY e.n;
END $$;

-- The turns of a session that are over, oldest first, before one: its conversation.
CREATE FUNCTION holdfast.earlier(p_turn uuid, p_limit integer)
RETURNS TABLE (id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM need_readable(caller(), p_turn);
  RETURN QUERY SELECT b.id, b.body FROM (
    SELECT o.id, o.body, o.n FROM turn o JOIN turn t ON t.id = p_turn
      WHERE o.session = t.session AND o.n < t.n ORDER BY o.n DESC LIMIT p_limit
  ) b ORDER BY b.n;
END $$;

-- The small question of an idle machine: is there work, and what became of turns it knows.
CREATE FUNCTION holdfast.look(p_life uuid, p_incarnation uuid, p_seen bigint, p_turns uuid[])
RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); why text; known json;
BEGIN
  UPDATE machine SET contact_at = clock_timestamp() WHERE machine.id = m.id;
  why := refusal(m, p_life, p_incarnation, p_seen);
  SELECT coalesce(json_agg(json_build_object('id', t.id, 'epoch', t.epoch, 'state', t.state,
      'owner', t.owner, 'ownerName', coalesce(w.name, ''), 'isHere', t.owner = m.id AND t.life = p_life,
      'entries', t.entries, 'waits', CASE
        WHEN t.state <> 'queued' THEN ''
        WHEN t.place IS NOT NULL AND t.place <> m.id THEN 'place'
        WHEN NOT t.needs <@ m.caps THEN 'needs'
        WHEN t.journal > m.journal THEN 'version'
        ELSE 'turn' END)), '[]') INTO known
    FROM turn t LEFT JOIN machine w ON w.id = t.owner WHERE t.id = ANY (p_turns);
  RETURN json_build_object('refused', why, 'turns', known, 'mark', (SELECT last_value FROM mark),
    'nextLeaseMs', (SELECT ceil(extract(epoch FROM min(c.lease_until) - clock_timestamp()) * 1000)
      FROM turn c WHERE c.state = 'leased' AND c.owner <> m.id),
    'hasWork', EXISTS (SELECT 1 FROM turn c WHERE c.state = 'queued'
        AND (c.not_before IS NULL OR c.not_before <= clock_timestamp())
      OR c.state = 'leased' AND (c.lease_until < clock_timestamp() OR c.owner = m.id AND c.life <> p_life)));
END $$;

-- Nothing new is granted to this machine; what it has, it ends or gives back.
CREATE FUNCTION holdfast.drain(p_life uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller();
BEGIN
  UPDATE machine SET is_draining = true WHERE id = m.id AND life = p_life;
END $$;

-- A person has stopped the turn, on whatever computer: its owner is refused from here on.
CREATE FUNCTION holdfast.cancel(p_turn uuid, p_body text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn;
BEGIN
  SELECT * INTO t FROM turn WHERE id = p_turn AND state <> 'done' FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO entry (turn, n, epoch, machine, life, body)
    VALUES (p_turn, t.entries + 1, t.epoch + 1, m.id, m.life, p_body);
  UPDATE turn SET state = 'done', epoch = epoch + 1, entries = entries + 1, owner = m.id, life = m.life,
    lease_until = NULL, ended_at = clock_timestamp() WHERE id = p_turn;
  PERFORM nextval('mark');
  PERFORM pg_notify('holdfast', 'done ' || p_turn);
  RETURN true;
END $$;

-- A person lets a turn run anywhere that was for a machine which is gone.
CREATE FUNCTION holdfast.release(p_turn uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  UPDATE turn SET place = NULL WHERE id = p_turn AND place IS NOT NULL AND state <> 'done';
  IF FOUND THEN PERFORM pg_notify('holdfast', 'work'); END IF;
  RETURN FOUND;
END $$;

-- ---- Looking at it ---------------------------------------------------------------------------

CREATE FUNCTION holdfast.machines() RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller();
BEGIN
  RETURN (SELECT coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'state', w.state,
    'isThis', w.id = m.id, 'version', w.version, 'isDraining', w.is_draining, 'caps', w.caps,
    'clockOffsetMs', w.clock_offset_ms,
    'contactAgoMs', (extract(epoch FROM clock_timestamp() - w.contact_at) * 1000)::bigint,
    'leases', (SELECT count(*) FROM turn t WHERE t.owner = w.id AND t.state = 'leased')) ORDER BY w.name), '[]')
    FROM machine w);
END $$;

-- What waits, and what no machine that is here can take.
CREATE FUNCTION holdfast.waiting(p_limit integer) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM caller();
  RETURN (SELECT coalesce(json_agg(b), '[]') FROM (
    SELECT t.id, t.session, t.priority, t.needs,
      (extract(epoch FROM clock_timestamp() - t.created_at) * 1000)::bigint AS "waitsMs",
      coalesce((SELECT name FROM machine WHERE id = t.place), '') AS place,
      (SELECT coalesce(json_agg(need), '[]') FROM unnest(t.needs) need WHERE NOT EXISTS (
        SELECT 1 FROM machine w WHERE w.state = 'admitted' AND need = ANY (w.caps))) AS "unmet",
      EXISTS (SELECT 1 FROM turn o WHERE o.session = t.session AND o.n < t.n AND o.state <> 'done') AS "isBehind"
    FROM turn t WHERE t.state = 'queued' ORDER BY t.priority, t.n LIMIT p_limit) b);
END $$;

-- ---- For the person who owns the store -------------------------------------------------------

CREATE FUNCTION holdfast.invite(p_role name, p_name text, p_for_ms bigint) RETURNS uuid
LANGUAGE sql SET search_path = holdfast, pg_temp AS $$
  INSERT INTO machine (role, name, invited_until)
    VALUES (p_role, p_name, clock_timestamp() + p_for_ms * interval '1 ms') RETURNING id
$$;

CREATE FUNCTION holdfast.admit(p_machine uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = holdfast, pg_temp AS $$
BEGIN
  UPDATE machine SET state = 'admitted' WHERE id = p_machine AND state = 'asking';
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM pg_notify('holdfast', 'admitted');
  RETURN true;
END $$;

-- At once: its calls are refused from here on, and what it had goes to the others.
CREATE FUNCTION holdfast.revoke(p_machine uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = holdfast, pg_temp AS $$
BEGIN
  UPDATE machine SET state = 'revoked' WHERE id = p_machine;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE turn SET lease_until = clock_timestamp() WHERE owner = p_machine AND state = 'leased';
  PERFORM pg_notify('holdfast', 'work');
  RETURN true;
END $$;

-- The store has lost data and goes on with what it has. Tokens of before are never granted again.
CREATE FUNCTION holdfast.accept_loss() RETURNS void
LANGUAGE plpgsql SET search_path = holdfast, pg_temp AS $$
BEGIN
  UPDATE store SET halted = '', incarnation = gen_random_uuid();
  UPDATE turn SET epoch = epoch + 1000000, lease_until = clock_timestamp() WHERE state <> 'done';
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA holdfast FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA holdfast FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC;
