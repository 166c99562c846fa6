/**
 * Facts about this computer for the doctor. Creates and changes nothing.
 * Implemented by adapters/doctor/doctor-facts.ts.
 */
export interface DoctorFacts {
  readonly machine: {
    readonly node: string;
    /** Undefined on plain Node. */
    readonly electron: string | undefined;
    readonly platform: string;
    readonly arch: string;
    readonly isRoot: boolean;
    /** Parts of paths that reveal the account. */
    readonly owner: { readonly homes: readonly string[]; readonly name: string };
  };
  folder(): DataFolderFacts;
  /** Source of the commands' environment: a login shell, or this process. */
  commandEnvironment(): Promise<
    | { readonly kind: 'login'; readonly shell: string; readonly variables: number }
    | { readonly kind: 'own'; readonly reason: string }
  >;
  browser():
    | { readonly kind: 'found'; readonly path: string }
    | { readonly kind: 'missing'; readonly reason: string };
  /** Reads the whole database. */
  integrity(): Promise<{
    readonly isOk: boolean;
    /** The disk returns this error instead of its content. */
    readonly unread?: string;
    readonly problems: readonly string[];
    readonly backups: string;
  }>;
}

/** The data directory, or its nearest existing ancestor. */
interface DataFolderFacts {
  readonly path: string;
  readonly isThere: boolean;
  /** Why it must not be used. */
  readonly distrust: string | undefined;
  readonly isWritable: boolean;
  /** Undefined if there is none. */
  readonly database: { readonly path: string; readonly isWritable: boolean } | undefined;
  /** Undefined if the disk does not report it. */
  readonly freeBytes: number | undefined;
}
