/**
 * Identity of a tool: the host that serves it and its name there. Only this file joins and splits
 * the two and decides which rules match a tool, so that a rule for one tool never matches another,
 * whatever its server calls it. Pure. Source: S3-06, S0-13; security F2.
 */

/** A tool by its host and its name there. */
interface ToolId {
  readonly host: string;
  /** Only letters, digits, `_ - . /`; every other character is written as `u{455}`. */
  readonly name: string;
}

/**
 * A name that can be compared by eye: every character other than an ASCII letter, digit or `_ - .
 * /` is written as its code. So no tool can look like another one, and no name contains characters
 * of rules: a space, a colon, a star. Two names never get the same spelling.
 */
export function spelledName(name: string): string {
  return name.replace(/[^\w./-]/gu, spelledOut);
}

/** The output of {@link spelledName} stays unchanged. */
const spelledAgain = (name: string): string => name.replace(/[^\w./{}-]/gu, spelledOut);

const spelledOut = (character: string): string =>
  `u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** `mail.send`: the name in the journal, in rules and in lists. Hosts have no dot. */
export const qualifiedName = (host: string, name: string): string => `${host}.${spelledName(name)}`;

/**
 * Every way to split a name that another program built from a server's and a tool's name:
 * `mail__send`. More than one if a name itself contains the separator; then whose tool it is cannot
 * be known.
 */
export function servedReadings(name: string, separator: RegExp): readonly ToolId[] {
  return Array.from({ length: name.length }, (_, at): readonly ToolId[] => {
    const [found = ''] = at === 0 ? [] : (separator.exec(name.slice(at)) ?? []);
    const tool = found === '' ? '' : name.slice(at + found.length);
    return tool === '' ? [] : [{ host: name.slice(0, at), name: tool }];
  }).flat();
}

/** The pair from which {@link qualifiedName} was built. */
export function toolId(tool: string): ToolId {
  const dot = tool.indexOf('.');
  return dot < 0
    ? { host: '', name: spelledAgain(tool) }
    : { host: tool.slice(0, dot), name: spelledAgain(tool.slice(dot + 1)) };
}

/**
 * The name of a tool without its host, for display: `send` of `mail.send`. With its host if it
 * would look like the full name of another tool.
 */
export function plainName(tool: string): string {
  const { host, name } = toolId(tool);
  return name.includes('.') && host !== '' ? `${host}.${name}` : name;
}

/** One name by which a rule or a list may refer to a tool. */
export interface RuleName {
  readonly name: string;
  /** Without a host: a rule with this name applies to every host that has such a tool. */
  readonly isPlain: boolean;
}

/**
 * All names by which rules and lists match a tool call, the narrowest first: `host.tool git push`
 * (a part that its risk names), `host.tool:effects`, `tool:effects`, `host.tool`, `tool`, `host.*`.
 * A name that contains a dot has no plain form: it would be the full name of another tool.
 */
export function ruleNames(
  tool: string,
  {
    hasEffects,
    covers = [],
  }: { readonly hasEffects: boolean; readonly covers?: readonly string[] },
): readonly RuleName[] {
  const { host, name } = toolId(tool);
  const full = host === '' ? name : `${host}.${name}`;
  const both: readonly RuleName[] = [
    { name: full, isPlain: host === '' },
    ...(name.includes('.') || host === '' ? [] : [{ name, isPlain: true }]),
  ];
  return [
    ...covers.map((part) => ({ name: spelledEntry(`${full} ${part}`), isPlain: false })),
    ...(hasEffects ? both.map((one) => ({ ...one, name: `${one.name}:effects` })) : []),
    ...both,
    ...(host === '' ? [] : [{ name: `${host}.*`, isPlain: false }]),
  ];
}

/** A list entry or rule in the characters that {@link ruleNames} uses; ASCII stays unchanged. */
export const spelledEntry = (entry: string): string => entry.replace(/[^\x20-\x7e]/gu, spelledOut);

/** True if a list entry is the full name of this tool. */
export const isSameTool = (entry: string, tool: string): boolean => {
  const [one, other] = [toolId(entry), toolId(tool)];
  return one.host === other.host && one.name === other.name;
};
