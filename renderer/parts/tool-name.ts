/** Hosts that come with Holdfast: their tools are known by their plain names. */
const OWN_HOSTS = ['files.', 'shell.', 'fetch.'];

/** `read_file` for `files.read_file`; a tool of another host keeps its host: `mail.send`. */
export function toolName(tool: string): string {
  const own = OWN_HOSTS.find((host) => tool.startsWith(host));
  return own === undefined ? tool : tool.slice(own.length);
}

/**
 * The shortest name of each tool that is still unambiguous among these: `send_email` for
 * `office.send_email`, unless another host of the list has one of that name, too.
 */
export function shortNames(tools: Iterable<string>): (tool: string) => string {
  const hosts = new Map<string, Set<string>>();
  const plainOf = (tool: string): string => tool.slice(tool.indexOf('.') + 1);
  for (const tool of tools) {
    const plain = plainOf(tool);
    hosts.set(plain, (hosts.get(plain) ?? new Set()).add(tool));
  }
  return (tool) => ((hosts.get(plainOf(tool))?.size ?? 0) === 1 ? plainOf(tool) : toolName(tool));
}

/** The first sentence of a tool's description: the rest is written for models. */
export function firstSentence(about: string): string {
  return /^.+?[.!?](?=\s|$)/s.exec(about)?.[0] ?? about;
}
