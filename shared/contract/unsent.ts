/** Typed but unsent text in a window. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { MAX_UNSENT_CHARS, unsentField, unsentText } from '../types/unsent';
import { COMMAND, QUERY, done, type VerbSpec } from './base';

export const UNSENT_VERBS = {
  'unsent.read': {
    ...QUERY,
    surface: 'window',
    input: exactObject(() => ({ field: unsentField })),
    output: exactObject(() => ({ kept: unsentText.optional() })),
    about: 'Text that was typed in a field and not sent',
  },
  'unsent.keep': {
    ...COMMAND,
    surface: 'window',
    /** A revision older than the stored one changes nothing; an empty text removes it. */
    input: exactObject(() => ({
      field: unsentField,
      text: z.string().max(MAX_UNSENT_CHARS),
      rev: z.number().int().positive(),
    })),
    output: () => done,
    about: 'Save the text of a field until it is sent: it is on disk when this returns',
  },
} as const satisfies Record<string, VerbSpec>;
