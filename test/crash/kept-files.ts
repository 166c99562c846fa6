/** What lies beside the journal, in whatever a power cut has left: whole, and there where it was answered as saved. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { draftFileProblems } from './drafts';
import { rowsOf } from './evidence';
import type { Realm } from './realm';

/** The field of the windows whose text the traced lives keep. */
export const TYPED_FIELD = 'ask';
/** Long enough for more than one page of the database. */
export const typedText = (index: number): string =>
  `typed ${String(index)} ${'and more '.repeat(900)}`;

/** In every image, also where nothing was said of any of it. */
export function keptProblems(realm: Realm, hasDatabase: boolean): string[] {
  return [
    ...['config.json', 'agent.lock', 'run/config.last-good.json'].flatMap((name) =>
      jsonProblems(realm, name),
    ),
    ...draftFileProblems(realm),
    ...hashedProblems(path.join(realm.dataDir, 'drafts')),
    ...(hasDatabase ? [...stagedProblems(realm), ...typedProblems(realm)] : []),
  ];
}

function jsonProblems({ dataDir }: Realm, name: string): string[] {
  const file = path.join(dataDir, name);
  if (!fs.existsSync(file)) return name === 'config.json' ? ['the settings are gone'] : [];
  const text = fs.readFileSync(file, 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? [] : [`${name} is ${text}`];
  } catch {
    return [`${name} is torn: ${JSON.stringify(text.slice(0, 80))}`];
  }
}

const sha256 = (file: string): string =>
  createHash('sha256').update(fs.readFileSync(file)).digest('hex');

/** `kept/<two>/<hash>` and `s<session>/d<draft>/<start of the hash>/<name>`. */
function hashedProblems(root: string): string[] {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .flatMap((entry) => {
      const named = entry.name.length === 64 ? entry.name : path.basename(entry.parentPath);
      const isWhole = sha256(path.join(entry.parentPath, entry.name)).startsWith(named);
      return isWhole ? [] : [`${path.join(entry.parentPath, entry.name)} is not what it is named`];
    });
}

/** A draft that is listed can be read. */
function stagedProblems(realm: Realm): string[] {
  const rows = rowsOf<{ id: number; session: number; path: string; hash: string }>(
    realm,
    `SELECT id, session_id AS session, path, content_hash AS hash FROM drafts WHERE is_open = 1 AND stage = 'staged'`,
  );
  return rows.flatMap(({ id, session, path: name, hash }) => {
    const folder = path.join(realm.dataDir, 'drafts', `s${String(session)}`, `d${String(id)}`);
    const file = path.join(folder, hash.slice(0, 16), path.basename(name));
    return fs.existsSync(file) && sha256(file) === hash ? [] : [`the draft of ${name} is gone`];
  });
}

const typedOf = (realm: Realm): string | undefined =>
  rowsOf<{ text: string }>(realm, `SELECT text FROM unsent WHERE field = '${TYPED_FIELD}'`)[0]
    ?.text;

const numberOf = (text: string | undefined): number =>
  Number(/^typed (\d+) /.exec(text ?? '')?.[1] ?? -1);

function typedProblems(realm: Realm): string[] {
  const text = typedOf(realm);
  return text === undefined || text === typedText(numberOf(text))
    ? []
    : [`the typed text is ${text.slice(0, 40)}`];
}

/** Where this text, or a later one, was answered as kept. */
export function typedMissing(realm: Realm, least: number): string | undefined {
  const found = numberOf(typedOf(realm));
  return found >= least
    ? undefined
    : `typed text ${String(least)} had been kept, there is ${String(found)}`;
}

/** Where one of these processes had said that it was ready, and none of them was asked to stop. */
export function lockMissing(realm: Realm, pids: readonly number[]): string | undefined {
  const file = path.join(realm.dataDir, 'agent.lock');
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '{}';
  const pid = Number(/"pid": (\d+)/.exec(text)?.[1] ?? 0);
  return pids.includes(pid)
    ? undefined
    : `agent.lock names ${String(pid)}, process ${String(pids[0])} was ready`;
}
