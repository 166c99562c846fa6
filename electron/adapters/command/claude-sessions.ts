import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClaudeSession, ClaudeSessions } from '../../ports/conversations';
import { inertLine } from '../tools/tool-host';
import { parsedOutside } from '../../engine/kernel/json-depth';
import { isJson, type Json } from '../../engine/kernel/json-object';

/** A record may be hundreds of megabytes; the relevant part is at its start. */
const HEAD_BYTES = 256 * 1024;
/** Maximum records opened for one list. */
const MAX_OPENED = 500;
/** Records of subagents are called `agent-…` and cannot be continued. */
const NAME = /^(?!agent-)([A-Za-z0-9][A-Za-z0-9._-]{0,199})\.jsonl$/;

interface SessionFile {
  readonly path: string;
  readonly ref: string;
  readonly atMs: number;
}

/** The conversations in a configuration folder of Claude Code, as currently on disk. Reads only. */
export function createClaudeSessions(configDir: string): ClaudeSessions {
  const projects = join(configDir, 'projects');
  const files = async (wanted?: string): Promise<readonly SessionFile[]> => {
    const folders = await entries(projects);
    const found = await Promise.all(
      folders
        .filter((one) => one.isDirectory())
        .map(async ({ name: folder }) => {
          const dir = join(projects, folder);
          const inside = await entries(dir);
          return Promise.all(
            inside.map(async (one): Promise<readonly SessionFile[]> => {
              const ref = NAME.exec(one.name)?.[1];
              if (!one.isFile() || ref === undefined) return [];
              if (wanted !== undefined && ref !== wanted) return [];
              const path = join(dir, one.name);
              const facts = await stat(path).catch(() => undefined); // Just deleted.
              return facts === undefined ? [] : [{ path, ref, atMs: Math.floor(facts.mtimeMs) }];
            }),
          );
        }),
    );
    return found.flat(2).sort((one, other) => other.atMs - one.atMs);
  };
  return {
    async list(limit, isWanted) {
      const listed: ClaudeSession[] = [];
      for (const file of (await files()).slice(0, MAX_OPENED)) {
        if (listed.length >= limit) break;
        const session = await readHead(file);
        if (session !== undefined && isWanted(session.folder)) listed.push(session);
      }
      return listed;
    },
    async find(ref) {
      for (const file of await files(ref)) {
        const session = await readHead(file);
        if (session !== undefined) return session;
      }
      return undefined;
    },
  };
}

const entries = (dir: string): Promise<readonly Dirent[]> =>
  readdir(dir, { withFileTypes: true }).catch(() => []); // Never used, or not readable for us.

async function readHead(file: SessionFile): Promise<ClaudeSession | undefined> {
  const handle = await open(file.path, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, HEAD_BYTES, 0);
    const head = readTranscriptHead(buffer.toString('utf8', 0, bytesRead));
    return head === undefined ? undefined : { ref: file.ref, lastUsedAtMs: file.atMs, ...head };
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Folder and first message of a record; undefined without a folder. Pure. */
function readTranscriptHead(
  text: string,
): { readonly folder: string; readonly firstWords: string } | undefined {
  let folder = '';
  for (const line of text.split('\n')) {
    const value = parsedOutside(line);
    if (!isJson(value)) continue;
    const { cwd } = value;
    if (folder === '' && typeof cwd === 'string') folder = cwd.slice(0, 4096);
    const words = wordsOf(value);
    if (folder !== '' && words !== '') return { folder, firstWords: inertLine(words) };
  }
  return folder === '' ? undefined : { folder, firstWords: '' };
}

/** What the user wrote; empty for the program's own messages. */
function wordsOf(line: Json): string {
  if (line['type'] !== 'user' || line['isMeta'] === true || line['isSidechain'] === true) return '';
  const content = (line['message'] as Json | null | undefined)?.['content'];
  const parts: readonly unknown[] = Array.isArray(content)
    ? content.map((part) => (part as Json | null)?.['text'])
    : [content];
  const text = parts.find((part) => typeof part === 'string' && part.trim() !== '');
  return typeof text === 'string' ? text.trim().slice(0, 400) : '';
}
