import type { AgentSettings } from '../../../shared/settings/agents';
import { hostsOfAgents } from '../../../shared/settings/agents';
import { lookKeys, looksLike } from '../../../shared/own-hosts';
import { isJson } from '../../engine/kernel/json-object';

/** The two maps whose names are the first part of tool names. */
export const NAMING_KEYS = ['mcp.servers', 'agents'] as const;
type NamingKey = (typeof NAMING_KEYS)[number];

/** A name of a server, or of an agent whose tools are judged by its name. */
export interface Claim {
  readonly key: NamingKey;
  readonly name: string;
  /** The part before the dot in the names of its tools. */
  readonly host: string;
}

/** A rejected name, and why. */
export interface RefusedName {
  readonly key: NamingKey;
  readonly name: string;
  readonly sentence: string;
}

const entriesOf = (map: unknown): [string, unknown][] => (isJson(map) ? Object.entries(map) : []);

/** All names with their owners. Also accepts the content of a file, in force or not. Pure. */
export function claimsOf(valueOf: (key: NamingKey) => unknown): readonly Claim[] {
  const servers = entriesOf(valueOf('mcp.servers')).map(([name]): Claim => ({
    key: 'mcp.servers',
    name,
    host: name,
  }));
  const agents = entriesOf(valueOf('agents')).flatMap(([name, entry]): Claim[] =>
    typeof entry === 'object' && entry !== null
      ? hostsOfAgents({ [name]: entry as AgentSettings }).map((host) => ({
          key: 'agents',
          name,
          host,
        }))
      : [],
  );
  return [...servers, ...agents];
}

const isSame = (one: Claim, other: Claim): boolean =>
  one.key === other.key && one.name === other.name;

/** Agents are distinguished by the exact name of their tools, as in rules. */
const areAlike = (one: Claim, other: Claim): boolean =>
  one.key === 'agents' && other.key === 'agents'
    ? one.host === other.host
    : looksLike(one.host, other.host);

/**
 * Names that could be confused, so that a rule for one would seem to be one for the other. The
 * current owner of a name keeps it; if neither has it, neither gets it: otherwise an earlier entry
 * could take over a name together with the rules written for it. Pure. S3-06
 */
export function refusedNames(
  claims: readonly Claim[],
  established: readonly Claim[],
): readonly RefusedName[] {
  const hasIt = (claim: Claim): boolean =>
    established.some((one) => isSame(one, claim) && one.host === claim.host);
  const near = new Map<string, Claim[]>();
  for (const claim of claims)
    for (const look of lookKeys(claim.host)) near.set(look, [...(near.get(look) ?? []), claim]);
  return claims.flatMap((claim) => {
    const alike = lookKeys(claim.host)
      .flatMap((look) => near.get(look) ?? [])
      .filter((other) => !isSame(claim, other) && areAlike(claim, other));
    const [other] = alike;
    if (other === undefined) return [];
    const owner = alike.find(hasIt);
    if (owner === undefined && hasIt(claim)) return [];
    const { key, name } = claim;
    return [{ key, name, sentence: wordsOf(claim, owner ?? other, owner !== undefined) }];
  });
}

const called = ({ key, name }: Claim): string =>
  `${key === 'agents' ? 'the agent' : 'the MCP server'} ${JSON.stringify(name.slice(0, 64))}`;

function wordsOf(claim: Claim, other: Claim, isOwner: boolean): string {
  const why = `${claim.key}: ${called(claim)} would be mistaken for ${called(other)}, so a rule for the tools of one would also apply to the other`;
  return isOwner
    ? `${why}. The latter had its name first and stays; the former was not loaded. Rename it`
    : `${why}. It was not loaded, and neither was the other unless its name was in use before. Rename one of them`;
}
