import { z } from 'zod';
import { down, refused } from '../channel-errors';
import { callJson } from '../json-call';

export interface NtfyPlace {
  readonly name: string;
  readonly server: string;
  readonly timeoutMs: number;
  /** Undefined if the server needs none. */
  readonly token: () => Promise<string | undefined>;
}

/** A notification's button: the phone sends the request. */
export interface NtfyAction {
  readonly action: 'http';
  readonly label: string;
  readonly url: string;
  readonly method: 'POST';
  readonly body: string;
  readonly clear: boolean;
}

const said = z.object({ error: z.string().optional() });

export const bearer = async ({ token }: NtfyPlace): Promise<Record<string, string>> => {
  const known = await token();
  return known === undefined ? {} : { Authorization: `Bearer ${known}` };
};

/** Publishes as JSON, because text in a header would have to be ASCII. */
export async function publish(
  place: NtfyPlace,
  message: {
    readonly topic: string;
    readonly message: string;
    readonly title?: string;
    readonly priority?: number;
    readonly actions?: readonly NtfyAction[];
    /** Replaces an earlier notification with the same ID; older servers show a second one. */
    readonly sequence_id?: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { status, json, afterMs } = await callJson(place.name, `${place.server}/`, {
    headers: await bearer(place),
    body: message,
    timeoutMs: place.timeoutMs,
    signal,
  });
  if (status >= 200 && status < 300) return;
  const why = said.safeParse(json).data?.error?.slice(0, 200) ?? '';
  const what = `${place.name}: ntfy responded with ${String(status)}${why === '' ? '' : ` (${why})`}.`;
  if (status === 429) throw down(what, { afterMs: afterMs ?? 60_000 });
  // The message itself is invalid and will never be accepted. A wrong token, in contrast, can be
  // fixed.
  if (status === 400 || status === 413) throw refused(what);
  throw down(what, { mayHaveArrived: status >= 500 });
}
