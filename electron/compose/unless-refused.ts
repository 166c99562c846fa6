import type { Journal } from '../ports/journal/journal';

/** Ends with the write, or with the word of the disk that it takes none now. */
export async function unlessRefused(
  journal: Pick<Journal, 'refusal' | 'onCommitted'>,
  written: Promise<unknown>,
): Promise<void> {
  if (journal.refusal() !== undefined) return;
  let unfollow = (): void => undefined;
  const refused = new Promise<void>((resolve) => {
    unfollow = journal.onCommitted(() => {
      if (journal.refusal() !== undefined) resolve();
    });
  });
  await Promise.race([written, refused]);
  unfollow();
}
