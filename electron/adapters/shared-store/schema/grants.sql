-- What a machine may do: these calls, and no table. Run again after each migration.
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'holdfast_machine') THEN
    CREATE ROLE holdfast_machine NOLOGIN;
  END IF;
END $$;
GRANT USAGE ON SCHEMA holdfast TO holdfast_machine;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  holdfast.hello(uuid, text, uuid, text, integer, integer, text[], bigint),
  holdfast.send(uuid, text, integer, text, text[], boolean, text),
  holdfast.put_text(text, text),
  holdfast.get_text(text),
  holdfast.claim(uuid, uuid, uuid, bigint, integer, bigint),
  holdfast.renew(uuid, uuid[], integer[], integer),
  holdfast.append(uuid, uuid, integer, integer, text[], integer, text, bigint, boolean),
  holdfast.entries(uuid, integer),
  holdfast.earlier(uuid, integer),
  holdfast.look(uuid, uuid, bigint, uuid[]),
  holdfast.drain(uuid),
  holdfast.cancel(uuid, text),
  holdfast.release(uuid),
  holdfast.pass(uuid, uuid, integer, bigint),
  holdfast.machines(),
  holdfast.waiting(integer),
  holdfast.prune(bigint, integer),
  holdfast.put_facts(json, boolean),
  holdfast.look_facts(uuid, uuid, bigint, uuid[], bigint),
  holdfast.ask(uuid, uuid, integer, text, text),
  holdfast.answer(uuid, integer, text, text, text)
TO holdfast_machine;
