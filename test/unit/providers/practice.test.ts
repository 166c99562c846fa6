import { describe, expect, it } from 'vitest';
import {
  createPracticeProvider,
  practiceAnswer,
  practiceFiles,
} from '../../../electron/engine/executors/llm/practice';
import type { Clock } from '../../../electron/ports/clock';
import type { Message, ModelAnswer, ModelRequest } from '../../../electron/ports/provider';

const tool = (name: string): ModelRequest['tools'][number] => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
});
const TOOLS = ['read_file', 'list_files', 'write_file', 'shell'].map(tool);
const ask = (messages: readonly Message[], tools = TOOLS): ModelRequest => ({
  provider: 'practice',
  model: 'script',
  system: 'two words',
  messages,
  tools,
});

type Files = Map<string, string>;

/** The tools as the script knows them, over a map. */
function runTool(
  files: Files,
  name: string,
  args: Record<string, string>,
): { content: string; isError: boolean } {
  const path = args['path'] ?? '';
  switch (name) {
    case 'read_file': {
      const content = files.get(path);
      return content === undefined
        ? { content: 'no such file', isError: true }
        : { content, isError: false };
    }
    case 'list_files':
      return { content: [...files.keys()].join('\n'), isError: false };
    case 'write_file':
      files.set(path, args['content'] ?? '');
      return { content: 'written', isError: false };
    default:
      return { content: `ran ${args['command'] ?? ''}`, isError: false };
  }
}

/** Plays a turn to its end. */
function play(
  text: string,
  files: Files,
  before: readonly Message[] = [],
): { messages: Message[]; calls: string[]; last: ModelAnswer } {
  const messages: Message[] = [...before, { role: 'user', text }];
  const calls: string[] = [];
  for (let step = 0; step < 20; step += 1) {
    const answer = practiceAnswer(ask(messages));
    messages.push({ role: 'assistant', parts: answer.parts });
    const call = answer.parts.find((part) => part.kind === 'tool_call');
    if (call?.kind !== 'tool_call') return { messages, calls, last: answer };
    calls.push(`${call.tool} ${JSON.stringify(call.args)}`);
    const result = runTool(files, call.tool, call.args as Record<string, string>);
    messages.push({ role: 'tool', callId: call.callId, tool: call.tool, ...result });
  }
  throw new Error('the script does not end');
}

const freshFiles = (): Files => new Map(practiceFiles().map((file) => [file.path, file.content]));
const textOf = (answer: ModelAnswer): string =>
  answer.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

