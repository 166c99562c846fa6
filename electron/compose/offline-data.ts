import type { Holdfast } from '../engine/api/facade';

/** An opened data directory of an instance that does not run. */
export interface OpenedData {
  readonly holdfast: Holdfast;
  close(): Promise<void>;
}
