/** Timers and heartbeats: which sessions they wake, when, and why. S1-13, S1-23. */
import { Button } from '@mantine/core';
import { HeartPulse, Timer } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { HeartbeatView, TimerView } from '../../shared/schedule/model';
import { useCommand, useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Countdown, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';

/** All of them, or those of one session; hidden if there are none. */
export function Wakes({ session }: { session?: string }): ReactElement | null {
  const timers = useVerb('timers.list', session === undefined ? {} : { session });
  const status = useVerb('heartbeat.status', {});
  const cancel = useCommand('timers.cancel');
  const stop = useCommand('heartbeat.stop');
  const openSettings = useCommand('app.openSettings');
  const set = timers.data?.timers ?? [];
  const beats = (status.data?.heartbeats ?? []).filter(
    (beat) => session === undefined || beat.session === session,
  );
  const problem = session === undefined ? status.data?.problem : undefined;
  const isNone = set.length + beats.length === 0 && problem === undefined;
  if (isNone && session !== undefined) return null;
  return (
    <section aria-label={t('wakes.title')}>
      <SectionHead
        title={t('wakes.title')}
        {...(set.length + beats.length > 0 ? { count: set.length + beats.length } : {})}
      />
      <TroubleNote
        trouble={
          timers.trouble ?? status.trouble ?? cancel.trouble ?? stop.trouble ?? openSettings.trouble
        }
      />
      {problem === undefined ? null : (
        <NoteLine tone="attention">
          <Inert text={problem} />
        </NoteLine>
      )}
      {isNone ? (
        <p className="sm t3">{t('wakes.none')}</p>
      ) : (
        <ul className="card rows">
          {set.map((timer) => (
            <TimerRow
              key={`${timer.session} ${timer.id}`}
              timer={timer}
              isOfSession={session !== undefined}
            >
              <Button
                size="xs"
                aria-label={t('wakes.cancelOf', {
                  name: oneLine(timer.id, 64),
                  text: oneLine(timer.session, 80),
                })}
                onClick={() => void cancel.run({ session: timer.session, id: timer.id })}
              >
                {t('wakes.cancel')}
              </Button>
            </TimerRow>
          ))}
          {beats.map((beat) => (
            <BeatRow
              key={`${beat.session ?? ''} ${String(beat.isSystem)}`}
              beat={beat}
              isOfSession={session !== undefined}
            >
              {beat.isSystem ? (
                <Button
                  size="xs"
                  onClick={() => void openSettings.run({ at: 'schedule/heartbeat.enabled' })}
                >
                  {t('wakes.settings')}
                </Button>
              ) : beat.session === undefined ? null : (
                <Button
                  size="xs"
                  aria-label={t('wakes.stopOf', { name: oneLine(beat.session, 80) })}
                  onClick={() => void stop.run({ session: beat.session ?? '' })}
                >
                  {t('wakes.stop')}
                </Button>
              )}
            </BeatRow>
          ))}
        </ul>
      )}
    </section>
  );
}

function WakeRow({
  icon,
  name,
  who,
  about,
  atMs,
  children,
}: {
  icon: ReactNode;
  name: string;
  who: string | undefined;
  about: string;
  atMs: number;
  children: ReactNode;
}): ReactElement {
  return (
    <li className="row tall">
      {icon}
      <div className="row-text">
        <div className="ellipsis" title={name}>
          <span className="m5">{name}</span>{' '}
          {who === undefined ? null : (
            <span className="t3 sm">{t('wakes.of', { name: oneLine(who, 80) })}</span>
          )}
        </div>
        <div className="sm t3 ellipsis" title={oneLine(about, 400)}>
          {oneLine(about, 160)}
        </div>
      </div>
      <strong className="m5 nw">
        <Countdown untilMs={atMs} />
      </strong>
      {children}
    </li>
  );
}

function TimerRow({
  timer,
  isOfSession,
  children,
}: {
  timer: TimerView;
  isOfSession: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <WakeRow
      icon={<Timer className="icon t3" />}
      name={t('wakes.timer', { name: oneLine(timer.id, 64) })}
      who={isOfSession ? undefined : timer.session}
      about={timer.message}
      atMs={timer.dueAtMs}
    >
      {children}
    </WakeRow>
  );
}

function BeatRow({
  beat,
  isOfSession,
  children,
}: {
  beat: HeartbeatView;
  isOfSession: boolean;
  children: ReactNode;
}): ReactElement {
  const about = [
    beat.every,
    t('wakes.ticks', { count: beat.ticks }),
    ...(beat.skipped > 0 ? [t('wakes.skipped', { count: beat.skipped })] : []),
    ...(beat.message === '' ? [] : [beat.message]),
  ].join(' · ');
  return (
    <WakeRow
      icon={<HeartPulse className="icon t3" />}
      name={t(beat.isSystem ? 'wakes.system' : 'wakes.heartbeat')}
      who={isOfSession ? undefined : beat.session}
      about={about}
      atMs={beat.nextAtMs}
    >
      {children}
    </WakeRow>
  );
}
