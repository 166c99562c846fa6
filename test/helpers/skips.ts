/**
 * For `skipIf`: whether these tests are left out, which they are where there is a reason. Then one
 * line says what is not tested here and why: a skip that nobody is told of looks like a pass.
 */
export function isLeftOut(what: string, why: string | false | undefined): boolean {
  if (why === undefined || why === false) return false;
  process.stderr.write(`Skipped: ${what}; ${why}\n`);
  return true;
}

export const NOT_LINUX = process.platform !== 'linux' && 'this is not Linux';
export const NOT_ROOT = process.getuid?.() !== 0 && 'only root may act as another account';
