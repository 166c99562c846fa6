import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_UNSENT_CHARS } from '../../../shared/types/unsent';
import type { UnsentText } from '../../../shared/types/unsent';
import { formOf } from '../../../renderer/unsent/use-unsent';
import { createUnsentStore, KEEP_AFTER_MS } from '../../../renderer/unsent/unsent-store';

/** The disk of two windows, with a clock that is wound by hand. */
function world() {
  const disk = new Map<string, UnsentText>();
  let nowMs = 1_000_000;
  let timers: { atMs: number; run: () => void }[] = [];
  let isRefusing = false;
  const writes: string[] = [];
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 12; round += 1) await Promise.resolve();
  };
  const store = () =>
    createUnsentStore({
      read: async (field) => disk.get(field),
      async keep(field, kept) {
        if (isRefusing) return false;
        writes.push(kept.text);
        if ((disk.get(field)?.rev ?? 0) >= kept.rev) return true;
        if (kept.text === '') disk.delete(field);
        else disk.set(field, kept);
        return true;
      },
      nowMs: () => nowMs,
      later(delayMs, run) {
        const timer = { atMs: nowMs + delayMs, run };
        timers.push(timer);
        return () => void (timers = timers.filter((one) => one !== timer));
      },
    });
  return {
    disk,
    writes,
    store,
    settle,
    refuse: (is: boolean) => void (isRefusing = is),
    async pass(ms: number) {
      nowMs += ms;
      const due = timers.filter(({ atMs }) => atMs <= nowMs);
      timers = timers.filter(({ atMs }) => atMs > nowMs);
      for (const { run } of due) run();
      await settle();
    },
  };
}
const F = 'session/3';
let at: ReturnType<typeof world>;
beforeEach(() => {
  at = world();
});

async function opened() {
  const store = at.store();
  store.follow(F, () => undefined);
  await at.settle();
  return store;
}

