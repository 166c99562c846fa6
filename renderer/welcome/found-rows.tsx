/**
 * Agents of other programs at the first start: Use here, Watch, or Skip. Nothing is preselected.
 */
import { SegmentedControl } from '@mantine/core';
import { SquareTerminal } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { DetectedAgent } from '../../shared/types';
import { canInstall, FOUND_CHOICES, isWatchable } from '../agents/found-view';
import type { FoundAnswer } from '../agents/found-view';
import { InstallNote } from '../agents/install-note';
import { FolderField, UseHereFields } from '../agents/use-here-fields';
import { AdapterInstall } from '../agents/adapter-install';
import { WatchPanel } from '../agents/watch-panel';
import { Tile } from '../parts/state-chip';
import { Inert } from '../parts/texts';

export function FoundRows({
  here,
  gone,
  taken,
  isChecked,
  answerOf,
  onAnswer,
  onLook,
}: {
  here: readonly DetectedAgent[];
  /** Names of known agents that were not found here. */
  gone: readonly string[];
  taken: readonly string[];
  isChecked: boolean;
  answerOf: (id: string) => FoundAnswer;
  onAnswer: (id: string, answer: FoundAnswer) => void;
  /** Looks for agents again, for example after an adapter was installed. */
  onLook: () => void;
}): ReactElement {
  const canWatch = here.some(isWatchable);
  return (
    <div className="card">
      <ul className="rows">
        {here.map((found) => {
          const answer = answerOf(found.id);
          return (
            <FoundRow
              key={found.id}
              found={found}
              answer={answer}
              taken={[
                ...taken,
                ...here
                  .filter((other) => other !== found && answerOf(other.id).choice === 'use')
                  .map((other) => answerOf(other.id).name),
              ]}
              isChecked={isChecked}
              onAnswer={(next) => onAnswer(found.id, next)}
              onLook={onLook}
            />
          );
        })}
      </ul>
      {gone.length === 0 ? null : (
        <p className="sm t3 found-gone">
          {t(here.length === 0 ? 'found.lookedFor' : 'found.gone', { text: gone.join(', ') })}
        </p>
      )}
      {here.length === 0 ? null : (
        <dl className="sm t2 found-legend">
          <Meaning word={t('found.use')}>{t('found.useAbout')}</Meaning>
          {canWatch ? <Meaning word={t('found.watch')}>{t('found.watchAbout')}</Meaning> : null}
          <Meaning word={t('found.skip')}>{t('found.skipAbout')}</Meaning>
        </dl>
      )}
    </div>
  );
}

const Meaning = ({ word, children }: { word: string; children: ReactNode }): ReactElement => (
  <div>
    <Fact name={word}>{children}</Fact>
  </div>
);

function FoundRow({
  found,
  answer,
  taken,
  isChecked,
  onAnswer,
  onLook,
}: {
  found: DetectedAgent;
  answer: FoundAnswer;
  taken: readonly string[];
  isChecked: boolean;
  onAnswer: (answer: FoundAnswer) => void;
  onLook: () => void;
}): ReactElement {
  const canWatch = isWatchable(found);
  const { choice } = answer;
  const isSaved = answer.isSaved === true;
  const isUsed = choice === 'use' && found.isInstalled;
  return (
    <li className="found-row">
      <div className="flex flex-wrap">
        <Tile tone={choice === 'skip' ? 'muted' : 'kept'} mark={SquareTerminal} />
        <div className="row-text">
          <div>
            <Inert className="m5" text={found.name} />{' '}
            {found.version === undefined ? null : <Inert className="t3" text={found.version} />}{' '}
            <Inert className="mono sm t2 wrap" text={found.path ?? ''} />
          </div>
          <div className="sm t2">
            {isSaved ? (
              t('found.usedAs', { name: answer.name })
            ) : choice === 'skip' ? (
              t('found.skipped')
            ) : choice === 'watch' && canWatch ? (
              t('found.watchExact')
            ) : canInstall(found) && choice !== 'use' ? (
              t('found.missing')
            ) : canInstall(found) ? null : found.missing === undefined ? (
              t('found.exact')
            ) : (
              <InstallNote missing={found.missing} next={t('found.thenLater')} />
            )}
          </div>
        </div>
        {isSaved ? null : (
          <SegmentedControl
            className="found-choice"
            aria-label={t('found.choiceOf', { name: found.name })}
            data={FOUND_CHOICES.filter((one) => one !== 'watch' || canWatch).map((value) => ({
              value,
              label: t(`found.${value}`),
              disabled: value === 'use' && !found.isInstalled && !canInstall(found),
            }))}
            value={choice ?? ''}
            data-choice={choice}
            onChange={(wanted) => {
              const picked = FOUND_CHOICES.find((known) => known === wanted);
              if (picked !== undefined) onAnswer({ ...answer, choice: picked });
            }}
          />
        )}
      </div>
      {choice === 'watch' && canWatch && !isSaved ? <WatchPanel /> : null}
      {choice === 'use' && canInstall(found) ? (
        <AdapterInstall found={found} onInstalled={onLook} />
      ) : null}
      {isSaved && answer.savedFolder !== undefined ? (
        <FolderField
          folder={answer.folder}
          isChecked={isChecked}
          onFolder={(folder) => onAnswer({ ...answer, folder })}
        />
      ) : null}
      {isUsed && !isSaved ? (
        <UseHereFields
          name={answer.name}
          folder={answer.folder}
          taken={taken}
          isChecked={isChecked}
          onName={(name) => onAnswer({ ...answer, name })}
          onFolder={(folder) => onAnswer({ ...answer, folder })}
        />
      ) : null}
    </li>
  );
}
