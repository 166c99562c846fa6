import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import { parseSkill, SkillFault } from '../../../electron/adapters/skills/parse-skill';
import { hostileFronts } from '../../helpers/hostile-skills';

const MAX_PIECES = 2_000;

/** The package itself, with what is asked of it counted. */
function counted() {
  const asked = { pieces: 0, documents: 0 };
  class CountingLexer extends yaml.Lexer {
    override *lex(source: string, incomplete?: boolean): Generator<string, void> {
      for (const piece of super.lex(source, incomplete)) {
        asked.pieces += 1;
        yield piece;
      }
    }
  }
  const parseDocument = ((...args: Parameters<typeof yaml.parseDocument>) => {
    asked.documents += 1;
    return yaml.parseDocument(...args);
  }) as typeof yaml.parseDocument;
  return { asked, yaml: { ...yaml, Lexer: CountingLexer, parseDocument } };
}

const AT_THE_CAP = 8 * 1024;

describe('a hostile front matter', () => {
  it.each(Object.entries(hostileFronts(AT_THE_CAP)))(
    'T6 S2-52 of 8 KB (%s) is read within 2,000 pieces or refused with a reason below 400 characters',
    (_name, front) => {
      const { asked, yaml: counting } = counted();
      let fault: unknown;
      try {
        parseSkill(`---\n${front}\n---\nWork.\n`, 'hostile', counting);
      } catch (thrown) {
        fault = thrown;
      }
      expect(fault).toBeInstanceOf(SkillFault);
      expect((fault as SkillFault).message.length).toBeLessThan(400);
      expect(asked.pieces).toBeLessThanOrEqual(MAX_PIECES + 1);
      if (asked.pieces > MAX_PIECES) expect(asked.documents).toBe(0);
    },
  );

  it.each(Object.entries(hostileFronts(63_000)))(
    'T6 S2-52 of 63 KB (%s) is refused before any of it is read',
    (_name, front) => {
      const { asked, yaml: counting } = counted();
      expect(() => parseSkill(`---\n${front}\n---\nWork.\n`, 'hostile', counting)).toThrow(
        SkillFault,
      );
      expect(asked).toEqual({ pieces: 0, documents: 0 });
    },
  );

  it('S2-52 takes a skill of 50 phases with names, tools and ways on', () => {
    const phases = Array.from(
      { length: 50 },
      (_, index) =>
        `  - name: phase-${String(index)}\n    tools: [read_file, write_file]\n    max_visits: 3\n`,
    ).join('');
    const skill = parseSkill(
      `---\nname: long\ndescription: A long one\nphases:\n${phases}---\nWork.\n`,
      'long',
      yaml,
    );
    expect(skill.phases).toHaveLength(50);
  });
});
