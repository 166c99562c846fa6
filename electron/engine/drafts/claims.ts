import type { DraftClaims } from '../../ports/drafts';

/** Claims of this process, the only one that writes. S3-20 */
export function createDraftClaims(): DraftClaims {
  const taken = new Set<string>();
  return {
    take({ sessionId, workspace, path }) {
      const key = JSON.stringify([sessionId, workspace, path]);
      if (taken.has(key)) return undefined;
      taken.add(key);
      return () => taken.delete(key);
    },
  };
}
