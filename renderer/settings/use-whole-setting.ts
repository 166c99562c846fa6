/** A setting that is written as a whole, edited one entry at a time. */
import { useRef } from 'react';
import type { VerbInput } from '../../shared/contract';
import type { ConfigEntry } from '../../shared/types';
import { useCommand } from '../bridge';
import { valuesOf, withEntry } from '../parts/named-values';
import { isNews, isOverridden } from './settings-view';

type Value = VerbInput<'config.set'>['value'];

/**
 * Each change starts from the last written value. The page shows that value a moment later, so a
 * second click in the meantime would otherwise undo the first.
 */
export function useWholeSetting(entry: ConfigEntry | undefined) {
  const save = useCommand('config.set');
  const last = useRef<{ readonly value: unknown; readonly written: readonly string[] }>(undefined);
  const write = async (change: (value: unknown) => Value): Promise<boolean> => {
    if (entry === undefined) return false;
    const known = last.current;
    const shown = { value: entry.value, written: [JSON.stringify(entry.value)] };
    const base = known === undefined || isNews(entry.value, known.written) ? shown : known;
    const value = change(base.value);
    last.current = { value, written: [...base.written, JSON.stringify(value)] };
    const { ok } = await save.run({ key: entry.key, value });
    if (!ok) last.current = undefined;
    return ok;
  };
  return { write, isBusy: save.isBusy, trouble: save.trouble };
}

/** Writes one name at a time; what a value must be, the engine says. */
export function useNamedValues(entry: ConfigEntry) {
  const { write, ...rest } = useWholeSetting(entry);
  return {
    ...rest,
    isFixed: isOverridden(entry),
    set: (name: string, given: (before: unknown) => unknown): Promise<boolean> =>
      write((value) => withEntry(value, name, given(valuesOf(value)[name])) as Value),
  };
}
