/** One phase of a skill: a separate, bounded conversation. */
export interface PhaseSpec {
  readonly name: string;
  readonly instructions: string;
  /** Names of its tools; default: those of the skill. */
  readonly tools: readonly string[] | undefined;
  /** Phases that may follow; the first is the default. `end` ends the run. */
  readonly next: readonly string[];
  readonly maxVisits: number;
}

/** Ends a run when used in place of a phase name. */
export const END_PHASE = 'end';

/**
 * Where a skill was found. A skill in the data directory takes precedence over one of the same name
 * elsewhere.
 */
export type SkillSource = 'data' | 'folder' | 'workspace';

/** A skill as defined by its folder, ready to run. */
export interface SkillDefinition {
  readonly name: string;
  readonly description: string;
  /** Instructions for every phase. */
  readonly instructions: string;
  readonly tools: readonly string[] | undefined;
  readonly phases: readonly PhaseSpec[];
  /** sha256 over the files of its folder. */
  readonly version: string;
  readonly folder: string;
  readonly source: SkillSource;
}

interface SkillPlace {
  readonly name: string;
  readonly folder: string;
  readonly source: SkillSource;
}

/** Result of a scan of the folders, one for each folder with a `SKILL.md`. */
export type SkillFinding =
  | ({ readonly kind: 'ready'; readonly skill: SkillDefinition } & SkillPlace)
  /** A requirement is missing: `FOO is not set`. Not an error (S2-52). */
  | ({ readonly kind: 'skipped'; readonly reason: string } & SkillPlace)
  /** The file is invalid; `line` is 1-based. */
  | ({ readonly kind: 'broken'; readonly reason: string; readonly line?: number } & SkillPlace)
  /** Another skill of the same name takes precedence. */
  | ({ readonly kind: 'shadowed'; readonly reason: string } & SkillPlace);

/**
 * The folders of skills.
 * Implemented by adapters/skills/skill-catalog.ts.
 */
export interface SkillCatalog {
  /** Checks the disk each time; unchanged files are not read again. Never throws. */
  look(workspace: string): Promise<readonly SkillFinding[]>;
}
