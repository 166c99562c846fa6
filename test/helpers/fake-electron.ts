/** Just enough of Electron to record what the shell asks of it. Use with `vi.mock('electron', …)`. */
import { EventEmitter } from 'node:events';

export const created: FakeWindow[] = [];

class FakeContents extends EventEmitter {
  static nextId = 1;
  readonly id = FakeContents.nextId++;
  readonly sent: { channel: string; payload: unknown }[] = [];
  url = '';
  reloads = 0;
  crashes = 0;
  readonly loads: string[] = [];
  openHandler: ((details: { url: string }) => { action: string }) | undefined;
  isDestroyed = (): boolean => false;
  isLoading = (): boolean => false;
  getURL = (): string => this.url;
  send = (channel: string, payload: unknown): void => void this.sent.push({ channel, payload });
  loadURL = (url: string): Promise<void> => {
    this.loads.push(url);
    return Promise.resolve();
  };
  reload = (): void => void (this.reloads += 1);
  forcefullyCrashRenderer = (): void => void (this.crashes += 1);
  setWindowOpenHandler = (handler: (details: { url: string }) => { action: string }): void => {
    this.openHandler = handler;
  };
}

class FakeWindow extends EventEmitter {
  readonly webContents = new FakeContents();
  isGone = false;
  visible = false;
  minimized = false;
  constructor(
    readonly options: Record<string, unknown> & { webPreferences: Record<string, unknown> },
  ) {
    super();
    created.push(this);
  }
  loadURL = async (url: string): Promise<void> => {
    this.webContents.url = url;
  };
  show = (): void => {
    this.visible = true;
    this.emit('show');
  };
  hide = (): void => {
    this.visible = false;
    this.emit('hide');
  };
  minimize = (): void => void (this.minimized = true);
  restore = (): void => void (this.minimized = false);
  maximize = (): void => undefined;
  focus = (): void => undefined;
  destroy = (): void => {
    this.isGone = true;
    this.emit('closed');
  };
  isDestroyed = (): boolean => this.isGone;
  isVisible = (): boolean => this.visible;
  isMinimized = (): boolean => this.minimized;
  isMaximized = (): boolean => false;
  isFocused = (): boolean => this.visible;
  isFullScreen = (): boolean => false;
  minimum: readonly number[] = [];
  bounds = { x: 460, y: 180, width: 1000, height: 720 };
  setMinimumSize = (...size: readonly number[]): void => void (this.minimum = size);
  getBounds = () => this.bounds;
  setBounds = (bounds: FakeWindow['bounds']): void => void (this.bounds = bounds);
  getNormalBounds = () => ({ x: 10, y: 10, width: 1000, height: 700 });
  setBackgroundColor = (): void => undefined;
  /** Presses the close button; true where the window stays. */
  pressClose(): boolean {
    let isPrevented = false;
    this.emit('close', { preventDefault: () => (isPrevented = true) });
    if (!isPrevented) this.destroy();
    return isPrevented;
  }
}

/** A notification that the system shows at once, unless a test says else; it presses the buttons. */
export class Notification extends EventEmitter {
  static readonly shown: Notification[] = [];
  static isSupported = (): boolean => true;
  /** What the system does with the next ones: `silent` neither shows nor refuses. */
  static system: 'show' | 'failed' | 'silent' = 'show';
  isClosed = false;
  constructor(
    readonly options: {
      readonly title: string;
      readonly body: string;
      readonly icon?: string;
      readonly silent?: boolean;
      readonly actions?: readonly { readonly type: string; readonly text: string }[];
    },
  ) {
    super();
  }
  show(): void {
    Notification.shown.push(this);
    if (Notification.system !== 'silent') this.emit(Notification.system, {});
  }
  close(): void {
    this.isClosed = true;
  }
  /** As newer Electron tells it; before, the index alone was the second argument. */
  press(label: string, isOld = false): void {
    const index = (this.options.actions ?? []).findIndex(({ text }) => text === label);
    if (index < 0) throw new Error(`No button "${label}".`);
    if (isOld) this.emit('action', {}, index);
    else this.emit('action', { actionIndex: index });
  }
}

export const BrowserWindow = FakeWindow;
export const opened: string[] = [];
export const shell = { openExternal: async (url: string): Promise<void> => void opened.push(url) };
export const nativeTheme = { shouldUseDarkColors: true };
const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 }, scaleFactor: 1 };
export const screen = { getAllDisplays: () => [display], getDisplayMatching: () => display };
export const safeStorage = {};

class FakeApp extends EventEmitter {
  private switches: readonly string[] = [];
  /** How often the sandbox of the whole process was asked for. */
  sandboxed = 0;
  readonly commandLine = { hasSwitch: (name: string): boolean => this.switches.includes(name) };
  enableSandbox = (): void => void (this.sandboxed += 1);
  /** As which program Windows shows notifications. */
  userModelId = '';
  setAppUserModelId = (id: string): void => void (this.userModelId = id);
  getSystemLocale = (): string => 'en-US';
  getLocale = (): string => 'en-US';
  reset(...switches: readonly string[]): void {
    this.removeAllListeners();
    this.switches = switches;
    this.sandboxed = 0;
    this.userModelId = '';
    schemes.length = 0;
  }
}
/** Schemes that were registered with what they may do. */
export const schemes: unknown[] = [];
export const app = new FakeApp();

/** The row of a menu, as it is given to Electron. */
export interface FakeRow {
  readonly type?: string;
  readonly label?: string;
  readonly click?: () => void;
}
export class FakeMenu extends EventEmitter {
  constructor(readonly rows: readonly FakeRow[]) {
    super();
  }
}
export const Menu = {
  setApplicationMenu: (): void => undefined,
  buildFromTemplate: (rows: readonly FakeRow[]): FakeMenu => new FakeMenu(rows),
};
export const nativeImage = { createFromPath: (path: string): string => path };
export class Tray extends EventEmitter {
  static readonly made: Tray[] = [];
  menu: FakeMenu | undefined;
  tooltip = '';
  constructor(public image: string) {
    super();
    Tray.made.push(this);
  }
  setImage = (image: string): void => void (this.image = image);
  setToolTip = (text: string): void => void (this.tooltip = text);
  setContextMenu = (menu: FakeMenu): void => void (this.menu = menu);
  isDestroyed = (): boolean => false;
  destroy = (): void => undefined;
}
/** Settings of macOS that are on. */
export const macSettings = new Set<string>();
export const systemPreferences = {
  getUserDefault: (key: string): boolean => macSettings.has(key),
};
export const protocol = {
  registerSchemesAsPrivileged: (given: readonly unknown[]): void => void schemes.push(...given),
};
export { FakeContents };
