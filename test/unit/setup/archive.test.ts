import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as archive from '../../../build/setup/archive.mjs';

const { mayBePacked } = archive as { mayBePacked: (file: string) => boolean };

describe('what the packed archive may hold', () => {
  it.each([
    ['/package.json', true],
    ['/dist/electron/main.js', true],
    ['/dist/electron/main-program.cjs', true],
    ['/dist/electron/main-program.cjs.v8', true],
    ['/dist/renderer/assets/index.css', true],
    ['/build/tray/dark/attention-16.png', true],
    ['\\build\\tray\\light\\idle.ico', true],
    ['/node_modules/croner/dist/croner.js', true],
    ['/build/icons/256x256.png', true],
    ['/build/icons/icon.icns', false],
    ['/build/package.mjs', false],
    ['/dist/test-hosts/engine-host.cjs', false],
    ['/dist/electron/main.js.map', false],
    ['/electron/main.ts', false],
    ['/test/unit/setup/archive.test.ts', false],
    ['/README.md', false],
  ])('F1 %s: %s', (file, expected) => {
    expect(mayBePacked(file)).toBe(expected);
  });
});
