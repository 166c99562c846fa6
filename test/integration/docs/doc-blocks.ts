/** Command blocks of a page: what a reader pastes into a shell. */

export interface Block {
  /** First line of the block in the page, from 1. */
  readonly line: number;
  readonly text: string;
  /** Why it cannot run here; undefined: it runs. */
  readonly notRun: string | undefined;
}

const FENCE = /^( *)```(\w*)\s*$/;
const MARK = /^ *<!-- not run: (.+) -->\s*$/;

/** Blocks in the order of the page; only `sh` and `console` are commands. Pure. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let mark: string | undefined;
  let open: { line: number; indent: number; isShell: boolean; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (open !== undefined) {
      if (fence === null) open.lines.push(line.slice(open.indent));
      else {
        if (open.isShell)
          blocks.push({ line: open.line, text: open.lines.join('\n'), notRun: mark });
        open = undefined;
        mark = undefined;
      }
    } else if (fence !== null) {
      const [, indent = '', language = ''] = fence;
      const isShell = language === 'sh' || language === 'console';
      open = { line: index + 2, indent: indent.length, isShell, lines: [] };
    } else if (MARK.test(line)) mark = MARK.exec(line)?.[1];
    // A mark is for the block right below it.
    else if (line.trim() !== '') mark = undefined;
  }
  return blocks;
}
