/**
 * What the tray shows, as a pure function of the snapshot: one glyph, one line, one menu. The menu
 * has the same order on every system.
 */
import { flatLine } from '../../../shared/unseen';
import type { TrayAction, TrayRow } from './tray-row';
import type { StatusSnapshot, TrayState } from '../../../shared/types';
import { quitFacts, quitWhenDoneText } from '../../../shared/quit-words';
import { say } from '../say';
import { canWait, whenDoneLabel, type ForeseenQuit } from '../stop-question';
import { outageRows, outsideFacts, type TrayFact, type WaitingTitle } from './tray-external';
import { connectingHostsFacts, hiddenHostsFacts, hostNeedsFact, hostRows } from './tray-hosts';

export interface TrayModel {
  readonly state: TrayState;
  /** At most 60 characters, the worst fact first. */
  readonly tooltip: string;
  readonly rows: readonly TrayRow[];
}

/** What the snapshot does not contain: single items, and facts that only the shell knows. */
export interface TrayExtras {
  readonly decisions: readonly { readonly title: string; readonly route: string }[];
  readonly isQuiet: boolean;
  /** Notices that the system did not show; the tray shows them instead. */
  readonly unseen: readonly { readonly title: string; readonly route: string }[];
  /** The latest answers, the newest first. */
  readonly answers?: readonly { readonly title: string; readonly route: string }[];
  /** The first turns that wait for each provider that is down, in the order of their next run. */
  readonly waiting?: readonly WaitingTitle[];
  /** What the next start would do with the open turns; absent until the engine has answered. */
  readonly foreseen?: ForeseenQuit | undefined;
}

export const NO_EXTRAS: TrayExtras = { decisions: [], isQuiet: false, unseen: [] };

