-- A computer is told only of what it may have: a lease that ran out and that it may not take over, or an
-- agent that it has not got, is no reason to look again at once.
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
        WHEN NOT t.needs <@ m.caps THEN 'needs'
        WHEN t.journal > m.journal THEN 'version'
        ELSE 'turn' END)), '[]') INTO known
    FROM turn t LEFT JOIN machine w ON w.id = t.owner WHERE t.id = ANY (p_turns);
  RETURN json_build_object('refused', why, 'turns', known, 'mark', (SELECT last_value FROM mark),
    'nextLeaseMs', (SELECT ceil(extract(epoch FROM min(c.lease_until) - now_at) * 1000)
      FROM turn c WHERE c.state = 'leased' AND c.lease_until >= now_at
        AND grantable(c, m, p_life, 'infinity')),
    'hasWork', EXISTS (SELECT 1 FROM turn c WHERE c.state <> 'done' AND grantable(c, m, p_life, now_at)));
END $$;