describe('the practice script', () => {
  it('S3-06 asked for an approval it writes a file of its own and wants to delete it, saying that it is a script', () => {
    const files = freshFiles();
    const { calls, last, messages } = play('Show me how you ask for an approval.', files);
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['write_file', 'shell']);
    expect(calls[1]).toBe('shell {"command":"rm scratch.txt"}');
    // What it deletes is what it has written, never a file of the person.
    expect(freshFiles().has('scratch.txt')).toBe(false);
    expect(files.has('scratch.txt')).toBe(true);
    expect(JSON.stringify(messages)).toContain('a script, not an AI');
    expect(JSON.stringify(last.parts)).toContain('was deleted, once');
  });

  it('S3-08 told that the person said no, it says so and does not try it in another way', () => {
    const messages: Message[] = [{ role: 'user', text: 'approval' }];
    for (const result of [
      { content: 'written', isError: false },
      { content: 'The user denied this tool call. It was not run.', isError: true },
    ]) {
      const answer = practiceAnswer(ask(messages));
      const call = answer.parts.find((part) => part.kind === 'tool_call');
      if (call?.kind !== 'tool_call') throw new Error('it does not call');
      messages.push({ role: 'assistant', parts: answer.parts });
      messages.push({ role: 'tool', callId: call.callId, tool: call.tool, ...result });
    }
    const last = practiceAnswer(ask(messages));
    expect(last.finish).toBe('stop');
    expect(JSON.stringify(last.parts)).toContain(
      'was not deleted: The user denied this tool call.',
    );
  });

  it('plays 4 answers and 3 tool calls: read, write, read again', () => {
    const files = freshFiles();
    const { calls, messages, last } = play('Make notes of my list', files);
    expect(calls.map((call) => call.split(' ')[0])).toEqual([
      'read_file',
      'write_file',
      'read_file',
    ]);
    expect(messages.filter((message) => message.role === 'assistant')).toHaveLength(4);
    expect(last.finish).toBe('stop');
    const notes = files.get('notes.md') ?? '';
    expect(notes).toContain('Task: Make notes of my list');
    expect(notes).toContain('- Ask Mara for the key of the boat house.');
    expect(textOf(last)).toContain('as written');
  });

  it('lists the folder where its source is missing', () => {
    const files: Files = new Map([['other.txt', 'x']]);
    const { calls } = play('Make notes', files);
    expect(calls.map((call) => call.split(' ')[0])).toEqual([
      'read_file',
      'list_files',
      'write_file',
      'read_file',
    ]);
    expect(files.get('notes.md')).toContain('- other.txt');
  });

  it('says of itself that it is a script and not an AI, first thing and never "model"', () => {
    const { messages } = play('Make notes', freshFiles());
    const first = messages[1];
    expect(
      first?.role === 'assistant' && first.parts[0]?.kind === 'text' && first.parts[0].text,
    ).toContain('a script, not an AI');
    expect(JSON.stringify(messages)).not.toMatch(/model/i);
  });

  it('runs exactly the command after "run:", once', () => {
    const { calls, last } = play('Please do this\nrun:  echo "a  b" && date +%s ', freshFiles());
    expect(calls).toEqual([`shell ${JSON.stringify({ command: 'echo "a  b" && date +%s' })}`]);
    expect(textOf(last)).toContain('ran echo');
  });

  it('plays a mail as one more line in a file, and says that none is sent', () => {
    const { calls, messages } = play('Send an e-mail to Mara', freshFiles());
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain('>> sent-mail.txt');
    expect(JSON.stringify(messages)).toContain('No mail leaves this computer');
  });

  it('echoes without a tool', () => {
    const { calls, last } = play('echo hello\nthere', freshFiles());
    expect(calls).toEqual([]);
    expect(textOf(last)).toBe('hello\nthere');
  });

  it('starts again at the next message, with other call ids', () => {
    const files = freshFiles();
    const first = play('Make notes', files);
    const second = play('Make notes again', files, first.messages);
    expect(second.calls).toHaveLength(3);
    const ids = second.messages.flatMap((message) =>
      message.role === 'tool' ? [message.callId] : [],
    );
    expect(new Set(ids).size).toBe(6);
  });

  it('stops and says so where a tool says no', () => {
    const start = play('run: x', freshFiles()).messages.slice(0, 2);
    const call =
      start[1]?.role === 'assistant'
        ? start[1].parts.find((part) => part.kind === 'tool_call')
        : undefined;
    const callId = call?.kind === 'tool_call' ? call.callId : '';
    const answer = practiceAnswer(
      ask([
        ...start,
        { role: 'tool', callId, tool: 'shell', content: 'not allowed', isError: true },
      ]),
    );
    expect(answer.finish).toBe('stop');
    expect(textOf(answer)).toContain('not allowed');
  });

  it('does not call a tool the agent does not have', () => {
    const answer = practiceAnswer(ask([{ role: 'user', text: 'Make notes' }], []));
    expect(answer).toMatchObject({ finish: 'stop', parts: [{ kind: 'text' }] });
  });

  it('S4-10 is a pure function: the same answer at every step after a JSON round trip', () => {
    const { messages } = play('Make notes of 👩‍🚀', freshFiles());
    for (let length = 1; length <= messages.length; length += 1) {
      const request = ask(messages.slice(0, length));
      const again = JSON.parse(JSON.stringify(request)) as ModelRequest;
      expect(practiceAnswer(again)).toEqual(practiceAnswer(request));
    }
  });

  it('costs 0 and counts words', () => {
    const { usage } = practiceAnswer(ask([{ role: 'user', text: 'echo one two three' }]));
    expect(usage).toEqual({ inputTokens: 6, outputTokens: 3, costUsd: 0 });
  });
});

describe('the practice provider', () => {
  /** A clock whose sleeps end at once and add up. */
  function quickClock(): Clock & { sleptMs: number } {
    const clock = {
      sleptMs: 0,
      nowMs: () => 0,
      monotonicMs: () => clock.sleptMs,
      sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
        signal?.throwIfAborted();
        clock.sleptMs += delayMs;
        return Promise.resolve();
      },
    };
    return clock;
  }
  const request = ask([{ role: 'user', text: 'echo one two three' }]);

  it('streams word by word over 1.2 s', async () => {
    const clock = quickClock();
    const seen: string[] = [];
    const outcome = await createPracticeProvider({ clock }).stream(request, {
      signal: new AbortController().signal,
      onText: (delta) => seen.push(delta),
    });
    expect(seen).toEqual(['one ', 'two ', 'three']);
    expect(clock.sleptMs).toBeCloseTo(1200, 6);
    expect(outcome).toEqual({ kind: 'answer', answer: practiceAnswer(request) });
  });

  it('ends with aborted in the middle of the text, and shows no more of it', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const outcome = await createPracticeProvider({ clock: quickClock(), delayMs: 0 }).stream(
      request,
      {
        signal: stop.signal,
        onText: (delta) => {
          seen.push(delta);
          stop.abort();
        },
      },
    );
    expect(outcome).toMatchObject({
      kind: 'failure',
      failure: { kind: 'aborted', isRetryable: false },
    });
    expect(seen).toEqual(['one ']);
  });
});
