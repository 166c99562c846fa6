/**
 * A desktop for tests: one private message bus that serves as session and system bus, with a tray
 * that takes icons, a notification daemon that records and clicks, and a login manager that sends
 * the computer to sleep. Needs only the program `dbus-daemon`.
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as dbus from '@jellybrick/dbus-next';

const { Message, Variant } = dbus;

interface ShownNotification {
  readonly id: number;
  readonly app: string;
  readonly title: string;
  readonly body: string;
  readonly actions: readonly string[];
}

interface MenuRow {
  readonly id: number;
  readonly label: string;
  readonly isEnabled: boolean;
  /** 1 is checked, 0 is not, undefined is no check mark. */
  readonly toggle: number | undefined;
}

export interface FakeDesktopOptions {
  /** Folder for the bus socket; short, because socket paths are. */
  readonly dir: string;
  /** False: nobody shows tray icons, as on a GNOME without the extension. */
  readonly tray?: boolean;
  /** False: nobody shows notifications. */
  readonly notifications?: boolean;
}

const NOTIFICATIONS = 'org.freedesktop.Notifications';
const WATCHER = 'org.kde.StatusNotifierWatcher';
const LOGIN = 'org.freedesktop.login1';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

const BUS_CONFIG = (
  dir: string,
): string => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:dir=${dir}</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
`;

type Reply = readonly [signature: string, body: unknown[]];

/** Resolves with what `find` returns as soon as it returns something. Looks again on every event. */
async function seen<T>(
  events: EventEmitter,
  find: () => T | undefined,
  what: string,
  timeoutMs: number,
): Promise<T> {
  const first = find();
  if (first !== undefined) return first;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = find();
      if (found === undefined) return;
      clearTimeout(timer);
      events.off('change', look);
      resolve(found);
    };
    const timer = setTimeout(() => {
      events.off('change', look);
      reject(new Error(`Not seen within ${timeoutMs} ms: ${what}`));
    }, timeoutMs);
    events.on('change', look);
  });
}

export async function startFakeDesktop(options: FakeDesktopOptions) {
  const dir = mkdtempSync(join(options.dir, 'bus-'));
  const config = join(dir, 'bus.conf');
  writeFileSync(config, BUS_CONFIG(dir));
  const daemon = spawn(
    'dbus-daemon',
    [`--config-file=${config}`, '--print-address', '--nofork', '--nopidfile'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [printed] = (await once(daemon.stdout, 'data')) as [Buffer];
  const address = printed.toString('utf8').trim().split(',')[0] ?? '';
  const bus = dbus.sessionBus({ busAddress: address });
  const events = new EventEmitter();
  events.setMaxListeners(50);
  const notifications: ShownNotification[] = [];
  const closed: number[] = [];
  const items: { readonly sender: string; readonly path: string }[] = [];
  let nextId = 0;
  const change = (): void => void setImmediate(() => events.emit('change'));

  const signal = (
    path: string,
    iface: string,
    member: string,
    signature: string,
    body: unknown[],
  ) => bus.send(Message.newSignal(path, iface, member, signature, body));
  const tellNotification = (member: string, body: unknown[], signature: string) =>
    signal('/org/freedesktop/Notifications', NOTIFICATIONS, member, signature, body);

  const methods: Record<string, (message: dbus.Message) => Reply | undefined> = {
    [`${NOTIFICATIONS}.GetServerInformation`]: () => ['ssss', ['fake', 'test', '1', '1.2']],
    [`${NOTIFICATIONS}.GetCapabilities`]: () => ['as', [['actions', 'body']]],
    [`${NOTIFICATIONS}.Notify`]: ({ body }) => {
      const [app, replaces, , title, text, actions] = body as [
        string,
        number,
        string,
        string,
        string,
        string[],
      ];
      const id = replaces === 0 ? (nextId += 1) : replaces;
      notifications.push({ id, app, title, body: text, actions });
      change();
      return ['u', [id]];
    },
    [`${NOTIFICATIONS}.CloseNotification`]: ({ body }) => {
      const id = body[0] as number;
      closed.push(id);
      setImmediate(() => tellNotification('NotificationClosed', [id, 3], 'uu'));
      change();
      return ['', []];
    },
    [`${WATCHER}.RegisterStatusNotifierItem`]: (message) => {
      const name = message.body[0] as string;
      const item = name.startsWith('/')
        ? { sender: message.sender ?? '', path: name }
        : { sender: name, path: '/StatusNotifierItem' };
      items.push(item);
      change();
      return ['', []];
    },
    [`${PROPERTIES}.Get`]: ({ body }) => {
      if (body[0] !== WATCHER) return undefined;
      const values: Record<string, dbus.Variant> = {
        IsStatusNotifierHostRegistered: new Variant('b', true),
        ProtocolVersion: new Variant('i', 0),
        RegisteredStatusNotifierItems: new Variant(
          'as',
          items.map(({ sender, path }) => sender + path),
        ),
      };
      const value = values[body[1] as string];
      return value === undefined ? undefined : ['v', [value]];
    },
  };
  bus.addMethodHandler((message: dbus.Message) => {
    const reply = methods[`${message.interface ?? ''}.${message.member ?? ''}`]?.(message);
    if (reply === undefined) return false;
    bus.send(Message.newMethodReturn(message, reply[0], reply[1]));
    return true;
  });
  const names = [
    ...(options.notifications === false ? [] : [NOTIFICATIONS]),
    ...(options.tray === false ? [] : [WATCHER]),
    LOGIN,
  ];
  for (const name of names) await bus.requestName(name, 0);

  const call = (
    destination: string,
    path: string,
    iface: string,
    member: string,
    signature = '',
    body: unknown[] = [],
  ) => bus.call(new Message({ destination, path, interface: iface, member, signature, body }));
  const newest = (): { readonly sender: string; readonly path: string } => {
    const item = items.at(-1);
    if (item === undefined) throw new Error('No tray icon has been registered.');
    return item;
  };
  const menu = (member: string, signature: string, body: unknown[]) =>
    call(
      newest().sender,
      '/com/canonical/dbusmenu',
      'com.canonical.dbusmenu',
      member,
      signature,
      body,
    );

  type Node = [number, Record<string, dbus.Variant>, dbus.Variant[]];
  const flatten = ([id, properties, children]: Node): MenuRow[] => [
    {
      id,
      label: String(properties['label']?.value ?? '').replaceAll('__', '_'),
      isEnabled: properties['enabled']?.value !== false,
      toggle: properties['toggle-state']?.value as number | undefined,
    },
    ...children.flatMap((child) => flatten(child.value as Node)),
  ];
  const readMenu = async (): Promise<readonly MenuRow[]> => {
    const reply = await menu('GetLayout', 'iias', [0, -1, []]);
    return flatten(reply?.body[1] as Node).filter(({ label }) => label !== '');
  };
  const property = async (name: string): Promise<unknown> => {
    const { sender, path } = newest();
    const reply = await call(sender, path, PROPERTIES, 'Get', 'ss', [
      'org.kde.StatusNotifierItem',
      name,
    ]);
    return (reply?.body[0] as dbus.Variant).value;
  };

  return {
    address,
    env: { DBUS_SESSION_BUS_ADDRESS: address, DBUS_SYSTEM_BUS_ADDRESS: address },
    notifications: notifications as readonly ShownNotification[],
    closed: closed as readonly number[],
    /** Waits for a notification that fits; those shown before count, too. */
    notification: (fits: (shown: ShownNotification) => boolean, timeoutMs = 120_000) =>
      seen(events, () => notifications.find(fits), 'a fitting notification', timeoutMs),
    /** Waits until `count` icons have been registered since the start. */
    trayItems: (count: number, timeoutMs = 120_000) =>
      seen(
        events,
        () => (items.length >= count ? items : undefined),
        `${count} tray icons`,
        timeoutMs,
      ),
    /** As `trayItems`, and the newest says what the engine does: no first icon, no start any more. */
    async inTray(count: number, timeoutMs = 120_000): Promise<void> {
      const untilMs = performance.now() + timeoutMs;
      await this.trayItems(count, timeoutMs);
      for (;;) {
        const tooltip = await this.tooltip();
        if (tooltip.startsWith('Holdfast') && tooltip !== 'Holdfast - starting') return;
        if (performance.now() > untilMs) throw new Error(`The tray only says: "${tooltip}"`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    itemCount: () => items.length,
    click: (id: number) => {
      tellNotification('ActionInvoked', [id, 'default'], 'us');
      tellNotification('NotificationClosed', [id, 2], 'uu');
    },
    readMenu,
    /** Clicks the first enabled row whose label begins so. */
    async chooseMenu(label: string, isRetry = false): Promise<void> {
      const rows = await readMenu();
      const row = rows.find((one) => one.label.startsWith(label) && one.isEnabled);
      if (row === undefined) {
        throw new Error(
          `No enabled row "${label}" in: ${rows.map((one) => one.label).join(' | ')}`,
        );
      }
      try {
        await menu('Event', 'isvu', [row.id, 'clicked', new Variant('s', ''), 0]);
      } catch (error) {
        // The menu was drawn anew between the look and the click: look again, as a person would.
        if (isRetry) throw error;
        await this.chooseMenu(label, true);
      }
    },
    async tooltip(): Promise<string> {
      const value = (await property('ToolTip')) as [string, unknown, string, string];
      return value[2] || value[3];
    },
    activate: () =>
      call(newest().sender, newest().path, 'org.kde.StatusNotifierItem', 'Activate', 'ii', [0, 0]),
    sleep: (isGoing: boolean) =>
      signal('/org/freedesktop/login1', `${LOGIN}.Manager`, 'PrepareForSleep', 'b', [isGoing]),
    shutdown: () =>
      signal('/org/freedesktop/login1', `${LOGIN}.Manager`, 'PrepareForShutdown', 'b', [true]),
    async stop(): Promise<void> {
      // A last call of a dying app may still arrive; there is nobody left to answer it.
      bus.send = () => undefined;
      bus.disconnect();
      if (daemon.exitCode === null && daemon.signalCode === null) {
        daemon.kill('SIGTERM');
        await once(daemon, 'exit');
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export type FakeDesktop = Awaited<ReturnType<typeof startFakeDesktop>>;
