import net from 'node:net';

/** A TCP proxy in front of a server that a test can cut, half-open and delay. */
export interface CutProxy {
  readonly port: number;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /** Connections stay open and no byte passes in either direction any more. */
  freeze(): void;
  /** The next answer that `matches` what was asked is dropped with its connection. */
  dropAnswerTo(matches: string): Promise<void>;
  heal(): void;
  close(): Promise<void>;
}

export async function createCutProxy(target: { readonly port: number }): Promise<CutProxy> {
  let mode: 'open' | 'cut' | 'frozen' = 'open';
  let wanted: { readonly matches: string; readonly dropped: () => void } | undefined;
  const sockets = new Set<net.Socket>();
  const track = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = net.createServer((client) => {
    track(client);
    if (mode === 'cut') {
      client.destroy();
      return;
    }
    const upstream = net.connect(target.port, '127.0.0.1');
    track(upstream);
    let drops: (() => void) | undefined;
    client.on('data', (bytes) => {
      if (mode === 'frozen') return;
      if (wanted !== undefined && bytes.includes(wanted.matches)) {
        drops = wanted.dropped;
        wanted = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (mode === 'frozen') return;
      if (drops === undefined) {
        client.write(bytes);
        return;
      }
      // The server has answered, so what was asked is done there.
      client.destroy();
      upstream.destroy();
      drops();
      drops = undefined;
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    cut() {
      mode = 'cut';
      end();
    },
    freeze() {
      mode = 'frozen';
    },
    dropAnswerTo: (matches) =>
      new Promise((resolve) => {
        wanted = { matches, dropped: resolve };
      }),
    heal() {
      // What was frozen has lost bytes: its connections cannot go on.
      if (mode === 'frozen') end();
      mode = 'open';
    },
    async close() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
