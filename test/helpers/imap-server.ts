/** As much of an IMAP server as a client needs that reads one folder: letters, their numbers, IDLE. */
import net from 'node:net';
import { once } from 'node:events';

export interface ImapServer {
  readonly port: number;
  /** Puts a letter into the folder, as the mail server does. */
  arrives(raw: string): void;
  /** Another folder with the same name: its letters count from 1 again. */
  renew(): void;
  /** Ends every connection. */
  cut(): void;
  logins(): number;
  /** Somebody is told of what arrives. */
  isHeard(): boolean;
  /** Letters that were fetched, by their numbers. */
  readonly fetched: number[];
  close(): Promise<void>;
}

export async function startImapServer(user: string, password: string): Promise<ImapServer> {
  let letters: { readonly uid: number; readonly raw: string }[] = [];
  let validity = 1_700_000_001;
  let lastUid = 0;
  let logins = 0;
  const fetched: number[] = [];
  const idling = new Set<net.Socket>();
  const open = new Set<net.Socket>();

  const answer = (socket: net.Socket, line: string): void => {
    const say = (...lines: readonly string[]): void => {
      for (const one of lines) socket.write(`${one}\r\n`);
    };
    if (/^DONE$/i.test(line)) {
      idling.delete(socket);
      say(`${tags.get(socket) ?? ''} OK done`);
      return;
    }
    // As every server: what is new is told with the next command.
    if ((told.get(socket) ?? letters.length) < letters.length)
      say(`* ${String(letters.length)} EXISTS`);
    told.set(socket, letters.length);
    const [, tag = '', command = '', rest = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/i.exec(line) ?? [];
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        return say('* CAPABILITY IMAP4rev1 IDLE', `${tag} OK done`);
      case 'LOGIN': {
        if (rest.replaceAll('"', '') !== `${user} ${password}`)
          return say(`${tag} NO [AUTHENTICATIONFAILED] not ${rest}`);
        logins += 1;
        return say(`${tag} OK done`);
      }
      case 'LIST':
        return say('* LIST (\\HasNoChildren) "/" INBOX', `${tag} OK done`);
      case 'SELECT':
      case 'EXAMINE':
        return say(
          `* ${String(letters.length)} EXISTS`,
          '* FLAGS (\\Seen)',
          `* OK [UIDVALIDITY ${String(validity)}] valid`,
          `* OK [UIDNEXT ${String(lastUid + 1)}] next`,
          `${tag} OK [READ-ONLY] done`,
        );
      case 'UID SEARCH': {
        const from = Number(/(\d+):\*/.exec(rest)?.[1]);
        const found = letters.filter(({ uid }) => uid >= from || uid === lastUid);
        return say(`* SEARCH ${found.map(({ uid }) => uid).join(' ')}`.trim(), `${tag} OK done`);
      }
      case 'UID FETCH': {
        const at = letters.findIndex(({ uid }) => uid === Number.parseInt(rest, 10));
        const letter = letters[at];
        if (letter !== undefined) {
          fetched.push(letter.uid);
          const { length } = Buffer.from(letter.raw);
          socket.write(
            `* ${String(at + 1)} FETCH (UID ${String(letter.uid)} BODY[]<0> {${String(length)}}\r\n${letter.raw})\r\n`,
          );
        }
        return say(`${tag} OK done`);
      }
      case 'IDLE':
        tags.set(socket, tag);
        idling.add(socket);
        return say('+ idling');
      case 'LOGOUT':
        say('* BYE bye', `${tag} OK done`);
        socket.end();
        return;
      default:
        return say(`${tag} OK done`);
    }
  };
  const tags = new Map<net.Socket, string>();
  /** How many letters it has been told of. */
  const told = new Map<net.Socket, number>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      idling.delete(socket);
    });
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n');
    let rest = '';
    socket.on('data', (data: Buffer) => {
      const lines = (rest + data.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) answer(socket, line);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    arrives(raw) {
      lastUid += 1;
      letters.push({ uid: lastUid, raw: raw.replaceAll(/\r?\n/g, '\r\n') });
      for (const socket of idling) {
        socket.write(`* ${String(letters.length)} EXISTS\r\n`);
        told.set(socket, letters.length);
      }
    },
    renew() {
      letters = [];
      validity += 1;
      lastUid = 0;
    },
    cut,
    logins: () => logins,
    isHeard: () => idling.size > 0,
    fetched,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
