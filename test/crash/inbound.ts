import fs from 'node:fs';
import path from 'node:path';
import type { Realm } from './realm';

/** Whether a process of this realm has opened the port; the file of one that was killed stays. */
export const isPortOpened = (realm: Realm): boolean => fs.existsSync(portFileOf(realm));
const portFileOf = (realm: Realm): string => path.join(realm.dataDir, 'run', 'channels.port');

/** Sends a message once; rejects where nobody answers, as the connection of a process that died does. */
export async function sendToWebhook(
  realm: Realm,
  channel: string,
  body: Readonly<Record<string, unknown>>,
): Promise<number> {
  const port = fs.readFileSync(portFileOf(realm), 'utf8').trim();
  const token = fs.readFileSync(path.join(realm.dataDir, 'channels.token'), 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${port}/in/${channel}`, {
    signal: AbortSignal.timeout(20_000),
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return answer.status;
}
