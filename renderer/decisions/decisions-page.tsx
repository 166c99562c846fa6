/** Everything that needs the user's decision: oldest first, one of them in full. */
import { Button, TextInput } from '@mantine/core';
import { Inbox, Search } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import type { InboxItem } from '../../shared/types';
import { valueWords } from '../../shared/value-words';
import { callVerb, useBridge, useCommand, useVerb } from '../bridge';
import { draftGroups, findDrafts, type DraftGroup } from '../drafts/drafts-view';
import { FarEntries } from '../hosts/far-entries';
import { pickFar, type FarGroup } from '../hosts/far-inbox-view';
import { FarChoice } from '../hosts/far-pane';
import { useFarInbox } from '../hosts/use-far-inbox';
import { useListKeys } from '../keys/list-keys';
import { oneLine } from '../parts/inert-view';
import { Chip } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { SplitView } from '../parts/split-view';
import { StopButton } from '../parts/stop-button';
import { Ago, At, EmptyState, Inert, TroubleNote } from '../parts/texts';
import { ToldLine } from '../parts/told-line';
import { hrefOf } from '../route';
import { sayRefused } from '../toasts/said';
import { actLater, usePending } from '../toasts/toasts';
import { ApprovalPane } from './approval-pane';
import { DecisionPane } from './decision-pane';
import { DraftEntries, DraftsPane } from './draft-entries';
import { EntryTile } from './entry-tile';
import { LeftProcess } from './left-process';
import { MissedTask, MissedTimer } from './missed-task';
import { SpentBudget } from './spent-budget';
import { UseFallback } from './use-fallback';
import { QuestionText } from './question-text';
import { RemindButton } from './remind-button';
import {
  detailOf,
  entrySecond,
  entryTitle,
  wholeTitle,
  groupEntries,
  isUrgent,
  matchesSearch,
  openEntries,
  pickEntry,
  standStill,
} from './decision-view';
import type { Entry, Groups } from './decision-view';
import './decisions.css';

const GROUPS = [
  { key: 'approvals', label: 'decisions.approvals', about: undefined },
  { key: 'replay', label: 'decisions.replay', about: 'decisions.replayAbout' },
  { key: 'limits', label: 'decisions.limits', about: undefined },
  { key: 'parked', label: 'decisions.parked', about: undefined },
  { key: 'later', label: 'decisions.later', about: undefined },
  { key: 'settled', label: 'decisions.settled', about: undefined },
] as const satisfies readonly {
  key: keyof Groups;
  label: MessageKey;
  about: MessageKey | undefined;
}[];

export function DecisionsPage({
  turnId,
  itemId: linkedId,
}: {
  turnId?: number;
  /** From the link: a notice or a row elsewhere leads to exactly this item. */
  itemId?: number;
}): ReactElement {
  const inbox = useVerb('inbox.list', { includeSettled: true, limit: 200 });
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', { includeAnswered: true, limit: 200 });
  const drafts = draftGroups(useVerb('drafts.list', {}).data?.drafts ?? []);
  const [itemId, setItemId] = useState<number | undefined>(undefined);
  /** The session whose drafts are shown instead of an item. */
  const [draftsOf, setDraftsOf] = useState<number | undefined>(undefined);
  const { far, farNeeds } = useFarInbox();
  /** The decision on another computer that is shown instead of an item. */
  const [farKey, setFarKey] = useState<string | undefined>(undefined);
  const [search, setSearch] = useState('');
  const [said, setSaid] = useState('');
  const pending = usePending();
  const items = (inbox.data?.items ?? []).filter(({ id }) => !pending.has(dismissKey(id)));
  const groups = groupEntries(
    items,
    recovery.data?.decisions ?? [],
    approvals.data?.requests ?? [],
    recovery.data?.processes ?? [],
  );
  const picked = pickEntry(groups, { turnId, itemId: linkedId ?? itemId });
  const open = openEntries(groups).length;
  const isNonePicked = picked === undefined && linkedId === undefined && turnId === undefined;
  const farEntry = pickFar(far, farKey, isNonePicked && draftsOf === undefined);
  const draft =
    drafts.find(({ sessionId }) => sessionId === draftsOf) ??
    (isNonePicked && farKey === undefined && farEntry === undefined ? drafts[0] : undefined);
  const isFar = farKey !== undefined || farEntry !== undefined;
  const still = standStill(groups);
  const isLoading = inbox.isLoading || recovery.isLoading || approvals.isLoading;
  const trouble = inbox.trouble ?? recovery.trouble ?? approvals.trouble;
  const reload = (): void => {
    inbox.reload();
    recovery.reload();
    approvals.reload();
  };
  const onSettled = (sentence: string): void => {
    setSaid(sentence);
    setItemId(undefined);
    reload();
  };

  return (
    <div className="page full">
      <header className="page-top">
        <div className="grow">
          <h1>{t('decisions.title')}</h1>
          <p className="sub" hidden={said !== ''}>
            {isLoading
              ? ''
              : t('decisions.sub', { count: still, word: t('number.word', { count: still }) })}
            {farNeeds === undefined ? '' : ` ${farNeeds}`}
          </p>
          {/* Replaces the line above, so that nothing moves under the pointer. */}
          <ToldLine said={said} mark={`${String(open)} ${String(picked?.item.id)}`} look="sub" />
        </div>
        {open > 0 && <RemindButton onSaid={setSaid} />}
      </header>
      <TroubleNote trouble={trouble} />
      {!isLoading && !trouble && items.length + drafts.length + far.length === 0 ? (
        <EmptyState
          mark={<Inbox size={28} />}
          sentence={t('decisions.empty')}
          command="holdfast turns review"
        />
      ) : (
        <SplitView
          name="decisions"
          paneLabel={t('decisions.pane')}
          list={
            <EntryList
              groups={groups}
              picked={draft === undefined && !isFar ? picked : undefined}
              drafts={drafts}
              draft={draft}
              far={far}
              farKey={farEntry?.key}
              search={search}
              onSearch={setSearch}
              onPick={(entry) => {
                setItemId(entry.item.id);
                setDraftsOf(undefined);
                setFarKey(undefined);
                setSaid('');
              }}
              onDrafts={(sessionId) => {
                setDraftsOf(sessionId);
                setFarKey(undefined);
                setSaid('');
              }}
              onFar={(key) => {
                setFarKey(key);
                setDraftsOf(undefined);
                setSaid('');
              }}
            />
          }
          pane={
            isFar ? (
              <FarChoice
                key={farEntry?.key}
                entry={farEntry}
                onSaid={(sentence, isOver) => {
                  setSaid(sentence);
                  if (isOver) setFarKey(undefined);
                }}
              />
            ) : draft !== undefined ? (
              <DraftsPane key={draft.sessionId} group={draft} />
            ) : picked === undefined ? (
              <EmptyState
                mark={<Inbox size={28} />}
                sentence={
                  isLoading
                    ? t('common.loading')
                    : open === 0
                      ? t('decisions.empty')
                      : t('decisions.pick')
                }
              />
            ) : picked.decision ? (
              <DecisionPane
                key={picked.decision.inboxId}
                decision={picked.decision}
                onStale={reload}
                onSettled={onSettled}
              />
            ) : picked.request ? (
              <ApprovalPane
                key={picked.request.requestId}
                request={picked.request}
                onStale={reload}
                onSettled={onSettled}
              />
            ) : (
              <ItemPane key={picked.item.id} entry={picked} onDone={reload} />
            )
          }
        />
      )}
    </div>
  );
}