const MAX_TOOLTIP = 60;
const MAX_LABEL = 60;
const MAX_ITEMS = 5;
const MINUTE_MS = 60_000;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`;

/** One line of plain text: a menu must not contain control characters or direction overrides. */
const fitLabel = (text: string): string => cut(flatLine(text), MAX_LABEL);

function clockTime(atMs: number, nowMs: number, locale: string): string {
  const isSoon = Math.abs(atMs - nowMs) < 20 * 3_600_000;
  return new Intl.DateTimeFormat(locale, {
    ...(isSoon ? {} : { weekday: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(atMs);
}

function pausedFact(snapshot: StatusSnapshot, nowMs: number, locale: string): string | undefined {
  if (snapshot.paused === undefined) return undefined;
  const { untilMs } = snapshot.paused;
  return untilMs === undefined
    ? say('tray.fact.paused')
    : say('tray.fact.pausedUntil', { time: clockTime(untilMs, nowMs, locale) });
}

/** Short facts, the worst first. */
function facts(
  snapshot: StatusSnapshot,
  nowMs: number,
  locale: string,
  extras: TrayExtras,
): readonly TrayFact[] {
  switch (snapshot.phase) {
    case 'starting':
      return [{ text: say('tray.fact.starting') }];
    case 'stopping':
      return [{ text: say('tray.fact.stopping') }];
    case 'stopped':
      return [{ text: say('tray.fact.stopped') }];
    case 'silent':
      return [{ text: say('tray.fact.silent') }];
    case 'running':
      break;
  }
  const { counts } = snapshot;
  const waits = waitsFact(counts.waiting);
  const outside = outsideFacts(snapshot, waits, (atMs) => clockTime(atMs, nowMs, locale));
  const list: (string | TrayFact | undefined)[] = [
    counts.needsYou > 0 ? say('tray.fact.needsYou', { count: counts.needsYou }) : undefined,
    plainFactOf(hostNeedsFact(snapshot)),
    extras.unseen.length > 0 ? say('tray.fact.unseen', { count: extras.unseen.length }) : undefined,
    ...outside.map(plainFact),
    snapshot.journal.refusal === undefined
      ? undefined
      : say(`tray.fact.cannot.${snapshot.journal.refusal.of ?? 'writes'}`),
    snapshot.programChanged ? say('tray.fact.programChanged') : undefined,
    (snapshot.lostRuns ?? 0) > 0
      ? say('tray.fact.lostRuns', { count: snapshot.lostRuns ?? 0 })
      : undefined,
    snapshot.configProblems.some(({ level }) => level !== 'hint')
      ? say('tray.fact.config')
      : undefined,
    ...hiddenHostsFacts(snapshot).map(plainFact),
    snapshot.quitsBehind === undefined ? undefined : lowerFirst(quitRowText(snapshot.quitsBehind)),
    counts.running > 0 ? say('tray.fact.running', { count: counts.running }) : undefined,
    pausedFact(snapshot, nowMs, locale),
    waits === undefined || outside.includes(waits) ? undefined : waits.text,
    counts.queued > 0 ? say('tray.fact.queued', { count: counts.queued }) : undefined,
    counts.parked > 0 ? say('tray.fact.parked', { count: counts.parked }) : undefined,
    ...connectingHostsFacts(snapshot).map(plainFact),
  ];
  const present = list
    .filter((fact) => fact !== undefined)
    .map((fact) => (typeof fact === 'string' ? { text: fact } : fact));
  if (present.length > 0) return present;
  const next = snapshot.schedule?.next[0];
  return [
    { text: say('tray.fact.nothing') },
    ...(next === undefined
      ? []
      : [{ text: say('tray.fact.next', { time: clockTime(next.atMs, nowMs, locale) }) }]),
  ];
}

const waitsFact = (waiting: number): TrayFact | undefined =>
  waiting === 0
    ? undefined
    : {
        text: say('tray.fact.waiting', { count: waiting }),
        short: say('tray.fact.waitingShort', { count: waiting }),
      };

const plainFact = ({ text, short }: TrayFact): TrayFact => ({
  text: flatLine(text),
  ...(short === undefined ? {} : { short: flatLine(short) }),
});

const plainFactOf = (fact: TrayFact | undefined): TrayFact | undefined =>
  fact === undefined ? undefined : plainFact(fact);

/** Shortens a fact and those before it, before it drops one that has a short form. */
function fitting(prefix: string, told: readonly TrayFact[], max: number): readonly string[] {
  const whole = told.map(({ text }) => text);
  for (let upTo = told.findLastIndex(hasShort) + 1; upTo > 0; upTo -= 1) {
    for (let from = upTo; from >= 0; from -= 1) {
      const parts = whole.map((text, at) =>
        at >= from && at < upTo ? (told[at]?.short ?? text) : text,
      );
      if (prefix.length + parts.slice(0, upTo).join(', ').length <= max) return parts;
    }
  }
  return whole;
}

const hasShort = ({ short }: TrayFact): boolean => short !== undefined;

/** Joins as many complete facts as fit. */
function line(prefix: string, told: readonly TrayFact[], max: number): string {
  const parts = fitting(prefix, told, max);
  let text = prefix + (parts[0] ?? '');
  for (const part of parts.slice(1)) {
    if (text.length + 2 + part.length > max) break;
    text += `, ${part}`;
  }
  return cut(text, max);
}

/** The state of the engine, and what only the shell knows: notices that the user has not seen. */
function stateOf({ tray }: StatusSnapshot, { unseen }: TrayExtras): TrayState {
  return tray !== 'stopped' && unseen.length > 0 ? 'attention' : tray;
}

function decisionRows(snapshot: StatusSnapshot, extras: TrayExtras): TrayRow[] {
  const needed = snapshot.counts.needsYou;
  const rows: TrayRow[] = [];
  if (needed > 0) {
    const all: TrayAction = { kind: 'open', route: '/decisions' };
    rows.push(
      extras.decisions.length === 0
        ? {
            kind: 'action',
            label: say('tray.inboxOpen', { count: needed }),
            action: all,
            isEnabled: true,
          }
        : {
            kind: 'submenu',
            label: say('tray.inbox', { count: needed }),
            rows: [
              ...extras.decisions.slice(0, MAX_ITEMS).map((item): TrayRow => ({
                kind: 'action',
                label: cut(flatLine(item.title), MAX_LABEL),
                action: { kind: 'open', route: item.route },
                isEnabled: true,
              })),
              { kind: 'separator' },
              { kind: 'action', label: say('tray.inboxAll'), action: all, isEnabled: true },
            ],
          },
    );
  }
  for (const notice of extras.unseen.slice(0, MAX_ITEMS)) {
    rows.push({
      kind: 'action',
      label: cut(flatLine(notice.title), MAX_LABEL),
      action: { kind: 'open', route: notice.route },
      isEnabled: true,
    });
  }
  return rows;
}

function workRows(
  snapshot: StatusSnapshot,
  nowMs: number,
  locale: string,
  isQuiet: boolean,
): TrayRow[] {
  const { counts } = snapshot;
  const isUp = snapshot.phase === 'running';
  const open = counts.running + counts.queued + counts.waiting;
  const paused = pausedFact(snapshot, nowMs, locale);
  return [
    {
      kind: 'action',
      label:
        counts.running > 0
          ? say('tray.cancelAllRunning', { count: counts.running })
          : say('tray.cancelAll'),
      action: { kind: 'stop_all' },
      isEnabled: isUp && open > 0,
    },
    paused === undefined
      ? {
          kind: 'submenu',
          label: say('tray.pause'),
          rows: [
            {
              kind: 'action',
              label: say('tray.pause.15m'),
              action: { kind: 'pause', forMs: 15 * MINUTE_MS },
              isEnabled: isUp,
            },
            {
              kind: 'action',
              label: say('tray.pause.1h'),
              action: { kind: 'pause', forMs: 60 * MINUTE_MS },
              isEnabled: isUp,
            },
            {
              kind: 'action',
              label: say('tray.pause.open'),
              action: { kind: 'pause' },
              isEnabled: isUp,
            },
          ],
        }
      : {
          kind: 'action',
          label: say('tray.resume', { text: paused }),
          action: { kind: 'resume' },
          isEnabled: isUp,
        },
    {
      kind: 'check',
      label: say('tray.quiet'),
      action: { kind: 'toggle_quiet' },
      isChecked: isQuiet,
    },
  ];
}

/**
 * The counts, unless the first line already has all of them. Undelivered events are always shown,
 * because the row leads to them.
 */
function countsRow(snapshot: StatusSnapshot, firstLine: string): TrayRow[] {
  const { counts } = snapshot;
  const dead = snapshot.delivery?.deadLetters ?? 0;
  const shown = (['waiting', 'queued', 'parked'] as const).filter((of) => counts[of] > 0);
  const isTold = (of: (typeof shown)[number]): boolean =>
    firstLine.includes(say(`tray.fact.${of}`, { count: counts[of] })) ||
    (of === 'waiting' && firstLine.includes(say('tray.fact.waitingShort', { count: counts[of] })));
  if (dead === 0 && shown.every(isTold)) return [];
  const parts = [
    ...shown.map((of) => say(`tray.count.${of}`, { count: counts[of] })),
    ...(dead > 0 ? [say('tray.count.undelivered', { count: dead })] : []),
  ];
  return parts.length === 0
    ? []
    : [
        {
          kind: 'action',
          label: parts.join(', '),
          // Only undelivered events have their own page.
          action: {
            kind: 'open',
            route: parts.length === 1 && dead > 0 ? '/events/delivery' : '/',
          },
          isEnabled: true,
        },
      ];
}

/** According to the plan of the next start; empty if the plan is not known. */
function quitLabel(foreseen: ForeseenQuit | undefined): string {
  const told = foreseen === undefined ? '' : quitFacts(foreseen);
  return told === '' ? say('tray.quit') : say('tray.quitFacts', { text: told });
}

/** A menu stays open for a while, so it shows a start time instead of a duration. */
function quitRowText(
  steps: NonNullable<StatusSnapshot['quitsBehind']>,
  timeOf: (atMs: number) => string = () => '',
): string {
  return flatLine(
    quitWhenDoneText(steps, ({ startedAtMs }) => {
      const time = timeOf(startedAtMs);
      return time === '' ? '' : say('tray.quitSince', { time });
    }),
  );
}

/** Waiting is offered only if the next start would not simply resume what is interrupted. */
function quitRows(
  { quitsBehind }: StatusSnapshot,
  foreseen: ForeseenQuit | undefined,
  timeOf: (atMs: number) => string,
): TrayRow[] {
  const action = (label: string, what: TrayAction): TrayRow => ({
    kind: 'action',
    label,
    action: what,
    isEnabled: true,
  });
  const quit = action(quitLabel(foreseen), { kind: 'quit' });
  if (quitsBehind !== undefined)
    return [
      { kind: 'label', label: quitRowText(quitsBehind, timeOf) },
      action(say('tray.keepRunning'), { kind: 'quit_when_done', isWanted: false }),
      quit,
    ];
  if (foreseen === undefined || !canWait(foreseen)) return [quit];
  return [action(whenDoneLabel(foreseen.atWork), { kind: 'quit_when_done', isWanted: true }), quit];
}

/** What keeps the computer awake and since when, and a way to end it. KA-05 */
function awakeRows({ awake }: StatusSnapshot, timeOf: (atMs: number) => string): TrayRow[] {
  if (awake === undefined) return [];
  return [
    {
      kind: 'action',
      label: say('tray.letSleep', { time: timeOf(awake.sinceMs) }),
      action: { kind: 'let_sleep' },
      isEnabled: true,
    },
  ];
}

/** A newer version that is waiting, and where to install it. UP-02 */
function updateRows({ update }: StatusSnapshot): TrayRow[] {
  if (update === undefined) return [];
  const label = say(`tray.update.${update.state}`, { version: flatLine(update.version) });
  return [{ kind: 'action', label, action: { kind: 'settings', at: 'updates' }, isEnabled: true }];
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A row for a new prompt, and the latest answers. Neither is shown without an engine. */
function askRows({ phase }: StatusSnapshot, { answers = [] }: TrayExtras): TrayRow[] {
  if (phase !== 'running') return [];
  const rows = answers.map(({ title, route }): TrayRow => ({
    kind: 'action',
    label: cut(flatLine(title), MAX_LABEL),
    action: { kind: 'open', route },
    isEnabled: true,
  }));
  return [
    { kind: 'action', label: say('tray.ask'), action: { kind: 'ask' }, isEnabled: true },
    ...(rows.length === 0
      ? []
      : [{ kind: 'submenu', label: say('tray.answers'), rows } satisfies TrayRow]),
  ];
}

/** The whole tray. `nowMs` is wall time; `locale` formats times for the user. */
export function trayModel(
  snapshot: StatusSnapshot,
  nowMs: number,
  locale: string,
  extras: TrayExtras = NO_EXTRAS,
): TrayModel {
  const told = facts(snapshot, nowMs, locale, extras);
  const sentence = line('', told, MAX_LABEL);
  const decisions = decisionRows(snapshot, extras);
  const outside = [
    ...outageRows(snapshot, (atMs) => clockTime(atMs, nowMs, locale), fitLabel, extras.waiting),
    ...hostRows(snapshot, (atMs) => clockTime(atMs, nowMs, locale), fitLabel),
    ...countsRow(snapshot, sentence),
  ];
  const between: TrayRow[] =
    decisions.length > 0 && outside.length > 0 ? [{ kind: 'separator' }] : [];
  return {
    state: stateOf(snapshot, extras),
    tooltip: line('Holdfast - ', told, MAX_TOOLTIP),
    rows: [
      { kind: 'label', label: sentence.charAt(0).toUpperCase() + sentence.slice(1) },
      ...decisions,
      ...between,
      ...outside,
      { kind: 'separator' },
      ...workRows(snapshot, nowMs, locale, extras.isQuiet),
      ...awakeRows(snapshot, (atMs) => clockTime(atMs, nowMs, locale)),
      ...updateRows(snapshot),
      { kind: 'separator' },
      {
        kind: 'action',
        label: say('tray.open'),
        action: { kind: 'open', route: '/' },
        isEnabled: true,
      },
      ...askRows(snapshot, extras),
      {
        kind: 'action',
        label: say('tray.settings'),
        action: { kind: 'settings' },
        isEnabled: true,
      },
      {
        kind: 'action',
        label: say('tray.diagnostics'),
        action: { kind: 'copy_diagnostics' },
        isEnabled: true,
      },
      { kind: 'separator' },
      ...quitRows(snapshot, extras.foreseen, (atMs) => clockTime(atMs, nowMs, locale)),
    ],
  };
}
