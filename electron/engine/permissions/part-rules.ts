import { spelledEntry } from '../../../shared/tool-id';
import type { CallPart } from '../../ports/tool-call';

type ToolRule = 'allow' | 'ask' | 'deny';

/** The verdict of rules for a tool's commands (`shell.shell git push`) about a call. */
export interface PartRule {
  readonly name: string;
  readonly does: ToolRule;
  /** Whether the rule applies to the call is uncertain; it may. */
  readonly isOpen?: boolean;
}

/**
 * Checks the parts of a command line against the command rules. One denied part denies the line; a
 * part that a rule asks about, or that may match a deny or ask rule, makes the line ask; allow
 * counts only if it covers every part. `all` holds rules by their name as {@link spelledEntry}
 * writes it. Undefined if no such rule decides. Pure. Source: S3-06.
 */
export function partRuleOf(
  tool: string,
  parts: readonly CallPart[],
  all: ReadonlyMap<string, ToolRule>,
): PartRule | undefined {
  const rules = new Map<string, ToolRule>();
  for (const [name, does] of all) {
    if (name.startsWith(`${tool} `)) rules.set(name.slice(tool.length + 1).trim(), does);
  }
  if (rules.size === 0) return undefined;
  const told = parts.map((part) => ofPart(part, rules));
  const first = (does: ToolRule): string | undefined =>
    told.find((one) => one?.does === does)?.name;
  const denied = first('deny');
  if (denied !== undefined) return { name: `${tool} ${denied}`, does: 'deny' };
  const asked = first('ask');
  if (asked !== undefined) return { name: `${tool} ${asked}`, does: 'ask' };
  const open = openTo(parts, rules);
  if (open !== undefined) return { name: `${tool} ${open}`, does: 'ask', isOpen: true };
  const needPermission = parts.filter((part) => part.isFree !== true);
  const isAllowed = needPermission.every(
    (part) => part.isPlain && part.mayBe === undefined && ofPart(part, rules)?.does === 'allow',
  );
  const [allowed] = needPermission.map((part) => ofPart(part, rules)?.name);
  return isAllowed && allowed !== undefined
    ? { name: `${tool} ${allowed}`, does: 'allow' }
    : undefined;
}

/** The rule for the narrowest of its names. */
function ofPart(part: CallPart, rules: ReadonlyMap<string, ToolRule>): PartRule | undefined {
  for (const one of part.names) {
    const name = spelledEntry(one);
    const does = rules.get(name);
    if (does !== undefined) return { name, does };
  }
  return undefined;
}

/** A deny or ask rule that a part may match. */
function openTo(
  parts: readonly CallPart[],
  rules: ReadonlyMap<string, ToolRule>,
): string | undefined {
  for (const { mayBe, mayRun } of parts) {
    for (const [name, does] of rules) {
      if (does === 'allow') continue;
      if (mayBe !== undefined && name.startsWith(mayBe)) return name;
      if (mayRun?.some((one) => mayMean(spelledEntry(one), name)) === true) return name;
    }
  }
  return undefined;
}

/** True if a command may be the one of a rule: all its words are there, as a verb may be shortened. */
function mayMean(command: string, rule: string): boolean {
  const [program, ...words] = command.split(' ');
  const [named, ...rest] = rule.split(' ');
  if (program !== named) return false;
  return (
    words.includes('*') ||
    rest.every((one) => one.startsWith('-') || words.some((word) => one.startsWith(word)))
  );
}
