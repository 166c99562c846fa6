/** What of a request decides whether it is answered at all. */
interface RequestFacts {
  readonly method: string;
  /** As written in the request line. */
  readonly target: string;
  /** Names and values in turn, as they came: Node shows only the first of two Host headers. */
  readonly rawHeaders: readonly string[];
}

type RequestVerdict =
  | { readonly kind: 'accepted'; readonly path: string }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 405; readonly reason: string };

const refused = (status: 400 | 403 | 405, reason: string): RequestVerdict => ({
  kind: 'refused',
  status,
  reason,
});

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** Longest accepted path; ours are short. */
const LONGEST_TARGET = 2_000;

/**
 * Judges a request to a server on 127.0.0.1: a web page that the browser was tricked into sending
 * here (rebinding, cross-site) is rejected, whatever it requests. Pure. H1, H2, H3, H5.
 */
export function judgeRequest(
  { method, target, rawHeaders }: RequestFacts,
  { port, methods }: { readonly port: number; readonly methods: readonly string[] },
): RequestVerdict {
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) return refused(400, 'Send exactly one Host header.');
  if (!target.startsWith('/') || target.startsWith('//') || target.length > LONGEST_TARGET)
    return refused(400, 'Send a path, not an address.');
  if (valuesOf(rawHeaders, 'upgrade').length > 0) return refused(400, 'Nothing is upgraded here.');
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${String(port)}`);
  if (!own.includes((hosts[0] ?? '').toLowerCase()))
    return refused(403, `This is ${own[0] ?? ''} and answers to that name only.`);
  if (valuesOf(rawHeaders, 'origin').length > 0) return refused(403, 'Web pages are not answered.');
  if (valuesOf(rawHeaders, 'sec-fetch-site').some((site) => site.toLowerCase() !== 'none'))
    return refused(403, 'Web pages are not answered.');
  if (!methods.includes(method)) return refused(405, `Use ${methods.join(' or ')}.`);
  return { kind: 'accepted', path: target.split('?', 1)[0] ?? '/' };
}
