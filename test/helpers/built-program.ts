/**
 * The built program for plain Node, copied for the tests of one file: a build that is made meanwhile
 * would pull the chunks from under a running child.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

/** The path of the copy's entry; the copy is there while the tests of the calling file run. */
export function builtProgram(): string {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  // Inside the project, where its packages are found.
  const copy = mkdtempSync(path.join(dist, 'test-copy-'));
  beforeAll(() => {
    cpSync(path.join(dist, 'node'), copy, { recursive: true });
  });
  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });
  return path.join(copy, 'holdfast.cjs');
}
