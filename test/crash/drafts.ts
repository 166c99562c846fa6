import fs from 'node:fs';
import path from 'node:path';
import type { DraftView } from '../../shared/types/drafts';
import type { Life, Realm } from './realm';
import { contentOf } from './plans';
import { rowsOf } from './evidence';

/** Sent to the agent that writes drafts: two files that are there already, one that is read again. */
export const DRAFT_MESSAGE = 'draft d1';
const OLD = 'the file before\n';
const FILES = { applied: 'd1-a.txt', discarded: 'd1-b.txt' } as const;

/** The folder of the agent with drafts, as it was before anything began. */
export function draftSpace(realm: Pick<Realm, 'root'>): string {
  const folder = path.join(realm.root, 'draft-space');
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(folder);
    for (const file of Object.values(FILES)) fs.writeFileSync(path.join(folder, file), OLD);
  }
  return folder;
}

/** Asks the agent with drafts, in a session of its own. */
export async function askForDrafts(life: Life): Promise<void> {
  const input = { text: DRAFT_MESSAGE, agent: 'drafter', session: 'drafts' };
  await life.ask({ kind: 'call', verb: 'send', input });
}

/** Promotes the one draft and discards the other, as a person would, on what is listed. */
export async function decideDrafts(life: Life): Promise<readonly DraftView[]> {
  const { drafts } = await life.call('drafts.list', {});
  for (const { draftId, requestHash, path: file } of drafts) {
    await life.call(decisionOn(file), { draftId, requestHash });
  }
  return drafts;
}

/** Each of the two files is the old one or the new one, whatever was decided. */
export function draftFileProblems(realm: Realm): string[] {
  const read = (file: string): string => {
    const whole = path.join(draftSpace(realm), file);
    return fs.existsSync(whole) ? fs.readFileSync(whole, 'utf8') : '';
  };
  const problems: string[] = [];
  if (![OLD, contentOf('d1', 'a')].includes(read(FILES.applied)))
    problems.push(`${FILES.applied} is not whole`);
  if (read(FILES.discarded) !== OLD) problems.push(`${FILES.discarded} was replaced`);
  return problems;
}

/** What is missing of a draft that was answered as decided. */
export function decidedMissing(
  realm: Realm,
  { path: file, draftId }: Pick<DraftView, 'path' | 'draftId'>,
): string | undefined {
  const isApplied = file === FILES.applied;
  const stage = isApplied ? 'promoted' : 'discarded';
  const rows = rowsOf(
    realm,
    `SELECT 1 FROM drafts WHERE id = ${String(draftId)} AND stage = '${stage}'`,
  );
  if (rows.length === 0) return `the draft of ${file} had been ${stage}`;
  if (!isApplied) return undefined;
  const isNew =
    fs.readFileSync(path.join(draftSpace(realm), file), 'utf8') === contentOf('d1', 'a');
  return isNew && keptTexts(realm).includes(OLD)
    ? undefined
    : `${file} is ${isNew ? 'new' : 'old'}, kept are ${String(keptTexts(realm).length)} files`;
}

/** How the draft of this file is decided. */
export const decisionOn = (file: string): 'drafts.promote' | 'drafts.discard' =>
  file === FILES.applied ? 'drafts.promote' : 'drafts.discard';

/**
 * At any moment a file is the old one or the new one; what is listed can be decided; and what no
 * commit has promised is not there. S3-20
 */
export function judgeDrafts(realm: Realm, listed: readonly DraftView[]): string[] {
  const folder = draftSpace(realm);
  const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8');
  const problems: string[] = [];
  const names = fs.readdirSync(folder).sort();
  if (names.join() !== Object.values(FILES).sort().join())
    problems.push(`the folder of the drafts holds ${names.join(', ')}`);
  for (const draft of listed) {
    if (draft.stage !== 'staged') problems.push(`draft ${String(draft.draftId)} is ${draft.stage}`);
    if (draft.state !== 'ready' || draft.sourceChanged || draft.draftChanged)
      problems.push(`the draft of ${draft.path} is ${JSON.stringify(draft)}`);
  }
  if (read(FILES.discarded) !== OLD) problems.push(`${FILES.discarded} was replaced`);
  const isThere = read(FILES.applied) === contentOf('d1', 'a');
  if (!isThere && read(FILES.applied) !== OLD) problems.push(`${FILES.applied} is not whole`);
  return problems;
}

/** The end of the story: one file is the draft and the old one is kept, the other never changed. */
export function judgeDraftsEnd(
  realm: Realm,
  expected: 'none' | 'refused by the disk' | 'accepted',
): string[] {
  const problems = judgeDrafts(realm, []);
  const isNew =
    fs.readFileSync(path.join(draftSpace(realm), FILES.applied), 'utf8') === contentOf('d1', 'a');
  if (isNew ? expected === 'none' : expected === 'accepted') {
    const rows = JSON.stringify([
      rowsOf(realm, 'SELECT id, path, stage FROM drafts'),
      rowsOf(realm, `SELECT id, state FROM turns WHERE prompt_start = '${DRAFT_MESSAGE}'`),
    ]);
    problems.push(`${FILES.applied} is ${isNew ? 'new' : 'old'}, expected: ${expected}, ${rows}`);
  }
  if (isNew && !keptTexts(realm).includes(OLD))
    problems.push('the file that was replaced is not kept');
  return problems;
}

/** Every file that a promotion has replaced. */
function keptTexts(realm: Realm): string[] {
  const root = path.join(realm.dataDir, 'drafts');
  const kept = fs.existsSync(path.join(root, 'kept'))
    ? fs.readdirSync(path.join(root, 'kept'), { recursive: true, withFileTypes: true })
    : [];
  return kept
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}
