import { execFileSync } from 'node:child_process';

type SmallDisk =
  | { readonly kind: 'mounted'; readonly unmount: () => void }
  | { readonly kind: 'refused'; readonly problem: string };

/** A disk of our own that is soon full, at `dir`, where this machine lets us have one. */
export function mountSmallDisk(dir: string, kilobytes: number): SmallDisk {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(kilobytes)}k`, 'tmpfs', dir], {
      stdio: 'pipe',
    });
  } catch (error) {
    return { kind: 'refused', problem: error instanceof Error ? error.message : String(error) };
  }
  return {
    kind: 'mounted',
    unmount: () => {
      execFileSync('umount', ['-l', dir]);
    },
  };
}
