import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRateLimit } from '../../../electron/adapters/acp/read-rate-limit';
import { htmlToText } from '../../../electron/adapters/fetch/html-text';
import { messageToChat } from '../../../electron/adapters/gateway/translate/chat-to-messages';
import { chatToMessage } from '../../../electron/adapters/gateway/translate/messages-to-chat';
import { claudeCall } from '../../../electron/engine/executors/command/call';
import { table } from '../../../shared/table';

/** Every object has these without saying so. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
const SAFE = { isRisky: false, reason: '', covers: '' };
const facts = {
  workspace: '/w',
  agentHosts: [],
  shell: { hasEffects: () => false, riskOf: () => SAFE, refusedIn: () => undefined },
};

describe('T6 a name that every object has', () => {
  it.each(INHERITED)('is not in a table that does not list it: %s', (name) => {
    expect(table({ Read: 'read' })[name]).toBeUndefined();
  });

  it.each(INHERITED)(
    'S4-20 is an unknown tool, which is an effect and needs approval: %s',
    (name) => {
      expect(claudeCall(name, { a: 1 }, facts)).toMatchObject({
        hasEffects: true,
        purity: 'side_effect',
        risk: { isRisky: true },
      });
    },
  );

  it.each(INHERITED)('LM-01 is no state of a rate limit: %s', (status) => {
    expect(readRateLimit({ status })).toBeUndefined();
  });

  it.each(INHERITED)('is no end of an answer that has an equal: %s', (reason) => {
    const choice = { finish_reason: reason, message: { content: 'x' } };
    expect(chatToMessage({ choices: [choice] }).kind).toBe('inexact');
    expect(messageToChat({ stop_reason: reason, content: [] }, 1).kind).toBe('inexact');
  });

  it('is no sign of a page', async () => {
    expect(await htmlToText('&valueOf;')).toBe('&valueOf;');
  });
});

/** Looked up with Object.hasOwn. */
const CHECKED = [
  'electron/engine/shell-policy/read-only-programs.ts: CHECKED',
  'shared/prices/built-in.ts: BUILT_IN',
];

it('T6 every table that is looked up by text is one of `table`', () => {
  const plain = /^(?:export )?const (\w+): [^=]*Record<\s*string,[^=]*= \{/gm;
  const files = ['electron', 'shared', 'renderer'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const found = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      Array.from(
        readFileSync(file, 'utf8').matchAll(plain),
        ([, name]) => `${file}: ${name ?? ''}`,
      ),
    );
  expect(found.toSorted()).toEqual(CHECKED);
});
