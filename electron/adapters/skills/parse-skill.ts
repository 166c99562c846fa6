import type * as Yaml from 'yaml';
import { END_PHASE, type PhaseSpec } from '../../ports/skills';

/** The parsed content of a `SKILL.md`. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly string[] | undefined;
  readonly phases: readonly PhaseSpec[];
  readonly requiresEnv: readonly string[];
  readonly requiresBins: readonly string[];
}

/** Why a `SKILL.md` cannot be used; `line` is 1-based. */
export class SkillFault extends Error {
  constructor(
    message: string,
    readonly line?: number,
  ) {
    super(message);
  }
}

export const MAX_SKILL_CHARS = 256 * 1024;
/**
 * It is parsed without interruption, which blocks everything else: this limits it to a few
 * milliseconds, whatever the content.
 */
const MAX_FRONT_CHARS = 8 * 1024;
/** Tokens of the front matter, including the spaces between them; a line of it has about six. */
const MAX_FRONT_PIECES = 2_000;
const MAX_PHASES = 50;
const MAX_LIST = 200;
const DEFAULT_VISITS = 5;
const MAX_VISITS = 100;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const PROGRAM = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
/** `/skill list` and `/skill discard` have another meaning. */
const RESERVED = new Set(['list', 'discard', 'show', END_PHASE]);
const PHASE_HEADING = /^#{1,6}\s+phase:\s*(\S+)\s*$/i;
const PHASE_KEYS = new Set(['name', 'instructions', 'tools', 'next', 'loop', 'max_visits']);
/** A skill needs five levels. */
const MAX_LEVELS = 50;
/** The one phase of a skill without phases. */
const ONLY_PHASE = 'main';

/**
 * Reads a `SKILL.md`: YAML between two lines `---`, then the instructions. Sections under a heading
 * `Phase: NAME` belong to that phase. Aliases are rejected; anchors and tags are ignored.
 * @throws SkillFault
 */
export function parseSkill(text: string, folderName: string, yaml: typeof Yaml): ParsedSkill {
  if (text.length > MAX_SKILL_CHARS)
    throw new SkillFault(`SKILL.md is longer than ${String(MAX_SKILL_CHARS / 1024)} KB.`);
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  if (lines[0]?.trimEnd() !== '---')
    throw new SkillFault('The first line must be "---" with the front matter after it.', 1);
  const close = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (close < 0) throw new SkillFault('The front matter has no closing line "---".', 1);
  const source = lines.slice(1, close).join('\n');
  if (source.length > MAX_FRONT_CHARS)
    throw new SkillFault(
      `The front matter is longer than ${String(MAX_FRONT_CHARS / 1024)} KB: instructions go below it.`,
      close + 1,
    );
  const front = readFront(source, yaml);
  const name = front.text('name', 64) ?? folderName;
  if (!NAME.test(name) || RESERVED.has(name.toLowerCase()))
    throw front.fault('name', `"${name.slice(0, 64)}" cannot be the name of a skill.`);
  const description = front.text('description', 2_000);
  if (description === undefined || description.trim() === '')
    throw front.fault('description', 'A skill needs a description: agents choose it by that.');
  const sections = sectionsOf(lines.slice(close + 1), close + 2);
  const tools = front.list('tools', 200, (one) => one.length <= 128);
  const phases = phasesOf(front, sections);
  const requires = front.value(['requires']);
  // An unreadable gate must not count as open.
  if (requires !== undefined && requires !== null && !isKeys(requires))
    throw front.fault('requires', 'requires has the keys env and bins, each with names.');
  return {
    name,
    description: description.trim(),
    instructions: sections.common,
    tools,
    phases,
    requiresEnv: front.list('requires.env', MAX_LIST, (one) => VARIABLE.test(one)) ?? [],
    requiresBins: front.list('requires.bins', MAX_LIST, (one) => PROGRAM.test(one)) ?? [],
  };
}

const isKeys = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

/** The front matter with the line of each key. */
interface Front {
  text(key: string, max: number): string | undefined;
  list(key: string, max: number, isGood: (one: string) => boolean): readonly string[] | undefined;
  value(path: readonly (string | number)[]): unknown;
  line(path: readonly (string | number)[]): number | undefined;
  fault(key: string, message: string): SkillFault;
}

/**
 * First only splits the text into tokens, and stops at the first one too many: the time of the rest
 * grows with the square of some of them. Building values recurses once per level, and when the
 * stack is exhausted V8 may end the process.
 */
