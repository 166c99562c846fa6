/**
 * Unsent text, field by field: what is in the window, what is on disk, and when it is written.
 * Depends on neither the page nor the bridge; `use-unsent.ts` connects them.
 */
import { MAX_UNSENT_CHARS } from '../../shared/types/unsent';
import type { SentText, UnsentText } from '../../shared/types/unsent';

/** From the last key press to the write. */
export const KEEP_AFTER_MS = 300;
/** Continuous typing is written no later than this after the first key press. */
const KEEP_AT_LAST_MS = 1_000;
/** Above this size a write slows down the steps of turns, so writes are less frequent. */
const LARGE_CHARS = 32_768;

/** What the mark below a field shows. */
export type Keeping = 'nothing' | 'keeping' | 'kept' | 'tooLong' | 'refused';

interface UnsentDeps {
  /** Undefined: nothing is stored. Rejects if that is unknown. */
  readonly read: (field: string) => Promise<UnsentText | undefined>;
  /** Resolves when it is on disk; false if the disk refused it. */
  readonly keep: (field: string, text: UnsentText) => Promise<boolean>;
  readonly nowMs: () => number;
  /** Calls back once; returns a function that cancels it. */
  readonly later: (delayMs: number, run: () => void) => () => void;
}

/** A field as a component sees it; the same object until something changes. */
export interface FieldView {
  readonly text: string;
  readonly keeping: Keeping;
  /** The text on disk is known. */
  readonly isRead: boolean;
}

export interface UnsentStore {
  view(field: string): FieldView;
  /** Subscribes; reads the text on disk if it is not known yet. */
  follow(field: string, listener: () => void): () => void;
  change(field: string, text: string): void;
  /** Call before sending the text; `undefined` if nothing is on disk to send with it. */
  sending(field: string): Promise<SentText | undefined>;
  /** The acceptance is on disk; text typed since then is kept. */
  sent(field: string, text: string): void;
  /**
   * The acceptance was not confirmed: the text stays stored, unless the disk shows that it was
   * accepted.
   */
  refused(field: string): void;
  /** Removed with its question or dismissed by the user; removed from disk too. */
  drop(field: string): void;
  /** Writes unsaved text at once, because the user is leaving the page. */
  flush(): Promise<void>;
  /** Another window may have written: an unedited field takes the text on disk. */
  readAgain(): void;
}

interface Slot {
  view: FieldView;
  rev: number;
  /** The text on disk, as far as known. */
  onDisk: string;
  cancel: (() => void) | undefined;
  writing: Promise<void> | undefined;
  /** Since when text has been unsaved. */
  dirtyAtMs: number | undefined;
  readonly listeners: Set<() => void>;
}

const NOTHING: FieldView = { text: '', keeping: 'nothing', isRead: false };

/** The stored text goes before text typed while it was loading. */
const joined = (kept: string, typed: string): string =>
  kept === '' || typed === kept ? typed || kept : typed === '' ? kept : `${kept}\n${typed}`;

/** The rest of a field after part of its text was accepted. */
const afterSending = (now: string, sent: string): string =>
  now.startsWith(sent) ? now.slice(sent.length) : now;

