/** Terminals that Holdfast only watches: what they did, and how to continue there or here. */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { WatchedTerminal } from '../../shared/types/terminals';
import { useCommand, useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Ago, CommandLine, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { clockText, untilText } from '../parts/time-view';
import { useNow } from '../clock';
import { goTo } from '../route';
import './watched.css';

/** Further ones are in `holdfast terminals list`, because Home is not a list. */
const WATCHED_SHOWN = 4;

/** Those that no session has, the newest first. */
function watchedShown(all: readonly WatchedTerminal[]): {
  readonly shown: readonly WatchedTerminal[];
  readonly more: number;
} {
  const free = all.filter((one) => one.session === undefined);
  return {
    shown: free.slice(0, WATCHED_SHOWN),
    more: Math.max(0, free.length - WATCHED_SHOWN),
  };
}

const callText = (call: WatchedTerminal['open'][number]): string =>
  oneLine(`${call.tool}: ${call.about}`, 100);

/** The finished calls; undefined if there are none. */
function finishedText(one: WatchedTerminal): string | undefined {
  const last = one.finished.at(-1);
  return last === undefined
    ? undefined
    : t('home.watched.finished', { count: one.finishedCount, text: callText(last) });
}

/** Calls without an end: their outcome is unknown. */
const unknownTexts = (one: WatchedTerminal): readonly string[] =>
  one.open.map((call) => t('home.watched.unknown', { text: callText(call) }));

/** Nothing if no terminal was ever watched. */
export function WatchedTerminals(): ReactElement | null {
  const watched = useVerb('watch.list', {});
  const adopt = useCommand('session.adopt');
  const { shown, more } = watchedShown(watched.data?.terminals ?? []);
  if (shown.length === 0) return null;
  const goOn = async (ref: string, agent: string): Promise<void> => {
    const answer = await adopt.run({ agent, ref });
    if (!answer.ok) return;
    watched.reload();
    if (answer.value.session !== undefined)
      goTo({ kind: 'sessions', sessionId: answer.value.session.id });
  };
  return (
    <section aria-label={t('home.watched')}>
      <SectionHead title={t('home.watched')} count={shown.length + more} />
      <TroubleNote trouble={adopt.trouble} />
      <ul className="card rows">
        {shown.map((one) => (
          <Terminal
            key={one.ref}
            one={one}
            isBusy={adopt.isBusy}
            onGoOn={(agent) => void goOn(one.ref, agent)}
          />
        ))}
      </ul>
      {more > 0 ? <p className="sm t3">{t('home.watched.more', { count: more })}</p> : null}
    </section>
  );
}

function Terminal({
  one,
  isBusy,
  onGoOn,
}: {
  one: WatchedTerminal;
  isBusy: boolean;
  onGoOn: (agent: string) => void;
}): ReactElement {
  const finished = finishedText(one);
  const name = oneLine(one.prompt === '' ? one.folder : one.prompt);
  const [agent] = one.agents;
  return (
    <li className="watched">
      <div className="flex flex-wrap watched-line">
        <Inert className="m5 grow wrap" text={name} />
        <span className="sm t3 nw">
          {t(`home.watched.${one.state}`)} · <Ago atMs={one.lastAtMs} />
        </span>
      </div>
      <Inert as="div" className="sm t3 wrap" text={oneLine(one.folder, 200)} />
      {one.limit === undefined ? null : <Limit resetsAtMs={one.limit.resetsAtMs} />}
      {finished === undefined ? null : <Inert as="div" className="sm t2 wrap" text={finished} />}
      {unknownTexts(one).map((text, index) => (
        <Inert key={index} as="div" className="sm wrap" text={text} />
      ))}
      <div className="flex flex-wrap watched-line">
        <CommandLine command={one.command} />
        {agent === undefined ? (
          <span className="sm t3">{t('home.watched.noAgent')}</span>
        ) : (
          <Button
            size="xs"
            variant="default"
            loading={isBusy}
            aria-label={t('home.watched.goOnOf', { title: name })}
            onClick={() => onGoOn(agent)}
          >
            {t('home.watched.goOn')}
          </Button>
        )}
      </div>
    </li>
  );
}

function Limit({ resetsAtMs }: { resetsAtMs: number | undefined }): ReactElement {
  const nowMs = useNow('minute');
  return (
    <div className="sm wrap">
      {resetsAtMs === undefined
        ? t('home.watched.limit')
        : resetsAtMs <= nowMs
          ? t('home.watched.limitOver', { time: clockText(resetsAtMs, nowMs) })
          : t('home.watched.limitUntil', {
              time: clockText(resetsAtMs, nowMs),
              span: untilText(resetsAtMs, nowMs),
            })}
    </div>
  );
}
