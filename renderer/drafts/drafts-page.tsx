/** The drafts of a session: what each would change in its file, and actions on it. */
import { Button, SegmentedControl, Switch } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { ChevronRight, FileText, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { DraftDiff, DraftView } from '../../shared/types/drafts';
import { t } from '../../shared/messages';
import { useBridge, useCommand, useVerb } from '../bridge';
import { useListKeys } from '../keys/list-keys';
import { oneLine } from '../parts/inert-view';
import { Mark } from '../parts/state-chip';
import { Ago, EmptyState, Inert, TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { ToldLine } from '../parts/told-line';
import { hrefOf } from '../route';
import { sayApplied } from '../toasts/said';
import { DiffView } from './diff-view';
import { DraftActs } from './draft-acts';
import type { HunkActs } from './diff-view';
import { useHunkActs } from './hunk-acts';
import {
  draftLook,
  fits,
  folderOf,
  hasNewer,
  inOrder,
  isTakenIn,
  isUnfit,
  undoable,
} from './drafts-view';
import { AppliedList } from './applied-list';
import '../turn/turn.css';
import './drafts.css';
import { firstSentence, keyTitle } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

export function DraftsPage({ sessionId }: { sessionId: number }): ReactElement {
  const status = useVerb('session.status', { session: String(sessionId) });
  // A session with this number as its name comes first: then only the list of all contains ours.
  const isOther = status.data !== undefined && status.data.session.id !== sessionId;
  const list = useVerb('drafts.list', {
    limit: 1000,
    ...(isOther ? {} : { session: String(sessionId) }),
  });
  const decided = useVerb('drafts.list', {
    decided: true,
    limit: 200,
    ...(isOther ? {} : { session: String(sessionId) }),
  });
  const [pickedId, setPickedId] = useState<number | undefined>(undefined);
  const [said, setSaid] = useState('');
  /** Agents that were already asked to update, one entry each. */
  const [asked, setAsked] = useState<readonly string[]>([]);
  const onAsked = useCallback((requestHash: string, sentence: string): void => {
    setAsked((before) => [...before, requestHash]);
    setSaid(sentence);
  }, []);
  const bridge = useBridge();
  const apply = useCommand('drafts.promote');
  // Other programs change files without an event, so returning to the window checks them again.
  useWindowEvent('focus', list.reload);
  const mine = (list.data?.drafts ?? []).filter((draft) => draft.sessionId === sessionId);
  const drafts = inOrder(mine);
  const picked = drafts.find((draft) => draft.draftId === pickedId) ?? drafts[0];
  const fitting = drafts.filter(fits);
  const unfit = drafts.filter(isUnfit).length;
  const session = isOther ? undefined : status.data?.session;
  const name = mine[0]?.sessionTitle ?? session?.title ?? '';
  const title =
    name === '' ? keyTitle(mine[0]?.sessionKey ?? session?.key ?? '') : firstSentence(name);

  const onDone = (sentence: string): void => {
    setSaid(sentence);
    setPickedId(undefined);
    list.reload();
    decided.reload();
  };
  const applyFitting = async (): Promise<void> => {
    const names: string[] = [];
    for (const { draftId, requestHash, path } of fitting) {
      const done = await apply.run({ draftId, requestHash });
      if (!done.ok) break;
      names.push(path);
      if (done.value.outcome === 'promoted') sayApplied(bridge, { draftId, path }, onDone);
    }
    onDone(names.map((file) => t('drafts.said.promoted', { file })).join(' '));
  };

  return (
    <div className="page full">
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <a className="ellipsis" href={hrefOf({ kind: 'sessions', sessionId })}>
          {title}
        </a>
        <ChevronRight className="icon small" />
        <span>{t('drafts.crumb')}</span>
      </nav>
      <header className="page-top">
        <div className="grow">
          <h1>
            {list.data
              ? drafts.length === 1 && unfit === 1
                ? t('drafts.unfitAlone')
                : [
                    t('drafts.title', { count: drafts.length }),
                    ...(unfit === 0 ? [] : [t('drafts.unfit', { count: unfit })]),
                  ].join(', ')
              : t('drafts.crumb')}
          </h1>
          {drafts.length === 0 ? null : (
            <p className="sub" hidden={said !== ''}>
              {t('drafts.sub', {
                count: drafts.length,
                name: oneLine(agentTitle(drafts[0]?.agent ?? '')),
                folder: oneLine(folderOf(drafts)),
              })}
            </p>
          )}
          {/* Replaces the line above, so that nothing moves under the pointer. */}
          <ToldLine said={said} mark={drafts.map(({ draftId }) => draftId).join(' ')} look="sub" />
        </div>
        {fitting.length === 0 ? null : (
          <Button
            variant={unfit === 0 && fitting.length > 1 ? 'filled' : 'default'}
            disabled={apply.isBusy}
            onClick={() => void applyFitting()}
          >
            {t('drafts.applyFitting', { count: fitting.length })}
          </Button>
        )}
      </header>
      <TroubleNote trouble={status.trouble ?? list.trouble ?? apply.trouble} />
      {picked === undefined ? (
        list.data ? (
          <EmptyState
            mark={<FileText size={28} />}
            sentence={t('drafts.none')}
            command="holdfast drafts list"
          />
        ) : null
      ) : (
        <Chosen
          key={picked.draftId}
          drafts={drafts}
          picked={picked}
          isAlone={!(unfit === 0 && fitting.length > 1)}
          asked={asked}
          onPick={setPickedId}
          onDone={onDone}
          onAsked={onAsked}
          onPart={(sentence) => {
            setSaid(sentence);
            setPickedId(picked.draftId);
            list.reload();
          }}
        />
      )}
      <AppliedList
        drafts={undoable(
          (decided.data?.drafts ?? []).filter((draft) => draft.sessionId === sessionId),
          mine,
        )}
        onDone={onDone}
      />
    </div>
  );
}

function Chosen({
  drafts,
  picked,
  isAlone,
  asked,
  onPick,
  onDone,
  onAsked,
  onPart,
}: {
  drafts: readonly DraftView[];
  picked: DraftView;
  /** No other button of the page is filled. */
  isAlone: boolean;
  asked: readonly string[];
  onPick: (draftId: number) => void;
  onDone: (sentence: string) => void;
  onAsked: (requestHash: string, sentence: string) => void;
  onPart: (sentence: string) => void;
}): ReactElement {
  // Fetched again if draft or file differ from the list, by their hashes.
  const diff = useVerb('drafts.diff', { draftId: picked.draftId });
  const shown = diff.data;
  const isStale = shown !== undefined && shown.draft.requestHash !== picked.requestHash;
  const { reload } = diff;
  useEffect(() => {
    if (isStale) reload();
  }, [isStale, reload, picked.requestHash]);
  const hunks = useHunkActs({ diff: shown, isStale, onPart, onLook: reload });
  return (
    <>
      {shown && isUnfit(shown.draft) ? <ChangedBanner diff={shown} /> : null}
      <div className="drafts-columns">
        <DraftList drafts={drafts} picked={picked} onPick={onPick} />
        <section className="card stack draft-pane" aria-label={t('drafts.pane')}>
          <TroubleNote trouble={diff.trouble} />
          {shown ? (
            <>
              <DiffPane diff={shown} acts={hunks.acts} />
              {hunks.trouble}
              {hunks.question ?? (
                <DraftActs
                  diff={shown}
                  isAlone={isAlone}
                  isStale={isStale}
                  isAsked={asked.includes(shown.draft.requestHash)}
                  onDone={onDone}
                  onAsked={onAsked}
                  onLook={() => diff.reload()}
                />
              )}
            </>
          ) : (
            <p className="draft-note t3">{t('common.loading')}</p>
          )}
        </section>
      </div>
    </>
  );
}

function ChangedBanner({ diff }: { diff: DraftDiff }): ReactElement | null {
  const { draft, summary } = diff;
  if (draft.problem !== undefined) {
    return (
      <div className="aligned drafts-banner" role="status">
        <TriangleAlert className="icon" />
        <Inert as="span" text={draft.problem} />
      </div>
    );
  }
  if (draft.fileChangedAtMs === undefined || !draft.sourceChanged) return null;
  const time = clockText(draft.fileChangedAtMs, draft.fileChangedAtMs, undefined, true);
  return (
    <div className="aligned drafts-banner" role="status">
      <TriangleAlert className="icon" />
      <span>
        <b>{t('drafts.changed', { file: oneLine(draft.path) })}</b>{' '}
        {t(isTakenIn(diff) ? 'drafts.takenIn' : 'drafts.takesOut', {
          time,
          count: summary.newer,
        })}
      </span>
    </div>
  );
}

/** Lines that this draft adds and removes. */
function Sums({ draft }: { draft: DraftView }): ReactElement | null {
  const { data, reload } = useVerb('drafts.diff', { draftId: draft.draftId });
  const isStale = data !== undefined && data.draft.requestHash !== draft.requestHash;
  useEffect(() => {
    if (isStale) reload();
  }, [isStale, reload, draft.requestHash]);
  if (data?.kind !== 'text') return null;
  return <>{t('drafts.sums', { added: data.summary.added, removed: data.summary.removed })}, </>;
}

function DraftList({
  drafts,
  picked,
  onPick,
}: {
  drafts: readonly DraftView[];
  picked: DraftView;
  onPick: (draftId: number) => void;
}): ReactElement {
  const list = useRef<HTMLElement>(null);
  useListKeys(list, '.draft-row', (row) => row.click());
  return (
    <nav className="card draft-list" aria-label={t('drafts.list')} ref={list}>
      {drafts.map((draft) => {
        const look = draftLook(draft);
        const isPicked = draft.draftId === picked.draftId;
        return (
          <button
            key={draft.draftId}
            type="button"
            className="bare draft-row"
            aria-current={isPicked ? 'true' : undefined}
            onClick={() => onPick(draft.draftId)}
          >
            <Inert className="wrap" text={draft.path} />
            <span className={`draft-state tone-${look.tone}`}>
              <Mark name={look.mark} />
              {t(look.label)}
            </span>
            <span className="xs t3">
              {draft.state === 'in_sync' ? null : <Sums draft={draft} />}
              {draft.state === 'in_sync' ? (
                t('drafts.nothing')
              ) : (
                <>
                  {draft.isNewFile ? `${t('drafts.newFile')}, ` : ''}
                  {t('drafts.staged')} <Ago atMs={draft.updatedAtMs} />
                </>
              )}
            </span>
          </button>
        );
      })}
    </nav>
  );
}

const WRAP_KEY = 'holdfast.diff.wrap';

/** Remembered, because users want the same wrapping for every file. */
function useLineWrap(): readonly [boolean, (isWrapped: boolean) => void] {
  const [isWrapped, setState] = useState(() => window.localStorage.getItem(WRAP_KEY) !== 'off');
  return [
    isWrapped,
    (next) => {
      window.localStorage.setItem(WRAP_KEY, next ? 'on' : 'off');
      setState(next);
    },
  ];
}

function DiffPane({ diff, acts }: { diff: DraftDiff; acts: HunkActs | undefined }): ReactElement {
  const { draft } = diff;
  const look = draftLook(draft);
  const isMarked = hasNewer(diff);
  const [withBase, setWithBase] = useState(true);
  const [isSplit, setSplit] = useState(false);
  const [isWrapped, setWrapped] = useLineWrap();
  return (
    <>
      <div className="aligned flex-wrap draft-head">
        <Inert as="h2" className="wrap" text={draft.path} />
        <span className={`chip tone-${look.tone}`}>
          <Mark name={look.mark} />
          {t(look.label)}
        </span>
        {draft.draftChanged ? (
          <span className="chip tone-attention">{t('drafts.edited')}</span>
        ) : null}
        <span className="grow" />
        {isMarked ? (
          <SegmentedControl
            size="xs"
            aria-label={t('drafts.view')}
            value={withBase ? 'three' : 'two'}
            onChange={(value) => setWithBase(value === 'three')}
            data={[
              { value: 'two', label: t('drafts.view.two') },
              { value: 'three', label: t('drafts.view.three') },
            ]}
          />
        ) : null}
        <Switch
          size="xs"
          label={t('drafts.wrap.short')}
          aria-label={t('drafts.wrap')}
          checked={isWrapped}
          onChange={(event) => setWrapped(event.currentTarget.checked)}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('drafts.layout')}
          value={isSplit ? 'split' : 'unified'}
          onChange={(value) => setSplit(value === 'split')}
          data={[
            { value: 'unified', label: t('drafts.layout.unified') },
            { value: 'split', label: t('drafts.layout.split') },
          ]}
        />
      </div>
      {diff.isCoarse ? <p className="draft-note sm t2">{t('drafts.isCoarse')}</p> : null}
      {diff.isBaseMissing ? <p className="draft-note sm t2">{t('drafts.baseMissing')}</p> : null}
      {diff.hunks.length === 0 ? (
        <p className="draft-note t2">{t(`drafts.kind.${diff.kind}`)}</p>
      ) : (
        <DiffView
          key={String(isWrapped)}
          diff={diff}
          isSplit={isSplit}
          withBase={withBase && isMarked}
          isWrapped={isWrapped}
          acts={acts}
        />
      )}
      {diff.isCut ? (
        <p className="draft-note sm t2">{t('drafts.isCut', { file: oneLine(draft.path) })}</p>
      ) : null}
    </>
  );
}
