/** One life without a crash, in this process: what it has run is compiled for those that follow. */
import fs from 'node:fs';
import path from 'node:path';

const MESSAGES = [
  ['mail m1', 'chanB', 'peer 1'],
  ['files f1', 'cli', 'files'],
  ['big b1', 'chanB', 'peer 2'],
  ['stopme s1', 'cli', 'stop'],
  ['mystery y1', 'cli', 'main'],
  ['multi u1', 'chanB', 'peer 3'],
  ['/skill three one s1', 'cli', 'main'],
] as const;

/** `begin` starts a life with these options, `send` gives it a command, `end` is called behind it. */
export function warmUp(
  home: string,
  begin: (options: string) => void,
  send: (command: object) => void,
  end: () => void,
): void {
  const [dataDir, outside] = ['data', 'outside'].map((name) => path.join(home, name));
  if (dataDir === undefined || outside === undefined) return;
  for (const dir of [dataDir, outside]) fs.mkdirSync(dir, { mode: 0o700 });
  const agents = { fake: { provider: 'fake', model: 'fake-1', workspace: outside } };
  fs.writeFileSync(path.join(dataDir, 'config.json'), JSON.stringify({ agents }), { mode: 0o600 });
  const writeSync = fs.writeSync;
  fs.writeSync = ((...args: [number, string]) => {
    if (args[0] !== 1) return writeSync(...args);
    const line = JSON.parse(args[1]) as Record<string, unknown>;
    if ('isReady' in line) {
      for (const [index, [text, channel, peer]] of MESSAGES.entries())
        send({ id: index + 1, kind: 'accept', channel, peer, text });
      send({ id: 90, kind: 'quiet' });
    }
    if ('isQuiet' in line) send({ id: 91, kind: 'call', verb: 'recovery.list', input: {} });
    if (line['id'] === 91) send({ id: 92, kind: 'stop' });
    if ('isStopped' in line) setImmediate(end);
    return args[1].length;
  }) as typeof fs.writeSync;
  const told = { noRestore: false, missingTools: [], host: 'fake', hasStatusCheck: false };
  begin(JSON.stringify({ ...told, isPoisoned: false, dataDir, outside }));
}