function EntryList({
  groups,
  picked,
  drafts,
  draft,
  far,
  farKey,
  search,
  onSearch,
  onPick,
  onDrafts,
  onFar,
}: {
  groups: Groups;
  picked: Entry | undefined;
  drafts: readonly DraftGroup[];
  draft: DraftGroup | undefined;
  far: readonly FarGroup[];
  farKey: string | undefined;
  search: string;
  onSearch: (text: string) => void;
  onPick: (entry: Entry) => void;
  onDrafts: (sessionId: number) => void;
  onFar: (key: string) => void;
}): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  // Moving the selection shows the row at once; it answers nothing.
  useListKeys(list, '.entry', (row) => row.click());
  const shown = GROUPS.map((group) => ({
    ...group,
    entries: groups[group.key].filter((entry) => matchesSearch(entry, search)),
  })).filter((group) => group.entries.length > 0);
  const found = findDrafts(drafts, search);
  const settled = shown.filter(({ key }) => key === 'settled');
  const section = ({ key, label, about, entries }: (typeof shown)[number]): ReactElement => (
    <section key={key} aria-label={t(label)}>
      <h2 className="group-head">
        {t(label)}{' '}
        <span className="group-count">
          {about === undefined ? entries.length : t(about, { count: entries.length })}
        </span>
      </h2>
      <ul>
        {entries.map((entry) => (
          <EntryRow
            key={entry.item.id}
            entry={entry}
            isPicked={picked?.item.id === entry.item.id}
            onPick={onPick}
          />
        ))}
      </ul>
    </section>
  );
  return (
    <div ref={list} role="navigation" aria-label={t('decisions.list')}>
      <div className="split-search">
        <TextInput
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || search === '') return;
            event.preventDefault();
            onSearch('');
          }}
          placeholder={t('decisions.search')}
          aria-label={t('decisions.search')}
          data-page-search
          leftSection={<Search className="icon small" />}
        />
      </div>
      {shown.length + found.length + far.length === 0 && search !== '' ? (
        <p className="split-empty t3">{t('decisions.nothing')}</p>
      ) : null}
      {shown.filter(({ key }) => key !== 'settled').map(section)}
      <FarEntries groups={far} search={search} picked={farKey} onPick={onFar} />
      <DraftEntries groups={found} picked={draft?.sessionId} onPick={onDrafts} />
      {settled.map(section)}
    </div>
  );
}

