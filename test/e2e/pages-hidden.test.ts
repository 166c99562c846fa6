/** A window that nobody sees costs nothing, and after five minutes it is gone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../helpers/electron-app';
import { openStory } from '../helpers/story-app';
import { SLACK } from '../helpers/slack';

const probe = fileURLToPath(new URL('../helpers/hidden-probe.cjs', import.meta.url));

interface Watched {
  readonly state: string;
  readonly ticks: number;
}
interface Facts {
  readonly seen: Watched;
  readonly hidden: Watched;
  readonly livedMs: number;
  readonly openedAgain: boolean;
}

let story: Awaited<ReturnType<typeof openStory>>;
let facts: () => Facts | undefined;
beforeAll(async () => {
  story = await openStory('busy');
  const file = join(story.home.dir, 'probe.json');
  facts = () => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Facts;
    } catch {
      return undefined; // Not there yet, or half written.
    }
  };
  story.home.start({ switches: ['-r', probe], env: { HIDDEN_PROBE_FILE: file } });
  await until(() => facts() !== undefined, 'the figures of the probe', 180_000);
});
afterAll(async () => story.stop());

describe('a hidden window', () => {
  it('has no timers: a running turn counts its seconds while it is seen, 0 callbacks in 1.4 s once hidden', () => {
    expect(facts()?.seen.state).toBe('visible');
    expect(facts()?.seen.ticks).toBeGreaterThan(0);
    expect(facts()?.hidden).toEqual({ state: 'hidden', ticks: 0 });
  });

  it('is destroyed after its 5 minutes (here 15 s), not before, and opens again from the tray', async () => {
    expect(facts()?.livedMs).toBeGreaterThan(14_900);
    expect(facts()?.livedMs).toBeLessThan(15_000 * SLACK);
    await story.home.desktop.chooseMenu('Open Holdfast');
    await until(() => facts()?.openedAgain === true, 'a new window');
  });
});
