import fs from 'node:fs';

/** Whether a lock on this file system can be trusted. */
type FilesystemVerdict =
  | { readonly kind: 'fit' }
  | {
      readonly kind: 'unfit';
      readonly type: string;
      readonly mountPoint: string;
      readonly reason: string;
    };

/** Local file systems, whose locks are the kernel's own. */
const LOCAL = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs zfs f2fs jfs reiserfs bcachefs nilfs2 erofs overlay aufs tmpfs ramfs ' +
    'rootfs ecryptfs vfat exfat ntfs ntfs3 hfs hfsplus apfs ufs fuseblk fuse.ntfs-3g fuse.exfat ' +
    'fuse.gocryptfs fuse.encfs fuse.cryfs fuse.securefs fuse.fuse-overlayfs fuse.bindfs'
  ).split(' '),
);

const NETWORK =
  /^(nfs\d?|cifs|smb\d?|smbfs|afs|9p|ceph|glusterfs|lustre|gpfs|beegfs|ocfs2|gfs2?|davfs|virtiofs|vboxsf|prl_fs|fuse\.(sshfs|rclone|s3fs|gcsfuse|davfs2?|glusterfs|ceph.*|vmhgfs.*|gvfsd-fuse))$/;

/** Field 5 of mountinfo writes space, tab, newline and backslash as octal. */
function unescaped(field: string): string {
  return field.replaceAll(/\\(\d{3})/g, (_whole, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function isUnder(target: string, mountPoint: string): boolean {
  if (mountPoint === '/') return true;
  return target === mountPoint || target.startsWith(`${mountPoint}/`);
}

/** The text of the kernel's mount table; null if there is none (macOS, Windows). */
export function readMountInfo(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Without /proc the file system is unknown; the kernel lock itself still works.
    return null;
  }
}

/**
 * Judges the file system that holds `realPath`: local ones are fit; network and unknown ones are
 * refused with the reason; no mount table means no objection. Security L8.
 */
export function filesystemVerdict(realPath: string, mountInfo: string | null): FilesystemVerdict {
  if (mountInfo === null) return { kind: 'fit' };
  let best: { readonly mountPoint: string; readonly type: string } | null = null;
  for (const line of mountInfo.split('\n')) {
    const [left, right] = line.split(' - ');
    const mountField = left?.split(' ')[4];
    const type = right?.split(' ')[0];
    if (mountField === undefined || type === undefined) continue;
    const mountPoint = unescaped(mountField);
    // Later lines lie on top of earlier ones with the same mount point.
    if (isUnder(realPath, mountPoint) && mountPoint.length >= (best?.mountPoint.length ?? 0)) {
      best = { mountPoint, type };
    }
  }
  if (best === null || LOCAL.has(best.type)) return { kind: 'fit' };
  const reason = NETWORK.test(best.type)
    ? 'a lock does not keep other computers out'
    : 'it is not known whether locks work';
  return { kind: 'unfit', ...best, reason };
}
