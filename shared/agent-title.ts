/** The display name of an agent. Verbs, settings and JSON know the name; people read the title. */

/** What people read for an agent; without a display name in the settings, its name. Pure. */
export function agentTitleIn(
  agents: Readonly<Record<string, { readonly title?: string | undefined }>>,
  name: string,
): string {
  return (Object.hasOwn(agents, name) ? agents[name]?.title : undefined) ?? name;
}
