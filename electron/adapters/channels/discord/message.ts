import type { QuestionMessage } from '../../../ports/channel';
import { clipped } from '../pieces';

/** What a message holds. */
export const MAX_CHARS = 2_000;
const MAX_LABEL = 80;
const MAX_ROW = 5;

/** Characters that would create markup, a mention or a link with another text. */
const MARKS = /[\\*_~`|<>#@[\]()]|^[-+]|^\d+(?=\.)/gm;

/** Text that Discord shows literally. Pure. */
export const plain = (text: string): string => text.replace(MARKS, (sign) => `\\${sign}`);

/** Length of the text as sent. */
export const plainSize = (text: string): number => plain(text).length;

/** On every message: no mention notifies anyone, and links get no preview. */
export const QUIET = { allowed_mentions: { parse: [] }, flags: 4 } as const;

/** A question with its buttons below it. Pure. */
export function messageOf({ text, buttons }: QuestionMessage): Readonly<Record<string, unknown>> {
  return {
    ...QUIET,
    content: plain(clipped(text, MAX_CHARS - 50, plainSize)),
    components: buttons.map((row) => ({
      type: 1,
      components: row.slice(0, MAX_ROW).map(({ label, data }) => ({
        type: 2,
        style: 2,
        label: label.slice(0, MAX_LABEL),
        custom_id: data,
      })),
    })),
  };
}
