/**
 * A program of its own, because the story ends with SIGKILL:
 * `node dist/story/day.js '{"dataDir":…,"home":…,"stopAtMs":…,"variant":"busy"}'`.
 * Prints one line of JSON, the turns by their prompts, before it ends.
 */
import fs from 'node:fs';
import { livesOf } from './parts/plot';
import type { StoryVariant } from './parts/plot';
import { playLives } from './parts/play';
import type { PlayOptions } from './parts/play';

const options = JSON.parse(process.argv[2] ?? '{}') as PlayOptions & {
  readonly variant: StoryVariant;
};

await playLives(options, livesOf(options.variant), async ({ holdfast }) => {
  const { turns } = await holdfast.call('turns.list', { limit: 1000 }, 'test');
  fs.writeSync(1, `${JSON.stringify({ turns: turns.length })}\n`);
});
