/** A turn of a real engine, seen by a collector's double; the process dies in it, and the trace goes on. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendSpans } from '../../../electron/adapters/traces/otlp-http';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar, type Script } from '../../helpers/fake-world';
import { createScheduleWorld, type ScheduleWorld } from '../schedule/schedule-world';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

const script: Script = (request) => {
  if (resultsSoFar(request) === 0)
    return { calls: [{ tool: 'read_file', args: { path: 'plan.txt' } }] };
  return { text: `read for ${promptOf(request)}` };
};

const ABORTED = {
  kind: 'failure',
  failure: { kind: 'aborted', message: 'Stopped.', hint: '', isRetryable: true },
} as const;

let collector: Server;
let spans: Span[] = [];
let site: ScheduleWorld;
let headers: Record<string, unknown> = {};

beforeEach(async () => {
  spans = [];
  collector = createServer((request, response) => {
    let text = '';
    headers = { ...request.headers, url: request.url };
    request.on('data', (part: Buffer) => (text += part.toString('utf8')));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(text) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((two) => two.spans)));
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await site.end();
  collector.close();
});

const config = (more: Record<string, unknown> = {}) => ({
  observability: {
    traces_endpoint: `http://127.0.0.1:${String((collector.address() as AddressInfo).port)}`,
    ...more,
  },
});
const begin = (settings: Record<string, unknown>) => {
  site = createScheduleWorld(settings, script);
  writeFileSync(path.join(site.world.workspace, 'plan.txt'), 'walrus');
};
const oneTurn = async (): Promise<void> => {
  const life = await site.start();
  const { turnId } = await life.holdfast.call(
    'send',
    { text: 'secret plan', agent: 'fake' },
    'test',
  );
  await turnIn(life, turnId, [...ENDED]);
  await site.stop(life);
};

describe('traces', () => {
  it('OT-01 off by default: nothing is sent anywhere', async () => {
    begin({});
    await oneTurn();
    expect(spans).toEqual([]);
  });

  it('OT-01 a stop sends one trace: the turn, its model calls and its tool call inside; no text of it', async () => {
    begin(config());
    await oneTurn();
    expect(headers).toMatchObject({ url: '/v1/traces', 'content-type': 'application/json' });
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'chat fake-1',
      'chat fake-1',
      'execute_tool files.read_file',
      'invoke_agent fake',
    ]);
    const [root] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(root?.name).toBe('invoke_agent fake');
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const span of spans) if (span !== root) expect(span.parentSpanId).toBe(root?.spanId);
    expect(JSON.stringify(spans)).not.toMatch(/walrus|secret plan/);
  });

  it('OT-01 a turn that goes on in the next run goes on in its trace; an answer that is used again says so', async () => {
    begin(config());
    let release = (): void => undefined;
    const reached = new Promise<void>((resolve) => (release = resolve));
    const base = createFakeProvider({ dir: site.world.outside, script });
    const first = await site.start({
      providers: [
        {
          ...base,
          stream(request, options) {
            if (resultsSoFar(request) === 0) return base.stream(request, options);
            release();
            return new Promise((resolve) => {
              options.signal.addEventListener('abort', () => resolve(ABORTED));
            });
          },
        },
      ],
    });
    const { turnId } = await first.holdfast.call('send', { text: 'go', agent: 'fake' }, 'test');
    await reached;
    await site.stop(first);
    const before = [...spans];
    const second = await site.start();
    await turnIn(second, turnId, [...ENDED]);
    await site.stop(second);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const reused = spans.filter(({ name }) => name.startsWith('reuse '));
    expect(reused.map(({ name }) => name)).toEqual(['reuse chat fake-1']);
    for (const { links } of reused)
      expect(before.map(({ spanId }) => spanId)).toContain(links?.[0]?.spanId);
    expect(spans.filter(({ name }) => name === 'invoke_agent fake')).toHaveLength(1);
  });

  it('OT-01 with observability.traces_text the texts are in it', async () => {
    begin(config({ traces_text: true }));
    await oneTurn();
    expect(JSON.stringify(spans)).toMatch(/walrus/);
    expect(JSON.stringify(spans)).toMatch(/secret plan/);
  });

  it.each([200, 400])(
    'OT-01 an answer %d without an end takes no memory: its first 300 characters are read',
    async (status) => {
      begin({});
      let sent = 0;
      const flood = createServer((request, response) => {
        request.resume();
        response.writeHead(status);
        const more = (): void => {
          while (!response.destroyed && sent < 512 * 1024 ** 2) {
            sent += 1024 ** 2;
            if (!response.write(Buffer.alloc(1024 ** 2, 'x'))) break;
          }
        };
        response.on('drain', more);
        more();
      });
      await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve));
      const refused: string[] = [];
      const { port } = flood.address() as AddressInfo;
      await sendSpans(`http://127.0.0.1:${String(port)}`, {}, {}, (why) => refused.push(why));
      flood.closeAllConnections();
      flood.close();
      expect(refused).toEqual(status === 200 ? [] : [`HTTP 400 ${'x'.repeat(300)}`]);
      expect(sent).toBeLessThan(64 * 1024 ** 2);
    },
  );
});
