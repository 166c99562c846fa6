import type { QuestionMessage } from '../../../ports/channel';
import { clipped } from '../pieces';

/** What one section holds, with room for the mark of a cut. */
const MAX_SECTION = 2_900;
const MAX_LABEL = 70;

/** Text that Slack shows literally: no mentions, no links with another text. */
export const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A question as blocks of plain text; buttons carry their data. Pure. */
export function blocksOf({ text, buttons }: QuestionMessage): Readonly<Record<string, unknown>> {
  return {
    // For notifications and screen readers.
    text: plain(clipped(text, MAX_SECTION)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: 'section',
        text: { type: 'plain_text', text: clipped(text, MAX_SECTION), emoji: false },
      },
      ...buttons.map((row, at) => ({
        type: 'actions',
        elements: row.map(({ label, data }, place) => ({
          type: 'button',
          text: { type: 'plain_text', text: label.slice(0, MAX_LABEL), emoji: false },
          value: data,
          action_id: `holdfast-${String(at)}-${String(place)}`,
        })),
      })),
    ],
  };
}
