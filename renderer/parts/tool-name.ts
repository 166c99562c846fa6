/** Hosts that come with Holdfast: their tools are known by their plain names. */
const OWN_HOSTS = ['files.', 'shell.', 'fetch.'];

/** `read_file` for `files.read_file`; a tool of another host keeps its host: `mail.send`. */
export function toolName(tool: string): string {
  const own = OWN_HOSTS.find((host) => tool.startsWith(host));
  return own === undefined ? tool : tool.slice(own.length);
}

/** The first sentence of what a tool says about itself: the rest is written for models. */
export function firstSentence(about: string): string {
  return /^.+?[.!?](?=\s|$)/s.exec(about)?.[0] ?? about;
}
