-- What a turn asks a person, under the epoch of the run that asks. The first answer counts, wherever it
-- comes from; the run of another epoch asks again.
CREATE TABLE holdfast.question (
  turn uuid NOT NULL REFERENCES holdfast.turn ON DELETE CASCADE,
  epoch integer NOT NULL,
  -- Made of the exact bytes that are asked about.
  id text NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
  body text NOT NULL,
  answer text,
  answered_by text,
  machine uuid,
  PRIMARY KEY (turn, epoch, id)
);
REVOKE ALL ON holdfast.question FROM PUBLIC;

-- Only the owner of the turn asks. The same question again changes nothing.
CREATE FUNCTION holdfast.ask(
  p_life uuid, p_turn uuid, p_epoch integer, p_id text, p_body text
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn;
BEGIN
  SELECT * INTO t FROM turn WHERE id = p_turn FOR NO KEY UPDATE;
  IF t.epoch IS DISTINCT FROM p_epoch OR t.owner IS DISTINCT FROM m.id
    OR t.life IS DISTINCT FROM p_life OR t.state <> 'leased' THEN RETURN false; END IF;
  INSERT INTO question (turn, epoch, id, body) VALUES (p_turn, p_epoch, p_id, p_body)
    ON CONFLICT DO NOTHING;
  PERFORM pg_notify('holdfast', 'question');
  RETURN true;
END $$;

-- One answer, under the lock of the turn. The same one from the same computer again is accepted.
CREATE FUNCTION holdfast.answer(
  p_turn uuid, p_epoch integer, p_id text, p_answer text, p_by text
) RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE m machine := caller(); t turn; q question;
BEGIN
  PERFORM need_readable(m, p_turn);
  SELECT * INTO t FROM turn WHERE id = p_turn FOR NO KEY UPDATE;
  SELECT * INTO q FROM question WHERE turn = p_turn AND epoch = p_epoch AND id = p_id;
  IF q.id IS NULL OR t.epoch <> p_epoch OR t.state <> 'leased' THEN
    RETURN json_build_object('kind', 'stale');
  END IF;
  IF q.answer IS NOT NULL THEN
    IF q.machine = m.id AND q.answer = p_answer THEN RETURN json_build_object('kind', 'taken'); END IF;
    RETURN json_build_object('kind', 'answered', 'by', q.answered_by);
  END IF;
  UPDATE question SET answer = p_answer, answered_by = left(p_by, 100), machine = m.id
    WHERE turn = p_turn AND epoch = p_epoch AND id = p_id;
  PERFORM pg_notify('holdfast', 'question');
  RETURN json_build_object('kind', 'taken');
END $$;
REVOKE ALL ON FUNCTION holdfast.ask(uuid, uuid, integer, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION holdfast.answer(uuid, integer, text, text, text) FROM PUBLIC;

-- The small question of an idle computer: with open questions of turns that it knows, and answers to its own.
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
        AND (t.sender = m.id OR t.needs <@ m.caps AND (t.place IS NULL OR t.place = m.id)));
  RETURN (look(p_life, p_incarnation, p_seen, p_turns)::jsonb
    || jsonb_build_object('facts', told, 'factsUpTo', upto, 'questions', asked))::json;
END $$;
