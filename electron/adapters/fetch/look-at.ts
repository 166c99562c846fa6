const LOOK_MS = 20_000;

/**
 * Fetches the start of the site's first page, only to see whether it responds without a server
 * error.
 */
export async function lookAt(
  url: string,
  options: { readonly version: string; readonly allowLoopback: boolean },
  signal: AbortSignal,
): Promise<'ok' | 'neither'> {
  const { httpGet } = await import('./http-get');
  const outcome = await httpGet(url, {
    allowLoopback: options.allowLoopback,
    maxRedirects: 5,
    capBytes: 1_024,
    timeoutMs: LOOK_MS,
    userAgent: `Holdfast/${options.version}`,
    signal,
  });
  if (outcome.kind === 'failed' && outcome.isRetryable) throw new Error(outcome.reason);
  if (outcome.kind === 'answer' && outcome.status >= 500)
    throw new Error(`Status ${String(outcome.status)}`);
  return outcome.kind === 'refused' ? 'neither' : 'ok';
}
