import fs from 'node:fs/promises';
import path from 'node:path';
import { lookKeys } from '../../../shared/own-hosts';
import { findProgram } from '../shell/program-there';
import { untrustedWords } from '../../data-trust';
import { faultOnTheWay } from '../../disk/ownership';
import type { Finding } from '../../disk/ownership-rules';
import type { SkillFinding, SkillCatalog, SkillSource } from '../../ports/skills';
import { MAX_SKILL_CHARS, parseSkill, SkillFault, type ParsedSkill } from './parse-skill';
import {
  createLookBudget,
  firstEntries,
  markOf,
  seeFiles,
  versionOf,
  type LookBudget,
} from './read-folder';

/** Maximum skill folders read per place. */
const MAX_SKILLS = 500;
/** Maximum directory entries searched per place. */
const MAX_ENTRIES = 5_000;
/** Maximum skills cached while their files do not change. */
const MAX_KNOWN = 2_000;
/** Maximum programs that one scan searches for in PATH. */
const MAX_PROGRAMS = 500;
const LINKED =
  'It is a link, which is not followed. Put the folder itself here, or add its parent folder to skills.folders.';

interface SkillCatalogDeps {
  /** `D/skills`. */
  readonly dataFolder: string;
  /** Setting `skills.folders`, absolute. */
  readonly folders: () => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The environment of the user's terminal; queried only if ours lacks a variable. */
  readonly loginEnv: () => Promise<Readonly<Record<string, string | undefined>>>;
}

/** The part that does not change while the files do not. */
type Read =
  | { readonly kind: 'parsed'; readonly parsed: ParsedSkill; readonly version: string }
  | { readonly kind: 'broken'; readonly reason: string; readonly line?: number };

/**
 * Skills on disk, read on request. Order: the data directory, the configured folders, the
 * workspace; the first of a name wins, so that a downloaded project cannot replace a skill that the
 * user wrote.
 */
export function createSkillCatalog(deps: SkillCatalogDeps): SkillCatalog {
  const known = new Map<string, { readonly mark: string; readonly read: Read }>();

  const remember = (folder: string, mark: string, read: Read): void => {
    known.delete(folder);
    known.set(folder, { mark, read });
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  };

  const readSkill = async (
    folder: string,
    budget: LookBudget,
    strange: Finding | undefined,
  ): Promise<Read> => {
    try {
      if (strange !== undefined) throw new SkillFault(untrustedWords(strange));
      if ((await fs.lstat(folder)).isSymbolicLink()) throw new SkillFault(LINKED);
      const files = await seeFiles(folder, budget);
      const mark = markOf(files);
      const same = known.get(folder);
      if (same?.mark === mark) return same.read;
      const read = await parse(folder, files);
      remember(folder, mark, read);
      return read;
    } catch (error) {
      return brokenBy(error);
    }
  };

  const findingOf = async (
    folder: string,
    source: SkillSource,
    of: {
      readonly budget: LookBudget;
      readonly isThere: ProgramCheck;
      /** Set if another account could put a skill in this place. */
      readonly strange: Finding | undefined;
    },
  ): Promise<SkillFinding> => {
    const read = await readSkill(folder, of.budget, of.strange);
    const plain = path.basename(folder).slice(0, 64);
    if (read.kind === 'broken') {
      const { reason, line } = read;
      return {
        kind: 'broken',
        name: plain,
        folder,
        source,
        reason,
        ...(line === undefined ? {} : { line }),
      };
    }
    const { parsed, version } = read;
    const { requiresEnv, requiresBins, ...skill } = parsed;
    const missing = await missingOf(deps, of.isThere, requiresEnv, requiresBins);
    const place = { name: parsed.name, folder, source };
    return missing.length > 0
      ? { kind: 'skipped', ...place, reason: missing.join(', ') }
      : { kind: 'ready', ...place, skill: { ...skill, version, folder, source } };
  };

  const look = async (workspace: string): Promise<readonly SkillFinding[]> => {
    const places: readonly (readonly [SkillSource, string])[] = [
      ['data', deps.dataFolder],
      ...deps.folders().map((folder) => ['folder', folder] as const),
      ...(workspace === ''
        ? []
        : [['workspace', path.join(workspace, '.holdfast', 'skills')] as const]),
    ];
    const findings: SkillFinding[] = [];
    const taken = new Map<string, Pick<SkillFinding, 'name' | 'folder' | 'source'>>();
    const of = { budget: createLookBudget(), isThere: createProgramCheck() };
    for (const [source, place] of places) {
      const strange = faultOnTheWay(place, true);
      for (const folder of await skillFolders(place)) {
        const finding = await findingOf(folder, source, { ...of, strange });
        const ways = [finding.name, ...lookKeys(finding.name)];
        // A skill of a project that looks like one of the user would be taken for it.
        const first = ways
          .map((way) => taken.get(way))
          .find(
            (one) => one?.name === finding.name || (one !== undefined && one.source !== source),
          );
        if (finding.kind !== 'broken' && first !== undefined) {
          const { name } = finding;
          findings.push({
            kind: 'shadowed',
            name,
            folder,
            source,
            reason: `${first.folder} shadows it`,
          });
          continue;
        }
        // Broken ones, too: an error in the user's own skill must not let a project's skill take
        // its name.
        const claim = { name: finding.name, folder, source };
        if (first === undefined) for (const way of ways) if (!taken.has(way)) taken.set(way, claim);
        findings.push(finding);
      }
    }
    return findings;
  };

  /** Scans that have not started yet: turns that start together share one. */
  const coming = new Map<string, Promise<readonly SkillFinding[]>>();
  return {
    look(workspace) {
      const asked = coming.get(workspace);
      if (asked !== undefined) return asked;
      const next = Promise.resolve().then(() => {
        coming.delete(workspace);
        return look(workspace);
      });
      coming.set(workspace, next);
      return next;
    },
  };
}

