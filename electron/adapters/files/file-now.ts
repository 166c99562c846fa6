import type { FileNow } from '../../ports/drafts';
import { isBinary } from './read-file';
import { openForReading, placeInWorkspace } from './workspace-path';

/** Maximum size of a file that is compared while a user waits. */
const MAX_BYTES = 1024 * 1024;

/**
 * The text of a regular file within `workspace`. Never blocks on a pipe, never leaves the folder.
 */
export async function fileNow(workspace: string, path: string): Promise<FileNow> {
  const place = await placeInWorkspace(workspace, path);
  if (place.kind === 'outside') return { kind: 'outside', path };
  const { shown } = place;
  if (!place.exists) return { kind: 'missing', path: shown };
  const handle = await openForReading(place).catch(() => 'denied' as const);
  if (handle === 'missing') return { kind: 'missing', path: shown };
  if (handle === 'outside') return { kind: 'outside', path };
  if (typeof handle === 'string') return { kind: 'unreadable', path: shown };
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return { kind: 'too_large', sizeBytes: size, path: shown };
    // Only its length at open time: a growing file is not read to its end.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return isBinary(bytes)
      ? { kind: 'binary', path: shown }
      : { kind: 'text', text: bytes.toString('utf8'), path: shown };
  } catch {
    return { kind: 'unreadable', path: shown };
  } finally {
    await handle.close();
  }
}
