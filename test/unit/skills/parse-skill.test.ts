import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  MAX_SKILL_CHARS,
  parseSkill,
  SkillFault,
} from '../../../electron/adapters/skills/parse-skill';

const parse = (text: string) => parseSkill(text, 'folder-name', yaml);

function faultOf(text: string): SkillFault {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SkillFault) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const REPORT = `---
name: weekly-report
description: Writes the report of the week
requires:
  env: [REPORT_TOKEN]
  bins: git
tools: [read_file, write_file]
phases:
  - name: collect
    tools: [read_file]
  - name: draft
    instructions: Write at most one page.
  - name: review
    loop: draft
    max_visits: 3
---
Work for the whole team.

## Phase: collect
Read the notes.

## Phase: draft
Use the notes.
`;

describe('S4-04 a SKILL.md', () => {
  it.each(['Read, Grep', 'Read Grep', 'Read,Grep,', '[Read, Grep]'])(
    'takes tools: %s for 2 names',
    (tools) => {
      const skill = parse(`---\ndescription: x\ntools: ${tools}\n---\n`);
      expect(skill.tools).toEqual(['Read', 'Grep']);
    },
  );

  it('is read into phases with their sections, tools and the phases that may follow', () => {
    expect(parse(REPORT)).toEqual({
      name: 'weekly-report',
      description: 'Writes the report of the week',
      instructions: 'Work for the whole team.',
      tools: ['read_file', 'write_file'],
      requiresEnv: ['REPORT_TOKEN'],
      requiresBins: ['git'],
      phases: [
        {
          name: 'collect',
          instructions: 'Read the notes.',
          tools: ['read_file'],
          next: ['draft'],
          maxVisits: 5,
        },
        {
          name: 'draft',
          instructions: 'Write at most one page.\n\nUse the notes.',
          tools: undefined,
          next: ['review'],
          maxVisits: 5,
        },
        {
          name: 'review',
          instructions: '',
          tools: undefined,
          next: ['end', 'draft'],
          maxVisits: 3,
        },
      ],
    });
  });

  it('without phases is one phase, named after its folder, with keys that others use left alone', () => {
    const skill = parse('---\ndescription: x\nlicense: MIT\n"requires.env": [FOO]\n---\nDo it.\n');
    expect(skill).toMatchObject({
      name: 'folder-name',
      instructions: 'Do it.',
      requiresEnv: ['FOO'],
    });
    expect(skill.phases.map((phase) => [phase.name, phase.next])).toEqual([['main', ['end']]]);
  });

  it('keeps a heading inside of a code block in the text', () => {
    const skill = parse('---\ndescription: x\n---\n```\n# Phase: no\n```\n');
    expect(skill.instructions).toContain('# Phase: no');
  });

  it.each<readonly [string, string, number | undefined, RegExp]>([
    ['no front matter', 'hello', 1, /first line/],
    ['a front matter that does not end', '---\nname: a\n', 1, /closing/],
    ['broken YAML', '---\nname: a\nphases: [\n---\nx', 3, /.+/],
    ['the same key twice', '---\nname: a\nname: b\n---\n', 3, /"name" is used twice/],
    [
      'the same key twice in braces',
      '---\ndescription: x\na: {b: 1, b: 2}\n---\n',
      3,
      /"b" is used twice/,
    ],
    ['a reserved name', '---\nname: list\ndescription: x\n---\n', 2, /cannot be the name/],
    ['a name with a path', '---\nname: ../x\ndescription: x\n---\n', 2, /cannot be the name/],
    ['no description', '---\nname: a\n---\n', 2, /needs a description/],
    ['an alias bomb', '---\na: &a [x, x]\nb: [*a, *a]\nname: c\n---\n', 3, /Aliases/],
    [
      'a variable with a space',
      '---\ndescription: x\nrequires:\n  env: ["A B"]\n---\n',
      4,
      /requires\.env/,
    ],
    [
      'a program with a path',
      '---\ndescription: x\nrequires:\n  bins: [/bin/sh]\n---\n',
      4,
      /requires\.bins/,
    ],
    [
      'a phase without a name',
      '---\ndescription: x\nphases:\n  - tools: [a]\n---\n',
      4,
      /name of a phase/,
    ],
    [
      'an unknown key of a phase',
      '---\ndescription: x\nphases:\n  - name: a\n    max_visit: 3\n---\n',
      5,
      /no "max_visit"/,
    ],
    [
      'two phases of one name',
      '---\ndescription: x\nphases:\n  - name: a\n  - name: a\n---\n',
      5,
      /Two phases/,
    ],
    [
      'a way to nowhere',
      '---\ndescription: x\nphases:\n  - name: a\n    next: z\n---\n',
      4,
      /does not exist/,
    ],
    [
      'a circle',
      '---\ndescription: x\nphases:\n  - name: a\n  - name: b\n    next: a\n---\n',
      4,
      /loop forever/,
    ],
    [
      'too many visits',
      '---\ndescription: x\nphases:\n  - name: a\n    max_visits: 1000\n---\n',
      5,
      /max_visits/,
    ],
    ['a section of no phase', '---\ndescription: x\n---\nhi\n# Phase: z\n', 5, /no phase "z"/],
    [
      'brackets in brackets',
      `---\ndescription: x\na: ${'['.repeat(600)}\n---\n`,
      3,
      /deeper than 50/,
    ],
    [
      'lists in one line',
      `---\ndescription: x\na:\n  ${'- '.repeat(60)}b\n---\n`,
      4,
      /deeper than 50/,
    ],
    ['keys in one line', `---\n${'? '.repeat(300)}\n---\n`, 2, /deeper than 50/],
    ['a gate without keys', '---\ndescription: x\nrequires: [FOO]\n---\n', 3, /env and bins/],
    ['a list as front matter', '---\n- a\n---\n', 2, /keys with values/],
  ])('with %s is refused with its line', (_what, text, line, reason) => {
    const fault = faultOf(text);
    expect(fault.message).toMatch(reason);
    expect(fault.line).toBe(line);
  });

  it('with a front matter above 8 KB is refused with the line of its end', () => {
    const fault = faultOf(`---\ndescription: x\na: ${'x'.repeat(8 * 1024)}\n---\n`);
    expect([fault.message, fault.line]).toEqual([expect.stringContaining('longer than 8 KB'), 4]);
  });

  it('larger than 256 KB is refused before it is parsed', () => {
    expect(faultOf(`---\n${'x'.repeat(MAX_SKILL_CHARS)}`).message).toMatch(/longer than 256 KB/);
  });
});