export function createUnsentStore(deps: UnsentDeps): UnsentStore {
  const slots = new Map<string, Slot>();
  const slotOf = (field: string): Slot => {
    const known = slots.get(field);
    if (known !== undefined) return known;
    const made: Slot = {
      view: NOTHING,
      rev: 0,
      onDisk: '',
      cancel: undefined,
      writing: undefined,
      dirtyAtMs: undefined,
      listeners: new Set(),
    };
    slots.set(field, made);
    return made;
  };

  const show = (slot: Slot, part: Partial<FieldView>): void => {
    slot.view = { ...slot.view, ...part };
    for (const listener of slot.listeners) listener();
  };
  /** No scheduled write. */
  const rest = (slot: Slot): void => {
    slot.cancel?.();
    slot.cancel = undefined;
  };
  const settled = ({ text }: FieldView): Keeping => (text === '' ? 'nothing' : 'kept');

  const write = (field: string, slot: Slot): void => {
    rest(slot);
    if (slot.writing !== undefined || slot.view.text === slot.onDisk) return;
    const { text } = slot.view;
    if (text.length > MAX_UNSENT_CHARS) return;
    slot.dirtyAtMs = undefined;
    slot.writing = deps.keep(field, { text, rev: slot.rev }).then((isKept) => {
      slot.writing = undefined;
      if (!isKept) {
        show(slot, { keeping: 'refused' });
        schedule(field, slot);
        return;
      }
      slot.onDisk = text;
      if (slot.view.text === text) show(slot, { keeping: settled(slot.view) });
      else schedule(field, slot);
    });
  };

  const schedule = (field: string, slot: Slot): void => {
    if (slot.writing !== undefined) return;
    slot.cancel?.();
    slot.dirtyAtMs ??= deps.nowMs();
    slot.cancel = deps.later(delayOf(slot), () => write(field, slot));
  };
  const delayOf = ({ view, dirtyAtMs = 0 }: Slot): number => {
    if (view.keeping === 'refused' || view.text.length > LARGE_CHARS) return KEEP_AT_LAST_MS;
    const leftMs = dirtyAtMs + KEEP_AT_LAST_MS - deps.nowMs();
    // A clock that was set back must not delay it.
    return Math.max(0, Math.min(KEEP_AFTER_MS, leftMs));
  };

  const change = (field: string, text: string): void => {
    const slot = slotOf(field);
    if (text === slot.view.text) return;
    slot.rev = Math.max(slot.rev + 1, deps.nowMs());
    const isTooLong = text.length > MAX_UNSENT_CHARS;
    const keeping = isTooLong ? 'tooLong' : text === '' ? 'nothing' : 'keeping';
    show(slot, { text, keeping });
    schedule(field, slot);
  };

  const take = (field: string, slot: Slot, kept: UnsentText | undefined): void => {
    const typed = slot.view.text;
    slot.onDisk = kept?.text ?? '';
    slot.rev = Math.max(slot.rev, kept?.rev ?? 0);
    const text = joined(slot.onDisk, typed);
    const isSame = text === slot.onDisk;
    if (!isSame) slot.rev = Math.max(slot.rev + 1, deps.nowMs());
    show(slot, {
      text,
      isRead: true,
      keeping: isSame ? settled({ ...slot.view, text }) : 'keeping',
    });
    if (!isSame) schedule(field, slot);
  };

  const read = (field: string, slot: Slot): void => {
    deps.read(field).then(
      (kept) => {
        if (!slot.view.isRead) take(field, slot, kept);
      },
      () => show(slot, { isRead: true }),
    );
  };

  const sent = (field: string, text: string): void => {
    const slot = slotOf(field);
    const left = afterSending(slot.view.text, text);
    if (slot.writing === undefined) slot.onDisk = '';
    show(slot, { text: left, keeping: left === '' ? 'nothing' : 'keeping' });
    if (left === slot.onDisk) return;
    slot.rev = Math.max(slot.rev + 1, deps.nowMs());
    schedule(field, slot);
  };

  return {
    view: (field) => slots.get(field)?.view ?? NOTHING,
    follow(field, listener) {
      const slot = slotOf(field);
      slot.listeners.add(listener);
      if (!slot.view.isRead) read(field, slot);
      return () => void slot.listeners.delete(listener);
    },
    change,
    async sending(field) {
      const slot = slotOf(field);
      rest(slot);
      // A pending write must not arrive after the acceptance: it would restore the text.
      while (slot.writing !== undefined) await slot.writing;
      rest(slot);
      return slot.rev === 0 ? undefined : { field, rev: slot.rev };
    },
    sent,
    refused(field) {
      const slot = slotOf(field);
      if (slot.view.text !== slot.onDisk) {
        // Immediately: the disk may refuse because Holdfast is stopping, and the journal closes
        // next.
        write(field, slot);
        return;
      }
      const { text } = slot.view;
      if (text === '') return;
      // It was on disk. If it no longer is, a commit took it and only the answer was lost.
      deps.read(field).then(
        (kept) => {
          if (kept === undefined && slot.onDisk === text) sent(field, text);
        },
        () => undefined,
      );
    },
    drop(field) {
      change(field, '');
      const slot = slotOf(field);
      write(field, slot);
    },
    async flush() {
      for (const [field, slot] of slots) if (slot.view.isRead) write(field, slot);
      // A write in progress may have had an older text.
      for (const { writing } of slots.values()) await writing;
      for (const [field, slot] of slots) {
        if (slot.cancel === undefined || slot.view.keeping === 'refused') continue;
        write(field, slot);
        await slot.writing;
      }
    },
    readAgain() {
      for (const [field, slot] of slots) {
        const isClean = slot.view.text === slot.onDisk && slot.writing === undefined;
        if (!isClean || !slot.view.isRead || slot.listeners.size === 0) continue;
        deps.read(field).then(
          (kept) => {
            const isStill = slot.view.text === slot.onDisk && slot.writing === undefined;
            if (!isStill || (kept?.text ?? '') === slot.onDisk) return;
            slot.onDisk = kept?.text ?? '';
            slot.rev = Math.max(slot.rev, kept?.rev ?? 0);
            show(slot, { text: slot.onDisk, keeping: slot.onDisk === '' ? 'nothing' : 'kept' });
          },
          () => undefined,
        );
      }
    },
  };
}
