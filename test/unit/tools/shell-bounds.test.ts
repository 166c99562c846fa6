/** Lines whose programs run programs that run programs: what is looked at is bounded, and the rest unknown. */
import { describe, expect, it } from 'vitest';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { MAX_MARKS } from '../../../electron/engine/shell-policy/shell-walk';
import { judgeSleep } from '../../../electron/engine/shell-policy/sleep-guard';
import { SLACK } from '../../helpers/slack';
import { judgeCall, type ApprovalRules } from '../../../electron/engine/permissions/judge-call';

const LONGEST = 20_000;
/** Parts that one line is split into at most: those of its budget and the one that says "and more". */
const MAX_PARTS = 2_001;

const MULTIPLYING: Readonly<Record<string, string>> = {
  'find in find': 'find . -exec ',
  'find in find, each with an end': 'find . -exec echo x \\; -exec ',
  'fd in fd': 'fd -x ',
  'many of one find': '-x -X ',
  'find in wrappers': 'env nice find . -execdir ',
  'find in xargs': 'xargs find . -ok ',
  'shells in find': 'find . -exec sh -c ',
  'short programs': 'x;',
  'short programs in parts': '{x;};',
};

const judged = (line: string, tools: ApprovalRules['tools']): string =>
  judgeCall(
    { tool: 'shell.shell', purity: 'side_effect', hasEffects: true, risk: shellRisk(line) },
    { mode: 'risky', tools },
    () => false,
  ).kind;

describe.each(Object.entries(MULTIPLYING))('a line of %s', (_name, piece) => {
  const head = piece.startsWith('-') ? 'fd ' : '';
  const line = `${head}${piece.repeat(Math.floor((LONGEST - 20) / piece.length))}`;

  it('S3-06 R4 is split into so many parts at most, and what lies behind them is asked about', () => {
    const risk = shellRisk(`${line} rm x`);
    expect(risk.isRisky).toBe(true);
    expect(risk.parts?.length).toBeLessThanOrEqual(MAX_PARTS);
    expect(risk.parts?.some(({ mayBe }) => mayBe === '')).toBe(true);
  });

  it('S3-06 R4 is not let through by a rule, whichever end of it the program of the rule stands at', () => {
    for (const command of [`${line} git push`, `git push; ${line}`]) {
      expect(judged(command, { 'shell.shell git push': 'deny' })).not.toBe('allow');
      expect(judged(command, { 'shell.shell git push': 'allow' })).toBe('ask');
    }
  });

  it('S1-25 R4 is let through by the sleep guard, which looks no further, too', () => {
    expect(judgeSleep(`${line} sleep 600`)).toEqual({ blocked: false });
  });
});

describe('an ordinary long line', () => {
  it('S3-06 is looked through: 500 commands, and 2,000 words of one', () => {
    const many = 'npm test && '.repeat(500);
    expect(shellRisk(`${many}ls`)).toEqual({ isRisky: false, reason: '', covers: '' });
    expect(shellRisk(`${many}rm x`)).toMatchObject({ isRisky: true, reason: 'It deletes.' });
    const words = Array.from({ length: 2_000 }, (_, n) => `src/${String(n)}.ts`).join(' ');
    expect(shellRisk(`npx prettier --write ${words}`).isRisky).toBe(
      shellRisk('npx prettier --write a').isRisky,
    );
    expect(shellRisk(`find . -exec chmod +x {} \\; -exec rm {} \\;`).isRisky).toBe(true);
  });
});

describe('a line of more words and signs than are parsed', () => {
  const behind = (line: string, sign: string): string => `${line} #${sign.repeat(MAX_MARKS)}`;

  it('S1-25 S3-06 R4 is read by nobody: it counts as one with effects, is asked about, and waits', () => {
    for (const sign of ['[', '[]', '*?', '=', 'a ']) {
      expect(hasShellEffects(behind('ls', sign))).toBe(true);
      expect(shellRisk(behind('ls', sign))).toMatchObject({
        isRisky: true,
        reason: 'The command does not show what it would run.',
      });
      expect(judgeSleep(behind('sleep 600', sign))).toEqual({ blocked: false });
    }
  });

  it('S1-25 S3-06 is told from one that is only long', () => {
    expect(hasShellEffects(`ls # ${'a'.repeat(MAX_MARKS)}`)).toBe(false);
    expect(judgeSleep(`sleep 600 # ${'a'.repeat(MAX_MARKS)}`).blocked).toBe(true);
  });
});

describe('a script of sed', () => {
  it.each(['s', '/', ';/', ';s,', '\n1,', '/a/,/b/', '1!'])(
    'S3-06 R4 is judged within 100 ms: 19,000 characters of %j',
    (piece) => {
      const startMs = performance.now();
      shellRisk(`sed '${piece.repeat(Math.floor(19_000 / piece.length))}'`);
      expect(performance.now() - startMs).toBeLessThan(100 * SLACK);
    },
  );
});
