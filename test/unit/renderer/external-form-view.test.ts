import { describe, expect, it } from 'vitest';
import { commandLine, commandWords } from '../../../shared/command-words';
import {
  outsideAgent,
  outsideForm,
  outsideProblems,
  type ExternalInput,
} from '../../../renderer/agents/external-form-view';

const acp: ExternalInput = {
  executor: 'acp',
  command: 'claude-agent-acp',
  args: ['--dir', '/with space', "it's"],
  workspace: '/w',
  env: ['KEY'],
  model: 'opus',
  ask: 'always',
  login: 'key',
  wait: false,
};
const command: ExternalInput = {
  executor: 'command',
  command: './report.sh',
  workspace: '/w',
  prompt_mode: 'argument',
  resume_args: ['--resume', '{session}'],
  deadline: '20m',
  wait: false,
};

describe('a command line in a field', () => {
  it.each([
    [['claude', '-p']],
    [['/a b/c', '']],
    [["it's", 'a "quoted" word', `both ' and "`]],
    [['--x=y', '\t']],
  ])('S3-30 %j is written so that it is read back as the same words', (words) => {
    expect(commandWords(commandLine(words))).toEqual(words);
  });
});

describe('the form of an agent of another program', () => {
  it.each([acp, command])('S3-30 saved as it was opened changes nothing: %j', (stored) => {
    expect(outsideAgent(stored, outsideForm(stored))).toEqual(stored);
  });

  it('S3-30 a field that is emptied is taken out of the settings', () => {
    const empty = {
      model: '',
      login: '',
      ask: 'policy',
      env: [],
      command: 'gemini --acp',
    } as const;
    expect(outsideAgent(acp, { ...outsideForm(acp), ...empty })).toEqual({
      executor: 'acp',
      command: 'gemini',
      args: ['--acp'],
      workspace: '/w',
      wait: false,
    });
    expect(
      outsideAgent(command, {
        ...outsideForm(command),
        resume: ' ',
        deadline: '',
        prompt: 'stdin',
      }),
    ).toEqual({ executor: 'command', command: './report.sh', workspace: '/w', wait: false });
  });

  it.each([
    [{ command: '  ' }, { command: 'agent.commandMissing' }],
    [{ folder: '' }, { folder: 'found.folderMissing' }],
    [{ folder: 'code/site' }, { folder: 'found.folderWrong' }],
    [{ env: ['OPENAI_API_KEY', 'KEY=secret'] }, { env: 'agent.envWrong' }],
    [{ deadline: 'soon' }, { deadline: 'agent.deadlineWrong' }],
    [{ deadline: '90s', folder: 'C:\\work' }, {}],
  ] as const)('S3-30 says what is wrong with %j before it is sent', (changed, problems) => {
    expect(outsideProblems({ ...outsideForm(command), ...changed })).toEqual(problems);
  });
});
