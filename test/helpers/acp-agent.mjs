/**
 * An agent of our own that speaks the Agent Client Protocol over its standard pipes: what it does
 * is written in its prompt, so that a test can make it behave in any way. Its sessions are files
 * below ACP_HOME, its effects are lines of `effects.log` in its folder.
 *
 * A prompt is lines of `do: <words>`:
 *   say TEXT            a part of the answer
 *   run TEXT            an effect that it asks leave for
 *   sure TEXT           the same without asking
 *   read TEXT           a read, without asking; `read deep` has an input of 20,000 levels
 *   edit JSON           asks leave for a call with this input, which changes a file; does nothing to it
 *   slow TEXT           asks, then a child of its own takes a while: writes `begin`, then `end`
 *   long TEXT           the same for 8 s
 *   both ONE TWO        two effects at once, each with leave of its own; as `slow` where its name says so
 *   never               does not come back
 *   until FILE          a call without asking that lasts until this file of its folder is there
 *   hush MS             a call without asking that says nothing for so long
 *   muse MS             thinks aloud for so long, and does nothing
 *   crash               ends with exit code 7
 *   rush TEXT           asks leave for an effect, and goes on without waiting for it
 *   quit TEXT           the same, and ends with exit code 0
 *   odd TEXT            asks leave for an effect with an option of a kind that nobody knows
 *   alien METHOD PATH   asks us for a method that we do not offer, about a file, and says what came of it
 *   die-after TEXT      an effect with leave, then it ends before it says so
 *   limit SECONDS       an effect without asking, then its usage limit until then, before it says so
 *   limited             the prompt fails with the error in the file `limited` of ACP_HOME, while it is there
 *   halt SECONDS        its usage limit until then, once; nothing as `spare`
 *   fail CODE TEXT      the prompt fails with an error of the protocol
 *   cost USD            what its whole session has cost so far grows by so much
 *   stop REASON         ends the turn for this reason
 * While ACP_HOME has a file `provider-down`, every prompt fails with the error that stands in it.
 * When it is asked again, it does what it has not got an answer to from its own session file,
 * unless the file has `forget` in its name: then it knows nothing.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

const mode = process.argv[2] ?? 'plain';
const home = process.env['ACP_HOME'] ?? process.env['HOME'] ?? '.';
const sessions = path.join(home, 'acp-sessions');
fs.mkdirSync(sessions, { recursive: true });
const fileOf = (id) => path.join(sessions, `${id}.json`);
const load = (id) => JSON.parse(fs.readFileSync(fileOf(id), 'utf8'));
const save = (id, session) => fs.writeFileSync(fileOf(id), JSON.stringify(session));
const note = (line) => fs.appendFileSync(path.join(home, 'agent.log'), `${line}\n`);
note(
  `start ${mode} turn=${process.env['HOLDFAST_TURN'] ?? ''} secret=${process.env['DEMO_TOKEN'] ?? ''}`,
);
note(`pid ${String(process.pid)}`);

if (mode === 'silent') setInterval(() => undefined, 1000);
else if (mode === 'nonsense') {
  setInterval(() => {
    for (let n = 0; n < 100; n += 1) process.stdout.write('this is not a message\n');
  }, 1);
} else if (mode === 'flood') {
  const chunk = 'x'.repeat(1024 * 1024);
  const more = () => process.stdout.write(chunk, more);
  more();
} else if (mode === 'exit') {
  process.stderr.write('no configuration found\n');
  process.exit(3);
} else serve();

/** Past the package, whose own way of writing does not go so deep. */
function sayDeep(sessionId, toolCallId) {
  const rawInput = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const update = `{"sessionUpdate":"tool_call","toolCallId":"${toolCallId}","title":"deep","kind":"read","rawInput":${rawInput}}`;
  const params = `{"sessionId":"${sessionId}","update":${update}}`;
  process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":${params}}\n`);
}