async function skillFolders(place: string): Promise<readonly string[]> {
  let entries;
  try {
    entries = await firstEntries(place, MAX_ENTRIES);
  } catch {
    return []; // No skills folder, so no skills.
  }
  const folders: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
    const folder = path.join(place, entry.name);
    const file = await fs.lstat(path.join(folder, 'SKILL.md')).catch(() => undefined);
    if (file !== undefined) folders.push(folder);
    if (folders.length >= MAX_SKILLS) break;
  }
  return folders;
}

async function parse(folder: string, files: Awaited<ReturnType<typeof seeFiles>>): Promise<Read> {
  try {
    const own = files.find((file) => file.relative === 'SKILL.md');
    if (own === undefined) throw new SkillFault('SKILL.md must be a file, not a link.');
    if (own.bytes > MAX_SKILL_CHARS * 4) throw new SkillFault('SKILL.md is too large.');
    const text = await fs.readFile(path.join(folder, 'SKILL.md'), 'utf8');
    // Loaded with the first skill, so that a start without skills does not pay for it.
    const yaml = await import('yaml');
    const parsed = parseSkill(text, path.basename(folder), yaml);
    return { kind: 'parsed', parsed, version: await versionOf(folder, files) };
  } catch (error) {
    return brokenBy(error);
  }
}

function brokenBy(error: unknown): Extract<Read, { kind: 'broken' }> {
  if (error instanceof SkillFault) {
    const { message: reason, line } = error;
    return { kind: 'broken', reason, ...(line === undefined ? {} : { line }) };
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return { kind: 'broken', reason: `It cannot be read${code === undefined ? '' : ` (${code})`}.` };
}

/** `FOO is not set`, `gh is not installed`; empty if nothing is missing. S2-52. */
async function missingOf(
  deps: SkillCatalogDeps,
  isThere: ProgramCheck,
  env: readonly string[],
  bins: readonly string[],
): Promise<readonly string[]> {
  const has = (from: Readonly<Record<string, string | undefined>>, name: string): boolean =>
    (from[name] ?? '') !== '';
  let login: Readonly<Record<string, string | undefined>> | undefined;
  const missing: string[] = [];
  for (const name of env) {
    if (has(deps.env, name)) continue;
    login ??= await deps.loginEnv();
    if (!has(login, name)) missing.push(`${name} is not set`);
  }
  for (const program of bins) {
    let found = await isThere(program, deps.env['PATH']);
    if (found === false) {
      login ??= await deps.loginEnv();
      found = await isThere(program, login['PATH']);
    }
    if (found === 'not_looked') {
      missing.push(`${program} was not looked for: the skills together need too many programs`);
      break;
    }
    if (!found) missing.push(`${program} is not installed`);
  }
  return missing;
}

/** Whether a program is in one of the folders; one scan checks the same ones repeatedly. */
type ProgramCheck = (
  program: string,
  searched: string | undefined,
) => Promise<boolean | 'not_looked'>;

function createProgramCheck(): ProgramCheck {
  const known = new Map<string, Promise<boolean>>();
  return async (program, searched) => {
    const key = `${program}\n${searched ?? ''}`;
    const asked = known.get(key);
    if (asked !== undefined) return asked;
    if (known.size >= MAX_PROGRAMS) return 'not_looked';
    const found = findProgram(program, searched).then((place) => place !== undefined);
    known.set(key, found);
    return found;
  };
}