function refuseBounds(source: string, yaml: typeof Yaml): void {
  const refuse = (message: string, offset: number): never => {
    throw new SkillFault(message, source.slice(0, offset).split('\n').length + 1);
  };
  const directive = /^%/m.exec(source);
  if (directive !== null) refuse('Directives are not supported in a skill.', directive.index);
  const pieces: string[] = [];
  let offset = 0;
  for (const piece of new yaml.Lexer().lex(source)) {
    if (pieces.push(piece) > MAX_FRONT_PIECES)
      refuse(
        `The front matter has more than ${String(MAX_FRONT_PIECES)} words and signs: instructions go below it.`,
        offset,
      );
    offset += piece.length;
  }
  const parser = new yaml.Parser();
  for (const piece of pieces) {
    // The parser only works while its result is iterated.
    for (const _made of parser.next(piece));
    if (parser.stack.length > MAX_LEVELS)
      refuse(`It is nested deeper than ${String(MAX_LEVELS)} levels.`, parser.offset);
  }
}

function readFront(source: string, yaml: typeof Yaml): Front {
  refuseBounds(source, yaml);
  const counter = new yaml.LineCounter();
  const document = yaml.parseDocument(source, {
    lineCounter: counter,
    schema: 'core',
    strict: true,
    // The package compares every pair; here they are looked up instead.
    uniqueKeys: false,
    logLevel: 'silent',
    // Each error would search the text for its line; the line of the first one is found below.
    prettyErrors: false,
  });
  /** The front matter starts on the second line of the file. */
  const lineAt = (offset: number): number => counter.linePos(offset).line + 1;
  const problem = document.errors[0];
  if (problem !== undefined)
    throw new SkillFault(firstLine(problem.message), lineAt(problem.pos[0]));
  yaml.visit(document, {
    Alias(_key, node) {
      throw new SkillFault('Aliases are not supported in a skill.', lineAt(node.range?.[0] ?? 0));
    },
    Map(_key, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = String(key);
        if (seen.has(name)) {
          const at = yaml.isNode(key) ? key.range?.[0] : undefined;
          throw new SkillFault(`The key "${name.slice(0, 64)}" is used twice.`, lineAt(at ?? 0));
        }
        seen.add(name);
      }
    },
  });
  if (!yaml.isMap(document.contents))
    throw new SkillFault('The front matter must be keys with values.', 2);
  const raw: unknown = document.toJS({ maxAliasCount: 0 });
  const value: Front['value'] = (path) =>
    path.reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string | number, unknown>)[key]
          : undefined,
      raw,
    );
  const line: Front['line'] = (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      if (yaml.isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return undefined;
  };
  /** `requires.env` may be written as one key or as two. */
  const pathOf = (key: string): readonly string[] =>
    value([key]) === undefined ? key.split('.') : [key];
  const fault: Front['fault'] = (key, message) => new SkillFault(message, line(pathOf(key)) ?? 2);
  return {
    value,
    line,
    fault,
    text(key, max) {
      const found = value(pathOf(key));
      if (found === undefined || found === null) return undefined;
      if (typeof found !== 'string' || found.length > max)
        throw fault(key, `${key} must be text of at most ${String(max)} characters.`);
      return found;
    },
    list: (key, max, isGood) =>
      listOf(value(pathOf(key)), max, isGood, (m) => fault(key, `${key} ${m}`)),
  };
}

function listOf(
  found: unknown,
  max: number,
  isGood: (one: string) => boolean,
  fault: (message: string) => SkillFault,
): readonly string[] | undefined {
  if (found === undefined || found === null) return undefined;
  const all: unknown[] = Array.isArray(found) ? found : inOneText(found);
  if (all.length > max) throw fault(`has more than ${String(max)} entries.`);
  return all.map((one) => {
    if (typeof one !== 'string' || one === '' || !isGood(one))
      throw fault(`cannot hold ${JSON.stringify(one)?.slice(0, 80) ?? 'this'}.`);
    return one;
  });
}

/** `tools: Read, Grep` means two names: no valid list entry contains a comma or a space. */
function inOneText(found: unknown): unknown[] {
  if (typeof found !== 'string') return [found];
  const names = found.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? [found] : names;
}

interface Sections {
  readonly common: string;
  readonly ofPhase: ReadonlyMap<string, { readonly text: string; readonly line: number }>;
}

function sectionsOf(lines: readonly string[], firstLineNumber: number): Sections {
  const common: string[] = [];
  const ofPhase = new Map<string, { text: string; line: number }>();
  let current:
    { readonly name: string; readonly line: number; readonly lines: string[] } | undefined;
  let isFenced = false;
  const put = (): void => {
    if (current === undefined) return;
    if (ofPhase.has(current.name))
      throw new SkillFault(`Two sections are named "Phase: ${current.name}".`, current.line);
    ofPhase.set(current.name, { text: current.lines.join('\n').trim(), line: current.line });
  };
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    const heading = isFenced ? undefined : PHASE_HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      put();
      current = { name: heading, line: firstLineNumber + index, lines: [] };
    } else (current?.lines ?? common).push(line);
  }
  put();
  return { common: common.join('\n').trim(), ofPhase };
}

