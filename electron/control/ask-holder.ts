/** Requests of a second start to the holder of the lock. R14, L3, S2-42. */
import type { HolderAnswer, HolderVerb } from '../ports/instance-lock';
import { connectControl } from './client';

/**
 * Resolves within `timeoutMs`, never throws. A holder that is starting, or shutting down when it
 * should show its window, counts as silent: the caller decides how long to accept that. `link` is
 * the page to show; the holder validates it.
 */
export const askHolder = async (
  socketPath: string,
  token: string | null,
  verb: HolderVerb,
  timeoutMs: number,
  link?: string,
): Promise<HolderAnswer> => {
  const untilMs = performance.now() + timeoutMs;
  const connected = await connectControl({
    socketPath,
    token: token ?? '',
    version: '',
    timeoutMs,
  });
  if (connected.kind === 'refused') return 'refused';
  if (connected.kind !== 'connected') return 'silent';
  const { client } = connected;
  const leftMs = Math.max(1, untilMs - performance.now());
  try {
    if (verb === 'focus') {
      await client.call('instance.focus', link === undefined ? {} : { link }, leftMs);
      return 'focused';
    }
    await client.call('instance.stop', { reason: 'takeover' }, leftMs);
    return 'leaving';
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'STOPPING') return verb === 'takeover' ? 'leaving' : 'silent';
    return code === 'STARTING' || code === 'NOT_RUNNING' ? 'silent' : 'refused';
  } finally {
    client.close();
  }
};
