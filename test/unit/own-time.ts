/** The files of a worker share its timers and spies: a fake one that a test leaves would stop the files after it. */
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