interface Draft {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly string[] | undefined;
  readonly next: readonly string[];
  readonly loop: readonly string[];
  readonly maxVisits: number;
  readonly line: number | undefined;
}

function phasesOf(front: Front, sections: Sections): readonly PhaseSpec[] {
  const raw = front.value(['phases']);
  const drafts: readonly Draft[] =
    raw === undefined || raw === null
      ? [
          {
            name: ONLY_PHASE,
            instructions: '',
            tools: undefined,
            next: [],
            loop: [],
            maxVisits: 1,
            line: undefined,
          },
        ]
      : draftsOf(front, raw);
  const names = new Set(drafts.map((one) => one.name));
  for (const [name, { line }] of sections.ofPhase) {
    if (!names.has(name)) throw new SkillFault(`There is no phase "${name.slice(0, 64)}".`, line);
  }
  const phases = drafts.map((draft, index): PhaseSpec => {
    for (const target of [...draft.next, ...draft.loop]) {
      if (target !== END_PHASE && !names.has(target))
        throw new SkillFault(
          `Phase "${draft.name}" refers to the phase "${target.slice(0, 64)}", which does not exist.`,
          draft.line,
        );
    }
    const following = drafts[index + 1]?.name ?? END_PHASE;
    const section = sections.ofPhase.get(draft.name)?.text ?? '';
    return {
      name: draft.name,
      instructions: [draft.instructions, section].filter((one) => one !== '').join('\n\n'),
      tools: draft.tools,
      next: [...new Set([...(draft.next.length === 0 ? [following] : draft.next), ...draft.loop])],
      maxVisits: draft.maxVisits,
    };
  });
  needEnd(phases, drafts);
  return phases;
}

/** By its default transitions a run must end; going back is the model's choice, `loop`. */
function needEnd(phases: readonly PhaseSpec[], drafts: readonly Draft[]): void {
  const seen = new Set<string>();
  let at = phases[0]?.name ?? END_PHASE;
  while (at !== END_PHASE) {
    if (seen.has(at))
      throw new SkillFault(
        `From phase "${at}" the run would loop forever: put the way back into "loop".`,
        drafts.find((one) => one.name === at)?.line,
      );
    seen.add(at);
    at = phases.find((one) => one.name === at)?.next[0] ?? END_PHASE;
  }
}

function draftsOf(front: Front, raw: unknown): readonly Draft[] {
  const fault = (message: string): SkillFault => front.fault('phases', message);
  if (!Array.isArray(raw) || raw.length === 0) throw fault('phases must be a list.');
  if (raw.length > MAX_PHASES) throw fault(`There are more than ${String(MAX_PHASES)} phases.`);
  const seen = new Set<string>();
  return raw.map((one: unknown, index): Draft => {
    const line = front.line(['phases', index]);
    const bad = (message: string, key?: string): SkillFault =>
      new SkillFault(
        message,
        (key === undefined ? undefined : front.line(['phases', index, key])) ?? line,
      );
    if (typeof one !== 'object' || one === null) throw bad('A phase needs at least a name.');
    const phase = one as Record<string, unknown>;
    const extra = Object.keys(phase).find((key) => !PHASE_KEYS.has(key));
    if (extra !== undefined)
      throw bad(`A phase has no "${extra.slice(0, 64)}": ${[...PHASE_KEYS].join(', ')}.`, extra);
    const { name, instructions, max_visits: visits } = phase;
    if (typeof name !== 'string' || !NAME.test(name) || name === END_PHASE)
      throw bad('Use letters, digits, dashes and underscores for the name of a phase.', 'name');
    if (seen.has(name)) throw bad(`Two phases are named "${name}".`, 'name');
    seen.add(name);
    if (instructions !== undefined && typeof instructions !== 'string')
      throw bad('instructions must be text.', 'instructions');
    const isNumber = typeof visits === 'number' && Number.isInteger(visits);
    if (visits !== undefined && (!isNumber || visits < 1 || visits > MAX_VISITS))
      throw bad(`max_visits is a whole number from 1 to ${String(MAX_VISITS)}.`, 'max_visits');
    const names = (key: string): readonly string[] | undefined =>
      listOf(
        phase[key],
        MAX_LIST,
        (text) => text.length <= 128,
        (m) => bad(`${key} ${m}`, key),
      );
    return {
      name,
      instructions: (instructions ?? '').trim(),
      tools: names('tools'),
      next: names('next') ?? [],
      loop: names('loop') ?? [],
      maxVisits: isNumber ? visits : DEFAULT_VISITS,
      line,
    };
  });
}

const firstLine = (text: string): string =>
  (text.split('\n')[0] ?? text).replace(/ at line \d+, column \d+:?$/, '').slice(0, 300);
