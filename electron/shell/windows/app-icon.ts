/**
 * The picture of windows and notifications on Linux: window managers know no other one for a program
 * that is not installed. Windows and macOS take it from the program.
 */
export const appIcon = (appPath: string, platform: string): string | undefined =>
  platform === 'linux' ? `${appPath}/build/icons/256x256.png` : undefined;
