/**
 * The icon of windows and notifications on Linux: window managers have no other one for a program
 * that is not installed. On Windows and macOS, the program contains it.
 */
export const appIcon = (appPath: string, platform: string): string | undefined =>
  platform === 'linux' ? `${appPath}/build/icons/256x256.png` : undefined;