function serve() {
  if (mode === 'banner') process.stdout.write('Welcome!\nnot json\n');
  const cancelled = new Set();
  // In `auto` it judges its calls itself, until it is put into another mode.
  let isAsking = mode !== 'auto';
  const modes = {
    currentModeId: 'auto',
    availableModes: [
      { id: 'auto', name: 'Auto' },
      { id: 'default', name: 'Default' },
    ],
  };
  const sessionFacts = () => (mode === 'auto' ? { modes } : {});
  const waits = new Set();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  acp
    .agent({ name: 'scripted' })
    .onRequest('initialize', () => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: mode !== 'no-load',
        ...(mode === 'list' ? { sessionCapabilities: { list: {} } } : {}),
      },
      agentInfo: { name: 'scripted', version: '1.0' },
    }))
    .onRequest('session/new', () => {
      const sessionId = `${mode}-${String(process.pid)}-${String(Date.now())}`;
      save(sessionId, { done: [], said: [] });
      return { sessionId, ...sessionFacts() };
    })
    .onRequest('session/set_mode', ({ params }) => {
      isAsking = params.modeId === 'default';
      note(`mode ${params.modeId}`);
      return {};
    })
    .onRequest('session/list', ({ params }) => ({
      sessions: fs.readdirSync(sessions).map((name) => ({
        sessionId: name.slice(0, -'.json'.length),
        cwd: params.cwd,
        title: 'a\u202etitle\nof two lines',
        updatedAt: fs.statSync(path.join(sessions, name)).mtime.toISOString(),
      })),
    }))
    .onRequest('session/load', async ({ params, client }) => {
      const { sessionId } = params;
      if (!fs.existsSync(fileOf(sessionId)) || mode === 'lost')
        throw new acp.RequestError(-32603, 'No previous sessions found');
      for (const call of load(sessionId).done) {
        await client.notify('session/update', {
          sessionId,
          update: {
            sessionUpdate: 'tool_call',
            toolCallId: call.id,
            title: call.text,
            ...call.replay,
          },
        });
      }
      return sessionFacts();
    })
    .onNotification('session/cancel', ({ params }) => {
      cancelled.add(params.sessionId);
      for (const wake of waits) wake();
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      const { sessionId } = params;
      const prompt = params.prompt.map((part) => part.text ?? '').join('\n');
      note(`in ${sessionId}`);
      note(`prompt ${JSON.stringify(prompt)}`);
      const down = path.join(home, 'provider-down');
      if (fs.existsSync(down)) {
        const { message, data, only = mode } = JSON.parse(fs.readFileSync(down, 'utf8'));
        if (only === mode) throw new acp.RequestError(-32603, message, data);
      }
      const update = (body) => client.notify('session/update', { sessionId, update: body });
      let count = 0;
      for (const line of prompt.split('\n')) {
        if (!line.startsWith('do: ')) continue;
        if (cancelled.delete(sessionId)) return { stopReason: 'cancelled' };
        const [verb, ...rest] = line.slice(4).split(' ');
        const text = rest.join(' ');
        count += 1;
        const id = mode === 'one-id' ? 'call' : `${String(process.pid)}-call-${String(count)}`;
        const session = load(sessionId);
        if (mode !== 'forget' && session.done.some((call) => call.text === text && call.known))
          continue;
        if (verb === 'say') {
          await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
        } else if (verb === 'never') {
          await new Promise((resolve) => {
            waits.add(resolve);
          });
          if (cancelled.delete(sessionId)) return { stopReason: 'cancelled' };
        } else if (verb === 'muse') {
          for (let leftMs = Number(text); leftMs > 0; leftMs -= 100) {
            const thought = { type: 'text', text: 'hm' };
            await update({ sessionUpdate: 'agent_thought_chunk', content: thought });
            await pause(100);
          }
        } else if (verb === 'hush') {
          const hushed = { toolCallId: id, title: 'hush', kind: 'execute', rawInput: {} };
          await update({ sessionUpdate: 'tool_call', status: 'in_progress', ...hushed });
          await pause(Number(text));
          await update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
        } else if (verb === 'until') {
          const waiting = { toolCallId: id, title: text, kind: 'execute', rawInput: {} };
          await update({ sessionUpdate: 'tool_call', status: 'in_progress', ...waiting });
          note(`until ${text}`);
          while (!fs.existsSync(text)) await pause(5);
          await update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
        } else if (verb === 'crash') process.exit(7);
        else if (verb === 'alien') {
          const [method = 'fs/unheard_of', file] = rest;
          const asked = {
            sessionId,
            path: file,
            content: 'written',
            command: 'touch',
            args: [file],
          };
          const heard = await client.request(method, asked).catch((error) => error);
          const said = typeof heard.code === 'number' ? String(heard.code) : JSON.stringify(heard);
          const content = { type: 'text', text: `heard ${said}` };
          await update({ sessionUpdate: 'agent_message_chunk', content });
        } else if (verb === 'odd') {
          const rawInput = { command: text };
          const toolCall = { toolCallId: id, title: text, kind: 'execute', rawInput };
          const options = [{ optionId: 'go', kind: 'allow_maybe', name: 'Perhaps' }];
          const asked = { sessionId, toolCall, options };
          const { outcome } = await client.request('session/request_permission', asked);
          if (outcome.outcome !== 'cancelled') fs.appendFileSync('effects.log', `${text}\n`);
        } else if (verb === 'rush' || verb === 'quit') {
          const rawInput = { command: text };
          const toolCall = { toolCallId: id, title: text, kind: 'execute', rawInput };
          await update({ sessionUpdate: 'tool_call', status: 'pending', ...toolCall });
          const options = [{ optionId: 'go', kind: 'allow_once', name: 'Allow' }];
          const asked = { sessionId, toolCall, options };
          void client.request('session/request_permission', asked).catch(() => undefined);
          if (verb === 'quit') {
            await pause(300);
            process.exit(0);
          }
        } else if (verb === 'fail')
          throw new acp.RequestError(
            -32603,
            text.slice(4),
            JSON.parse(text.slice(0, 3) === 'key' ? '{"errorName":"ProviderAuthError"}' : '{}'),
          );
        else if (verb === 'halt') {
          const halted = path.join(home, 'halted');
          if (mode === 'spare' || fs.existsSync(halted)) continue;
          fs.writeFileSync(halted, '');
          const data = { resets_at: Number(text) };
          throw new acp.RequestError(-32603, 'usage limit reached', data);
        } else if (verb === 'cost') {
          const amount = (mode === 'claude' ? 0 : (session.cost ?? 0)) + Number(text);
          save(sessionId, { ...session, cost: amount });
          await update({
            sessionUpdate: 'usage_update',
            used: 1,
            size: 2,
            cost: { amount, currency: 'USD' },
          });
        } else if (verb === 'warn') {
          const told = path.join(home, 'warned');
          if (fs.existsSync(told)) continue;
          fs.writeFileSync(told, '');
          const rate = { status: 'allowed_warning', utilization: Number(text) };
          await update({
            sessionUpdate: 'usage_update',
            used: 1,
            size: 2,
            _meta: { '_claude/rateLimit': { ...rate, resetsAt: Date.now() / 1_000 + 7_200 } },
          });
        } else if (verb === 'limited') {
          const limit = path.join(home, 'limited');
          if (!fs.existsSync(limit)) continue;
          const { message, data } = JSON.parse(fs.readFileSync(limit, 'utf8'));
          throw new acp.RequestError(-32603, message, data);
        } else if (verb === 'stop') return { stopReason: text };
        else {
          const ends = await Promise.all(
            (verb === 'both' ? rest : [text]).map((one, at) =>
              call(client, update, { sessionId, id: `${id}-${String(at)}`, verb, text: one }),
            ),
          );
          const ended = ends.find((one) => one !== undefined);
          if (ended !== undefined) return { stopReason: ended };
        }
      }
      return {
        stopReason: 'end_turn',
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

  async function call(client, update, { sessionId, id, verb, text }) {
    const isRead = verb === 'read';
    const isEdit = verb === 'edit';
    const kind = isEdit ? 'edit' : isRead ? 'read' : 'execute';
    const rawInput = isEdit ? JSON.parse(text) : isRead ? { path: text } : { command: text };
    const title = isEdit ? `Edit ${path.basename(rawInput.file_path)}` : text;
    if (text === 'deep') sayDeep(sessionId, id);
    await update({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title: mode === 'vague' ? 'Terminal' : title,
      kind,
      status: 'pending',
      rawInput: {},
    });
    if (!isRead && !['sure', 'limit'].includes(verb) && isAsking) {
      note(`asks ${text}`);
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: id, title, kind, rawInput },
        options: [
          { optionId: 'go', kind: 'allow_once', name: 'Allow' },
          { optionId: 'ever', kind: 'allow_always', name: 'Always' },
          { optionId: 'no', kind: 'reject_once', name: 'Reject' },
        ],
      });
      if (outcome.outcome === 'cancelled') return 'cancelled';
      note(`answer ${text} ${outcome.optionId}`);
      if (outcome.optionId === 'no') {
        await update({
          sessionUpdate: 'tool_call_update',
          toolCallId: id,
          status: 'failed',
          title: text,
        });
        return undefined;
      }
    }
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: 'in_progress',
      title: text,
      kind,
      rawInput,
    });
    let output = `read ${text}`;
    if (verb === 'slow' || verb === 'long' || (verb === 'both' && text.startsWith('slow'))) {
      const child = spawn(
        'sh',
        [
          '-c',
          `echo "begin ${text}" >> effects.log; sleep ${verb === 'long' ? '8' : '3'}; echo "${text}" >> effects.log`,
        ],
        { detached: true, stdio: 'ignore' },
      );
      await new Promise((resolve) => child.on('exit', resolve));
      output = 'slow done';
    } else if (!isRead) {
      fs.appendFileSync('effects.log', `${text}\n`);
      output = `ran ${text}`;
    }
    if (verb === 'die-after') process.exit(9);
    if (verb === 'limit')
      throw new acp.RequestError(-32603, 'usage limit reached', { resets_at: Number(text) });
    const session = load(sessionId);
    session.done.push({
      id,
      text,
      known: true,
      replay: { kind, status: 'completed', rawInput, rawOutput: { output } },
    });
    save(sessionId, session);
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: 'completed',
      title: text,
      content: [{ type: 'content', content: { type: 'text', text: output } }],
    });
    await pause(1);
    return undefined;
  }
}
