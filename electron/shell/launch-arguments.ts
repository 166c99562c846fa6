/**
 * How this process was started, and which of its arguments are ours. Another program may have
 * passed any of them, so a link among them may only open a page (D1, D2).
 */
import { resolve } from 'node:path';
import { MAX_LINK_CHARS, parseLink } from './windows/links';

export interface LaunchFacts {
  readonly argv: readonly string[];
  /** Run from a checkout, by Electron's own default app. */
  readonly isDefaultApp: boolean;
  /** Folder of the app; in a checkout it is among the arguments. */
  readonly appPath: string;
}

/** Switches of Chromium and Node that launchers and tests add; never meant for us. */
const FOREIGN_SWITCH =
  /^--(no-sandbox|disable-[a-z-]+|enable-(features|logging)\S*|remote-debugging-[a-z]+(=.*)?|inspect(-brk)?(=.*)?|user-data-dir=.*|ozone-platform[a-z-]*=.*|force-[a-z-]+(=.*)?|lang=.*)$/;

/** The user's arguments: without executable, app folder and Chromium's own switches. */
export function userArguments({ argv, isDefaultApp, appPath }: LaunchFacts): string[] {
  const folder = isDefaultApp
    ? argv.findIndex(
        (argument, index) =>
          index > 0 && !argument.startsWith('-') && resolve(argument) === appPath,
      )
    : 0;
  return argv.slice(Math.max(folder, 0) + 1).filter((argument) => !FOREIGN_SWITCH.test(argument));
}

/**
 * The `holdfast:` argument, not validated yet. An argument too long for a link is ignored, as in
 * the instance that is already running: the start counts as one without a link.
 */
export function linkFromArguments(args: readonly string[]): string | undefined {
  const link = args.find((argument) => argument.startsWith('holdfast:'));
  return link === undefined || link.length > MAX_LINK_CHARS ? undefined : link;
}

/** The page that a `holdfast://open/…` argument requests. */
export function routeFromArguments(args: readonly string[]): string | undefined {
  const link = linkFromArguments(args);
  return link === undefined ? undefined : parseLink(link);
}

/** The arguments that must precede ours to start the same app again. */
export function leadingArguments({ argv, isDefaultApp, appPath }: LaunchFacts): string[] {
  return [
    ...(argv.includes('--no-sandbox') ? ['--no-sandbox'] : []),
    // Without it, an app started on Wayland would try X11 on relaunch and exit.
    ...argv.filter((argument) => /^--ozone-platform(-hint)?=[a-z0-9]+$/.test(argument)),
    ...(isDefaultApp ? [appPath] : []),
  ];
}

/** A closed reader (`npm start | head`) must not crash the app. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
