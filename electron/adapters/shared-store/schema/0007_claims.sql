-- Whether a computer may have a conversation costs more to find out than all else about a turn. So a claim asks
-- it of one turn after the other, and stops at the first that it may have.

-- No setting of their own, so that the planner can put them into the query that asks; every name says its schema.
CREATE OR REPLACE FUNCTION holdfast.conversation(p_turn holdfast.turn) RETURNS SETOF holdfast.turn
LANGUAGE sql STABLE AS $$
  SELECT * FROM holdfast.turn o
    WHERE o.session = p_turn.session AND o.n < p_turn.n AND o.state = 'done' AND o.pruned_at IS NULL
    ORDER BY o.n DESC LIMIT 20
$$;

CREATE OR REPLACE FUNCTION holdfast.knows_session(p_turn holdfast.turn, p_m holdfast.machine) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT 1 FROM holdfast.conversation(p_turn) o WHERE NOT holdfast.readable(o, p_m))
$$;

-- The first turn that this computer may have, with its row locked: the longest waiting of those that came before
-- a time, or by priority and age where none is given. It walks an index: what waits behind that turn costs
-- nothing.
CREATE FUNCTION holdfast.next_turn(
  p_m holdfast.machine, p_life uuid, p_now timestamptz, p_before timestamptz DEFAULT NULL
) RETURNS holdfast.turn LANGUAGE plpgsql SET search_path = holdfast, pg_temp SET enable_sort = off AS $$
DECLARE t turn; line refcursor; first_id uuid;
BEGIN
  -- Read without a lock: what is only looked at stays free for the other computers.
  IF p_before IS NULL THEN
    OPEN line FOR SELECT c.id FROM turn c
      WHERE c.state <> 'done' AND grantable(c, p_m, p_life, p_now)
        AND c.n = (SELECT min(o.n) FROM turn o WHERE o.session = c.session AND o.state <> 'done')
        AND knows_session(c, p_m)
      ORDER BY c.priority, c.n;
  ELSE
    OPEN line FOR SELECT c.id FROM turn c
      WHERE c.state <> 'done' AND c.created_at < p_before AND grantable(c, p_m, p_life, p_now)
        AND c.n = (SELECT min(o.n) FROM turn o WHERE o.session = c.session AND o.state <> 'done')
        AND knows_session(c, p_m)
      ORDER BY c.created_at;
  END IF;
  LOOP
    FETCH line INTO first_id;
    EXIT WHEN NOT FOUND;
    -- All of it once more, under the lock: another computer may have been granted it since it was read.
    SELECT c.* INTO t FROM turn c
      WHERE c.id = first_id AND c.state <> 'done' AND grantable(c, p_m, p_life, p_now) AND knows_session(c, p_m)
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.n < c.n AND o.state <> 'done')
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session AND o.id <> c.id AND o.state = 'leased')
      FOR UPDATE OF c SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  CLOSE line;
  RETURN t;
END $$;
REVOKE ALL ON FUNCTION
  holdfast.next_turn(holdfast.machine, uuid, timestamptz, timestamptz) FROM PUBLIC;

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
    t := next_turn(m, p_life, now_at, aged);
  END IF;
  IF t.id IS NULL THEN t := next_turn(m, p_life, now_at); END IF;
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

-- A table that is new to the statistics tempts the planner to read and sort all that is over for each turn that
-- waits; there is an index in that order.
ALTER FUNCTION holdfast.look(uuid, uuid, bigint, uuid[]) SET enable_sort = off;
