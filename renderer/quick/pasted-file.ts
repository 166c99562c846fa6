/** A file pasted into a prompt: its text is added, because its path is not known. */
import { oneLine } from '../parts/inert-view';

/** Longer ones are attached by their path: the agent reads what it needs of them. */
export const MAX_PASTED_BYTES = 64 * 1024;

/** The text as a block with the name above it; undefined if the file is not text. Pure. */
export function pastedBlock(name: string, text: string): string | undefined {
  if (/[\u0000\ufffd]/.test(text)) return undefined;
  // A fence inside the text would end the block early.
  const longest = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${oneLine(name, 120)}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** The addition to the prompt for these files, and the names of files that cannot be added. */
export async function readPasted(
  files: readonly File[],
): Promise<{ readonly blocks: readonly string[]; readonly refused: readonly string[] }> {
  const blocks: string[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const block =
      file.size > MAX_PASTED_BYTES ? undefined : pastedBlock(file.name, await file.text());
    if (block === undefined) refused.push(file.name);
    else blocks.push(block);
  }
  return { blocks, refused };
}
