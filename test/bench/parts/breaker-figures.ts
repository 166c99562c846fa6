/** What a breaker costs each call, closed and open, and what 10,000 of them weigh. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createBreakerRegistry } from '../../../electron/engine/breaker/registry';
import type { Breaker, Breakers } from '../../../electron/ports/breakers';
import { collect, median } from './numbers';
import type { Report } from './report';

const CALLS = 2_000_000;
const BREAKERS = 10_000;
const POLICY = {
  failureThreshold: 5,
  successThreshold: 2,
  initialBackoffMs: 3_600_000,
  maxBackoffMs: 3_600_000,
};

function createTestRegistry(): Breakers {
  return createBreakerRegistry({
    clock: createSystemClock(),
    policy: () => POLICY,
    timeWords: String,
    waiting: () => '',
    saved: () => [],
    onDamaged: () => undefined,
    keep: () => undefined,
    drop: () => undefined,
  });
}

/** Nanoseconds of one `allow()`; what it answers is used, so that nothing is left out. */
function allowNs(breaker: Breaker): number {
  let allowed = 0;
  const startMs = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    if (breaker.allow().kind === 'allowed') allowed += 1;
  }
  const tookMs = performance.now() - startMs;
  return allowed < 0 ? Number.NaN : (tookMs * 1e6) / CALLS;
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

export async function addBreakerFigures(report: Report, repeats: number): Promise<void> {
  const closed = createTestRegistry().of('closed', 'provider');
  const open = createTestRegistry().of('open', 'provider');
  open.trip('measured');
  const [closedNs, openNs] = await Promise.all(
    [closed, open].map((breaker) =>
      collect(repeats, () => Promise.resolve(allowNs(breaker))).then(median),
    ),
  );
  const names = Array.from({ length: BREAKERS }, (_, index) => `provider.${String(index)}`);
  const book = createTestRegistry();
  const before = heapBytes();
  for (const name of names) book.of(name, 'provider');
  const bytes = (heapBytes() - before) / BREAKERS;
  report.add(
    'Breakers',
    { name: 'allow() closed', value: closedNs, unit: 'ns', budget: { sense: '<=', limit: 120 } },
    { name: 'allow() open', value: openNs, unit: 'ns', budget: { sense: '<=', limit: 200 } },
    {
      name: '10,000 breakers, each',
      value: bytes,
      unit: 'bytes',
      budget: { sense: '<=', limit: 400 },
      note: `with their places in the book (${String(book.list().length)}), no timer`,
    },
  );
}