function EntryRow({
  entry,
  isPicked,
  onPick,
}: {
  entry: Entry;
  isPicked: boolean;
  onPick: (entry: Entry) => void;
}): ReactElement {
  return (
    <li>
      <a
        className="aligned entry"
        href={hrefOf(
          entry.item.turnId === undefined
            ? { kind: 'decisions' }
            : { kind: 'decisions', turnId: entry.item.turnId },
        )}
        aria-current={isPicked ? 'true' : undefined}
        onClick={() => onPick(entry)}
      >
        <EntryTile entry={entry} />
        <span className="grow">
          <span className="flex">
            <span className="m5 grow clamp" title={wholeTitle(entry)}>
              <QuestionText text={oneLine(entryTitle(entry))} />
            </span>
            <span className="xs t3 nw">
              {entry.item.settledAtMs === undefined ? (
                <Ago atMs={entry.item.createdAtMs} />
              ) : (
                <At atMs={entry.item.settledAtMs} />
              )}
            </span>
          </span>
          <span className="sm t3 ellipsis entry-second" title={oneLine(entrySecond(entry), 300)}>
            {oneLine(entrySecond(entry))}
          </span>
        </span>
      </a>
    </li>
  );
}

const dismissKey = (inboxId: number): string => `dismiss-${String(inboxId)}`;

/**
 * A dismissed item cannot be brought back, so it is dismissed only when its note with Undo is gone.
 */
function dismissLater(bridge: ReturnType<typeof useBridge>, { id, title }: InboxItem): void {
  actLater(dismissKey(id), t('toast.dismissed', { title: oneLine(title, 80) }), () => {
    void callVerb(bridge, 'inbox.dismiss', { inboxId: id }).then((answer) => {
      if (!answer.ok) sayRefused(answer);
    });
  });
}

function kindText({ item, process }: Entry): string {
  if (process !== undefined) return t('left.kind');
  return item.taskId === undefined ? t(`inboxKind.${item.kind}`) : t('inboxKind.task');
}

/** An item other than an interrupted turn: a limit, an unanswered message, a problem. */
function ItemPane({ entry, onDone }: { entry: Entry; onDone: () => void }): ReactElement {
  const { item } = entry;
  const turnId = item.turnId;
  const turn = useVerb('turns.show', turnId === undefined ? undefined : { turnId });
  const bridge = useBridge();
  const openSettings = useCommand('app.openSettings');
  const isOpen = item.settledAtMs === undefined;
  // Only an item that asks about the turn opens the turn's question: a notice opens itself.
  const isQuestion = item.kind === 'replay_decision' || item.kind === 'limit';
  const decision = isOpen && isQuestion ? turn.data?.decision : undefined;
  if (decision)
    return <DecisionPane decision={decision} onSettled={onDone} onStale={turn.reload} />;
  const mayStop = turn.data !== undefined && !isClosed(turn.data.turn.state);
  return (
    <div className="decision">
      <div className="flex decision-head">
        <EntryTile entry={entry} />
        <div className="grow">
          <div className="xs t3">{kindText(entry)}</div>
          <Inert as="h2" className="decision-question" text={item.title} />
          <Inert as="p" className="t2 inert" text={detailOf(item)} />
        </div>
        <Chip
          tone={!isOpen ? 'ok' : isUrgent(entry) ? 'attention' : 'muted'}
          mark={isOpen ? 'clock' : 'check'}
        >
          <At atMs={item.settledAtMs ?? item.createdAtMs} />
        </Chip>
      </div>
      {entry.process === undefined ? null : <LeftProcess process={entry.process} onDone={onDone} />}
      {item.outcome ? (
        <dl className="facts">
          <Fact name={t('decisions.outcome')} text={valueWords(item.outcome)} />
        </dl>
      ) : null}
      <TroubleNote trouble={openSettings.trouble ?? turn.trouble} />
      <div className="decision-actions">
        {item.taskId === undefined ? null : <MissedTask taskId={item.taskId} isOpen={isOpen} />}
        {item.budget === undefined || !isOpen ? null : (
          <SpentBudget budget={item.budget} onDone={onDone} />
        )}
        {item.fallback === undefined || !isOpen ? null : (
          <UseFallback fallback={item.fallback} onDone={onDone} />
        )}
        {item.timerId === undefined || item.sessionId === undefined || !isOpen ? null : (
          <MissedTimer sessionId={item.sessionId} timerId={item.timerId} />
        )}
        {turnId === undefined ? null : (
          <Button component="a" href={hrefOf({ kind: 'turn', turnId })}>
            {t('decisions.openTurn')}
          </Button>
        )}
        {isOpen && item.kind === 'limit' ? (
          <Button onClick={() => void openSettings.run({ at: 'recovery/limits.turn_cost_usd' })}>
            {t('decisions.changeLimit')}
          </Button>
        ) : null}
        {isOpen && mayStop && turnId !== undefined ? (
          <StopButton turnId={turnId} name={item.title} size="sm" label={t('stop.turn')} />
        ) : null}
        {isOpen &&
        entry.process === undefined &&
        item.kind !== 'replay_decision' &&
        item.kind !== 'limit' &&
        item.kind !== 'approval' ? (
          <Button
            variant="subtle"
            onClick={() => {
              dismissLater(bridge, item);
              onDone();
            }}
          >
            {t('decisions.putAway')}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
