import type { Tokens } from '../providers/reported-tokens';
import { tokensOfDocument } from './answer-reader';
import type { Counting } from './counting';
import { type Json } from '../../engine/kernel/json-object';

/** Maximum responses followed at a time; beyond it, the oldest stays counted at an unknown cost. */
const MOST = 1_000;
const RUNNING: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);
const NOTHING_TOLD: Tokens = { input: undefined, output: undefined };

/**
 * Responses that their providers process in the background. The usage of one is reported when it is
 * fetched by its id, so its count stays open until then: if the process ends before, it is in the
 * totals as requested, at an unknown cost.
 */
export class Background {
  readonly #open = new Map<string, Counting>();

  /** True if this is not an answer yet: its usage is tracked from here. */
  async follow(place: string, document: Json | undefined, counting: Counting): Promise<boolean> {
    if (document === undefined || !RUNNING.has(document['status'])) return false;
    const { id } = document;
    if (typeof id !== 'string') return false;
    this.#open.set(keyOf(place, id), counting);
    const [oldest, count] = [...this.#open][0] ?? [];
    if (this.#open.size > MOST && oldest !== undefined) {
      this.#open.delete(oldest);
      await count?.cut(NOTHING_TOLD);
    }
    return true;
  }

  /** A client has fetched its status. */
  async heard(place: string, document: Json | undefined): Promise<void> {
    const { id, status } = document ?? {};
    if (document === undefined || typeof id !== 'string' || RUNNING.has(status)) return;
    const counting = this.#open.get(keyOf(place, id));
    if (counting === undefined || typeof status !== 'string') return;
    this.#open.delete(keyOf(place, id));
    await counting.whole(tokensOfDocument(document));
  }
}

const keyOf = (place: string, id: string): string => `${place} ${id}`;
