import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentTitles } from '../../../electron/cli/agent-titles';

let dir = '';
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-titles-'));
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

const namesIn = (text: string | undefined): ((name: string) => string) => {
  const file = path.join(dir, 'config.json');
  fs.rmSync(file, { force: true });
  if (text !== undefined) fs.writeFileSync(file, text);
  return agentTitles(dir);
};

describe('agents in the tables of the command line', () => {
  it('S0-06 are called by their display names, by their names without one, and the one of the demo by its own', () => {
    const name = namesIn(
      JSON.stringify({ agents: { 'repo-mender': { title: 'Repo mender' }, digest: {} } }),
    );
    expect(['repo-mender', 'digest', 'practice', 'toString'].map(name)).toEqual([
      'Repo mender',
      'digest',
      'Demo agent',
      'toString',
    ]);
  });

  it.each([undefined, '{', '[]', 'null', '{"agents":[1]}', '{"agents":{"a":{"title":7}}}'])(
    'S0-06 keep their names with a settings file of %j',
    (text) => {
      expect(namesIn(text)('a')).toBe('a');
    },
  );
});
