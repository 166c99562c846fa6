import type { ProcessFacts } from '../../ports/process-facts';

/** One platform's way to read facts. */
export interface ProcessSource {
  read(pid: number): Promise<ProcessFacts>;
  bootId(): Promise<string | null>;
  /** The platform's own machine ID, unhashed; it never leaves this folder. */
  rawMachineId(): Promise<string | null>;
}
