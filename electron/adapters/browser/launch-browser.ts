import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { makeMissingFolders } from '../../disk/missing-folders';
import { startServerProcess, type ServerProcess } from '../mcp/server-process';
import { createCdpPipe, type CdpPipe } from './cdp-pipe';
import { openSocksGate, type SocksGate } from './socks-gate';

interface LaunchOptions {
  readonly program: string;
  /** Where Chromium stores this session's data; created here, for it alone. */
  readonly profile: string;
  readonly isHeadless: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly localHosts: () => readonly string[];
  readonly onErrorLine: (line: string) => void;
}

/** One running Chromium with its network gate. */
export interface LaunchedBrowser {
  readonly cdp: CdpPipe;
  readonly gate: SocksGate;
  readonly process: ServerProcess;
  /** Asks it to exit, waits `graceMs`, then kills it; no process is left afterward. */
  end(graceMs: number): Promise<void>;
}

/** Chromium uses its sandbox unless it runs as root. */
const runsWithoutSandbox = (): boolean => process.getuid?.() === 0;

/**
 * Command line of an agent's Chromium: a separate profile, no network traffic of its own, every
 * connection through the gate. It is controlled over a pipe: there is no port to which another
 * program or user could connect, and it exits when the pipe ends with Holdfast.
 */
function browserArguments(options: {
  readonly profile: string;
  readonly isHeadless: boolean;
  readonly gatePort: number;
  readonly isUnwalled: boolean;
}): readonly string[] {
  return [
    ...(options.isHeadless ? ['--headless=new'] : []),
    ...(options.isUnwalled ? ['--no-sandbox'] : []),
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    `--proxy-server=socks5://127.0.0.1:${String(options.gatePort)}`,
    // Loopback too goes through the gate, and no lookup or traffic bypasses it.
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pings',
    '--allow-browser-signin=false',
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-client-side-phishing-detection',
    '--disable-component-extensions-with-background-pages',
    '--disable-component-update',
    '--disable-crash-reporter',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,Prerender2',
    '--disable-sync',
    '--deny-permission-prompts',
    '--disk-cache-size=33554432',
    '--hide-scrollbars',
    '--metrics-recording-only',
    '--mute-audio',
    '--password-store=basic',
    '--use-mock-keychain',
    '--window-size=1280,900',
    'about:blank',
  ];
}

/** @throws if the program cannot be started. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  makeMissingFolders(options.profile);
  // Only one browser uses a profile, and the data directory is ours: a lock in it is a leftover of
  // a killed one.
  for (const name of ['SingletonLock', 'SingletonSocket', 'SingletonCookie'])
    await rm(join(options.profile, name), { force: true });
  const gate = await openSocksGate(options.localHosts);
  let child: ServerProcess;
  try {
    child = await startServerProcess({
      command: options.program,
      args: browserArguments({
        profile: options.profile,
        isHeadless: options.isHeadless,
        gatePort: gate.port,
        isUnwalled: runsWithoutSandbox(),
      }),
      cwd: options.profile,
      env: options.env,
      extraPipes: 2,
      onErrorLine: options.onErrorLine,
    });
  } catch (error) {
    gate.close();
    throw error;
  }
  child.stdout.resume(); // A full pipe would stop it.
  const [to, from] = child.extra as [Duplex, Duplex];
  const cdp = createCdpPipe(to, from);
  void child.ended.then((how) => {
    cdp.close(how);
    gate.close();
  });
  return {
    cdp,
    gate,
    process: child,
    async end(graceMs) {
      const asked = graceMs > 0 && cdp.send('Browser.close').catch(() => undefined);
      let timer: NodeJS.Timeout | undefined;
      const waited = new Promise((resolve) => (timer = setTimeout(resolve, graceMs)));
      await Promise.race([asked, child.ended, waited]);
      clearTimeout(timer);
      cdp.close('it was closed');
      gate.close();
      await child.end(graceMs);
    },
  };
}
