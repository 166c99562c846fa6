/**
 * Holdfast's own tool hosts, and which host names could be mistaken for them. Pure. Source: S3-06;
 * security F2.
 */
import { toolId } from './tool-id';
import { table } from './table';

/** Names by which agents and users know their tools; the browser's tools include its name. */
const OWN_TOOLS = table<readonly string[]>({
  files: ['read_file', 'list_files', 'search_files', 'write_file'],
  shell: ['shell'],
  fetch: ['web_fetch'],
  browser: [],
  schedule: [
    'schedule_task',
    'list_tasks',
    'pause_task',
    'resume_task',
    'update_task',
    'cancel_task',
    'timer',
    'heartbeat',
  ],
  work: ['revisit_later'],
  recall: ['recall'],
});

const OWNER = new Map(
  Object.entries(OWN_TOOLS).flatMap(([host, tools]) => tools.map((tool) => [tool, host] as const)),
);

/** Hosts of Holdfast's own tools. */
export const OWN_HOSTS: readonly string[] = Object.keys(OWN_TOOLS);

/** The host of Claude Code's own tools. */
const CLAUDE = 'claude';

/** Names that denote Holdfast and its parts in the journal and in rules. */
const TAKEN: readonly string[] = [
  ...OWN_HOSTS,
  ...['holdfast', 'drafts', 'skill', 'custom', 'command'],
];

/**
 * Whether a rule that allows a plain name applies to this tool. The name of a Holdfast tool means
 * that tool; `shell` also covers commands of external agents, which are judged by their words. A
 * server that picks such a name does not get the permission of Holdfast's own tool.
 */
export function isGrantedPlainly(tool: string, isOfAgent: boolean): boolean {
  const { host, name } = toolId(tool);
  const owner = OWNER.get(name);
  if (owner === undefined || owner === host) return true;
  return name === 'shell' && (isOfAgent || host === CLAUDE);
}

/** Look-alikes from other alphabets, each before the Latin letter that it resembles. */
const LOOKS = 'аaіiеeоoрpсcуyхxѕsјjһhԁdԛqԝwвbкkмmнhтtгrոnսuօoαaιiεeοoρpτtυuχxνvκkβbηnωwɡgɑaⅼl';
const LATIN = new Map(LOOKS.match(/../gu)?.map(([letter = '', latin = '']) => [letter, latin]));

/**
 * How a name looks: without case, width, marks, invisible characters, and with look-alikes
 * replaced.
 */
function looksOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{C}\p{Z}\s\u115f\u1160\u3164\uffa0]/gu, '')
    .toLowerCase();
  return plain.replace(/./gu, (letter) => LATIN.get(letter) ?? letter);
}

/** The same, with digits as the letters that they resemble. */
const asLetters = (name: string): string =>
  looksOf(name.replaceAll('I', 'l')).replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('|', 'l');

/**
 * Names that share one of these could be mistaken for each other: what {@link looksLike} compares.
 */
export const lookKeys = (name: string): readonly string[] => [
  `as it looks ${looksOf(name)}`,
  `as letters ${asLetters(name)}`,
];

/** True if two host names could be mistaken for each other. */
export const looksLike = (one: string, other: string): boolean =>
  looksOf(one) === looksOf(other) || asLetters(one) === asLetters(other);

/** Holdfast's own name that a host of this name could be mistaken for. */
export function takenHost(
  name: string,
  { alsoClaude }: { readonly alsoClaude: boolean },
): string | undefined {
  const bare = name.replace(/[-_.]/g, '');
  return (alsoClaude ? [...TAKEN, CLAUDE] : TAKEN).find((taken) => looksLike(taken, bare));
}

/** Two of these names that could be mistaken for each other. */
export function alikePair(names: readonly string[]): readonly [string, string] | undefined {
  for (const [at, one] of names.entries()) {
    const other = names.slice(at + 1).find((name) => looksLike(one, name));
    if (other !== undefined) return [one, other];
  }
  return undefined;
}

/**
 * The host of an external agent's tool calls: its name, and never that of one of Holdfast's hosts.
 * An agent `claude` is Claude Code, however it is run.
 */
export function hostOfAgent(agent: string): string {
  const host = agent.replaceAll('.', '_');
  return takenHost(host, { alsoClaude: false }) === undefined ? host : `${host}_agent`;
}

type CallOfTool = { readonly tool: string; readonly covers: string; readonly agent?: string };

/** A tool of a server that an agent reports as its own is approved together with the name of the server. */
const isOfHost = ({ tool, covers, agent }: CallOfTool): boolean => {
  const { host } = toolId(tool);
  const isAgents = agent === undefined || host === CLAUDE || host === hostOfAgent(agent);
  return (OWN_HOSTS.includes(host) || isAgents) && !covers.startsWith(`${tool} of `);
};

/** True for a call of a shell, of Holdfast or of the agent. A `command` for any other tool may mean anything. */
export const isShellCall = (call: CallOfTool): boolean =>
  toolId(call.tool).name === 'shell' && isOfHost(call);

const FILE_TOOLS = table<RegExp>({
  files: /^(?:read|write|list|search)/,
  [CLAUDE]: /^(?:Read|Write|Edit|MultiEdit|NotebookEdit|read|edit|move|search|think)$/,
});
const KINDS_OF_FILES = /^(?:read|edit|move|search|think)$/;

/** True for a call that only reads or changes files, of Holdfast or of the agent. */
export const isFileCall = (call: CallOfTool): boolean => {
  const { host, name } = toolId(call.tool);
  return isOfHost(call) && (FILE_TOOLS[host] ?? KINDS_OF_FILES).test(name);
};

/**
 * True for a server name that an external agent may report as a host: not one of Holdfast's own,
 * nor an agent's (`agentHosts`), whose rules do not apply to it.
 */
export const isForeignHost = (server: string, agentHosts: readonly string[]): boolean =>
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(server) &&
  takenHost(server, { alsoClaude: true }) === undefined &&
  !agentHosts.some((host) => looksLike(host, server));
