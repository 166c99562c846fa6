import { describe, expect, it } from 'vitest';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { SLACK } from '../../helpers/slack';
import { LINES_WITH_EFFECTS, READ_ONLY_LINES } from '../../helpers/shell-lines';

describe('hasShellEffects', () => {
  it.each(READ_ONLY_LINES)('S0-13 does not count the read-only command: %j', (command) => {
    expect(hasShellEffects(command)).toBe(false);
  });

  it.each([...LINES_WITH_EFFECTS, 'x'.repeat(20_001)])('S0-13 counts: %j', (command) => {
    expect(hasShellEffects(command)).toBe(true);
  });

  it('S0-13 counts 300 nested substitutions and answers within 1 s', () => {
    const started = performance.now();
    expect(hasShellEffects('$('.repeat(300) + 'ls' + ')'.repeat(300))).toBe(true);
    expect(performance.now() - started).toBeLessThan(1_000 * SLACK);
  });
});