describe('F1 unsent text', () => {
  it('is on disk 300 ms after the last key, and says so only then', async () => {
    const store = await opened();
    store.change(F, 'Hel');
    await at.pass(KEEP_AFTER_MS - 1);
    store.change(F, 'Hello');
    await at.pass(KEEP_AFTER_MS - 1);
    expect([store.view(F).keeping, at.disk.get(F)]).toEqual(['keeping', undefined]);
    await at.pass(1);
    expect([store.view(F).keeping, at.disk.get(F)?.text]).toEqual(['kept', 'Hello']);
    expect(at.writes).toEqual(['Hello']);
  });

  it('is written at least each second while somebody never stops typing', async () => {
    const store = await opened();
    let text = '';
    for (let key = 0; key < 40; key += 1) {
      text += 'x';
      store.change(F, text);
      await at.pass(100);
      expect(text.length - (at.disk.get(F)?.text.length ?? 0)).toBeLessThanOrEqual(11);
    }
  });

  it('is there again for the next window, and gone when the field is emptied', async () => {
    const store = await opened();
    store.change(F, 'Hello');
    await store.flush();
    const next = await opened();
    expect(next.view(F)).toEqual({ text: 'Hello', keeping: 'kept', isRead: true });
    next.change(F, '');
    await at.pass(KEEP_AFTER_MS);
    expect([next.view(F).keeping, at.disk.has(F)]).toEqual(['nothing', false]);
  });

  it('stands before what was typed until it was read', async () => {
    at.disk.set(F, { text: 'before', rev: 5 });
    const store = at.store();
    store.follow(F, () => undefined);
    store.change(F, 'after');
    await at.settle();
    expect(store.view(F).text).toBe('before\nafter');
    await at.pass(KEEP_AFTER_MS);
    expect(at.disk.get(F)?.text).toBe('before\nafter');
  });

  it('goes with its acceptance; what was typed meanwhile stays and is kept', async () => {
    const store = await opened();
    store.change(F, 'Hello');
    const sent = await store.sending(F);
    store.change(F, 'Hello and then');
    // The engine has dropped the row in the commit that accepted it.
    if (sent !== undefined && (at.disk.get(F)?.rev ?? 0) <= sent.rev) at.disk.delete(F);
    store.sent(F, 'Hello');
    expect(store.view(F).text).toBe(' and then');
    await at.pass(KEEP_AFTER_MS);
    expect(at.disk.get(F)?.text).toBe(' and then');
  });

  it('is not written after its acceptance by a write that was on its way', async () => {
    const store = await opened();
    store.change(F, 'Hello');
    void store.flush();
    const sent = await store.sending(F);
    expect(at.disk.get(F)?.rev).toBe(sent?.rev);
    at.disk.delete(F);
    store.sent(F, 'Hello');
    await at.pass(5_000);
    expect([at.disk.has(F), store.view(F).keeping]).toEqual([false, 'nothing']);
  });

  it('that was not accepted is kept as before', async () => {
    const store = await opened();
    store.change(F, 'Hello');
    await store.sending(F);
    await at.pass(5_000);
    expect(at.disk.has(F)).toBe(false);
    store.refused(F);
    await at.pass(KEEP_AFTER_MS);
    expect(at.disk.get(F)?.text).toBe('Hello');
  });

  it('whose acceptance was not told is not unsent: the commit that accepted it took it from the disk', async () => {
    const store = await opened();
    store.change(F, 'Hello');
    await at.pass(KEEP_AFTER_MS);
    await store.sending(F);
    at.disk.delete(F);
    store.refused(F);
    await at.settle();
    expect(store.view(F)).toMatchObject({ text: '', keeping: 'nothing' });
    await at.pass(5_000);
    expect(at.disk.has(F)).toBe(false);
  });

  it('says that the disk refuses it, tries again, and says that it is kept', async () => {
    const store = await opened();
    at.refuse(true);
    store.change(F, 'Hello');
    await at.pass(KEEP_AFTER_MS);
    expect(store.view(F).keeping).toBe('refused');
    at.refuse(false);
    await at.pass(1_000);
    expect([store.view(F).keeping, at.disk.get(F)?.text]).toEqual(['kept', 'Hello']);
  });

  it('above 256 KB stays in the field and says that it is not kept', async () => {
    const store = await opened();
    store.change(F, 'x'.repeat(MAX_UNSENT_CHARS + 1));
    await at.pass(5_000);
    expect([store.view(F).keeping, at.writes.length]).toEqual(['tooLong', 0]);
    store.change(F, 'x'.repeat(MAX_UNSENT_CHARS));
    await at.pass(1_000);
    expect(store.view(F).keeping).toBe('kept');
  });

  it('of two windows is what was typed last; who comes back to the other finds it there', async () => {
    const [one, other] = [await opened(), await opened()];
    one.change(F, 'from the one');
    await at.pass(KEEP_AFTER_MS);
    other.readAgain();
    await at.settle();
    expect(other.view(F).text).toBe('from the one');
    other.change(F, 'from the one and the other');
    await at.pass(KEEP_AFTER_MS);
    await at.pass(10_000);
    one.readAgain();
    await at.settle();
    expect([one.view(F).text, at.disk.get(F)?.text]).toEqual([
      'from the one and the other',
      'from the one and the other',
    ]);
    // Neither writes without a person.
    expect(at.writes).toEqual(['from the one', 'from the one and the other']);
  });

  it('that is being typed is not taken away by what another window has', async () => {
    const [one, other] = [await opened(), await opened()];
    one.change(F, 'theirs');
    await at.pass(KEEP_AFTER_MS);
    other.change(F, 'mine');
    other.readAgain();
    await at.settle();
    expect(other.view(F).text).toBe('mine');
  });
});

describe('F1 what is kept of a form', () => {
  const first = {
    name: '',
    zone: 'UTC',
    agent: undefined as string | undefined,
    env: [] as readonly string[],
  };
  it.each([
    ['nothing', '', first],
    ['no JSON', '{"name":', first],
    ['no object', '[1]', first],
    ['a field', '{"name":"x"}', { ...first, name: 'x' }],
    ['a field that may be absent', '{"agent":"a"}', { ...first, agent: 'a' }],
    ['a list', '{"env":["A"]}', { ...first, env: ['A'] }],
    ['a list of something else', '{"env":[1]}', first],
    ['a field of another form', '{"key":"sk-1"}', first],
    ['a prototype', '{"__proto__":{"name":"x"}}', first],
    ['another kind', '{"name":{"a":1}}', first],
  ])('%s', (_name, text, form) => expect(formOf(text, first)).toEqual(form));
});
