import { cutText } from '../../../shared/cut-text';
import type { Purity, ToolView } from '../../../shared/types';
import { qualifiedName } from '../../../shared/tool-id';
import type { JsonValue, ToolOffer } from '../../ports/provider';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import { isListed } from '../journal/side-effect-list';
import { afterCrash } from '../recovery/after-crash';
import type { RecoveryPolicy } from '../recovery/plan-resume';

/** A tool with the host that serves it. */
export interface RegisteredTool {
  readonly spec: ToolSpec;
  readonly host: ToolHost;
  /** `host.tool`: the name in the journal. */
  readonly qualified: string;
  /** Unknown counts as side_effect (S4-20, S4-32). */
  readonly purity: Purity;
}

/**
 * All tools of all hosts. A plain name that two hosts use belongs to the first; the other is
 * qualified.
 */
export interface ToolRegistry {
  /** By the name the model uses. */
  find(name: string): RegisteredTool | undefined;
  /** By the name in the journal, `host.tool`. */
  findQualified(qualified: string): RegisteredTool | undefined;
  /** Why a tool that a model requests is missing, if a host knows. */
  whyAbsent(name: string): string | undefined;
  /**
   * An agent's tools. Built-in tools: those in `allowed`, or all without it. External tools: those
   * of the hosts in `extensions`; without that, all if `allowed` is absent too, otherwise those
   * that `allowed` names as `host.tool`: a narrow agent does not grow with a new server.
   */
  offers(
    allowed: readonly string[] | undefined,
    extensions?: readonly string[],
  ): readonly ToolOffer[];
  views(policy: RecoveryPolicy): readonly ToolView[];
}

/** @param hostsNow the current hosts; the same list while no host is added or removed. */
export function createToolRegistry(
  hostsNow: readonly ToolHost[] | (() => readonly ToolHost[]),
): ToolRegistry {
  const hostsOf = typeof hostsNow === 'function' ? hostsNow : () => hostsNow;
  let hosts: readonly ToolHost[] = [];
  // Rebuilt only when a host returns another list, because every step looks its tool up.
  let lists: readonly (readonly ToolSpec[])[] = [];
  let known = new Map<string, RegisteredTool>();
  /**
   * One list per choice of tools; the same object until a host changes, so its text is built once.
   */
  let offered = new Map<string, readonly ToolOffer[]>();
  const byName = (): ReadonlyMap<string, RegisteredTool> => {
    const present = hostsOf();
    const isSame =
      present.length === lists.length &&
      present.every((host, index) => host === hosts[index] && host.tools() === lists[index]);
    if (isSame) return known;
    hosts = present;
    lists = present.map((host) => host.tools());
    known = new Map<string, RegisteredTool>();
    offered = new Map();
    for (const [index, host] of hosts.entries()) {
      for (const spec of lists[index] ?? []) {
        const qualified = qualifiedName(host.name, spec.name);
        const tool = { spec, host, qualified, purity: spec.purity ?? ('side_effect' as const) };
        const plain = spec.offeredAs ?? spec.name;
        known.set(known.has(plain) ? qualified : plain, tool);
      }
    }
    return known;
  };
  return {
    find: (name) => byName().get(name),
    findQualified: (qualified) =>
      [...byName().values()].find((tool) => tool.qualified === qualified),
    whyAbsent(name) {
      byName();
      for (const host of hosts) {
        const why = host.whyAbsent?.(name);
        if (why !== undefined) return why;
      }
      return undefined;
    },
    offers(allowed, extensions) {
      const tools = byName();
      const choice = JSON.stringify([allowed ?? null, extensions ?? null]);
      const same = offered.get(choice);
      if (same !== undefined) return same;
      const list = [...tools]
        .filter(([name, tool]) => {
          if (allowed?.includes(name) === true || allowed?.includes(tool.qualified) === true)
            return true;
          if (tool.host.isExtension === true && extensions !== undefined)
            return extensions.includes(tool.host.name);
          return allowed === undefined;
        })
        .map(([name, { spec }]) => ({
          name,
          description: spec.description,
          inputSchema: spec.inputSchema,
        }));
      offered.set(choice, list);
      return list;
    },
    views: (policy) => [...byName()].flatMap(([name, tool]) => viewsOf(name, tool, policy)),
  };
}

/**
 * A tool as lists show it. If a tool can mark calls as harmless, the side-effect list shows it as
 * `<tool>:effects`, a separate entry.
 */
function viewsOf(name: string, tool: RegisteredTool, policy: RecoveryPolicy): readonly ToolView[] {
  const { spec, qualified, purity } = tool;
  const canTellEffects = spec.hasEffects !== undefined;
  const isProposed = spec.isProposedForGate ?? false;
  const naming = policy.sideEffectTools.filter((entry) => isListed(qualified, true, [entry]));
  const ofEffects = canTellEffects ? naming.filter(isOfEffects) : [];
  const ofAll = naming.filter((entry) => !ofEffects.includes(entry));
  const view: ToolView = {
    // Users write external tools as `host.tool`, and lists show them so.
    name: spec.offeredAs === undefined ? name : tool.qualified,
    host: tool.host.name,
    purity,
    about: spec.description.slice(0, 500),
    isListed: ofAll.length > 0,
    listedAs: ofAll,
    afterCrash: afterCrash({ qualified, purity, hasEffects: true }, policy),
    isProposed: isProposed && !canTellEffects,
  };
  if (!canTellEffects) return [view];
  const ofReads = afterCrash({ qualified, purity, hasEffects: false }, policy);
  return [
    { ...view, ...(ofReads === view.afterCrash ? {} : { afterCrashOfReads: ofReads }) },
    {
      ...view,
      name: `${name}:effects`,
      about: `Tool calls of ${name} that change something; read-only ones do not count`,
      isListed: ofEffects.length > 0,
      listedAs: ofEffects,
      isProposed,
    },
  ];
}

const isOfEffects = (entry: string): boolean => entry.endsWith(':effects');

/** The tool's question about whether a call took effect; empty if it has none. */
export function questionAbout(spec: ToolSpec | undefined, args: JsonValue): string {
  try {
    return (spec?.question?.(args) ?? '').slice(0, 250);
  } catch {
    return ''; // The tool's wording is optional: fall back to the generic question.
  }
}

/** What a decision about a call of a tool needs to know of it. */
export function toolFacts({ findQualified }: Pick<ToolRegistry, 'findQualified'>) {
  const specOf = (tool: string): ToolSpec | undefined => findQualified(tool)?.spec;
  return {
    hasStatusCheck: (tool: string) => specOf(tool)?.hasStatusCheck === true,
    keyIn(tool: string) {
      const spec = specOf(tool);
      return spec === undefined ? undefined : (spec.carriesKey ?? 'none');
    },
    questionAbout: (tool: string, args: JsonValue) => questionAbout(specOf(tool), args),
  };
}

/** One line about a call, safe to show in lists; never longer than 200 characters. */
export function hintOf(spec: ToolSpec | undefined, args: JsonValue): string {
  try {
    return cutText(spec?.hint?.(args) ?? '', 200);
  } catch {
    return ''; // A hint is optional: arguments that the tool cannot describe are shown without one.
  }
}
