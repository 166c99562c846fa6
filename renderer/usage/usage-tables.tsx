/** The values behind the chart: by agent, and by day. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { SectionHead } from '../parts/texts';
import { dayOf } from '../parts/time-view';
import { hrefOf } from '../route';
import { costText, countText, savedText, spenderName, tokensText } from './usage-view';
import type { Spender, UsageFacts } from './usage-view';

const COLUMNS = ['count', 'tokens', 'cost', 'saved'] as const;

function Head({ first }: { first: 'agent' | 'day' }): ReactElement {
  return (
    <thead>
      <tr>
        {([first, ...COLUMNS] as const).map((column) => (
          <th key={column} scope="col">
            {t(`usage.column.${column}`)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Values({ of }: { of: Omit<Spender, 'name' | 'isClient'> }): ReactElement {
  return (
    <>
      <td>{countText(of)}</td>
      <td className="nw">{tokensText(of.tokens)}</td>
      <td className="nw">{costText(of)}</td>
      <td className="nw">{savedText(of)}</td>
    </>
  );
}

export function AgentTable({ spenders }: { spenders: readonly Spender[] }): ReactElement | null {
  if (spenders.length === 0) return null;
  return (
    <section>
      <SectionHead title={t('usage.byAgent')} />
      <div className="card scroll-x" tabIndex={0} role="region" aria-label={t('usage.byAgent')}>
        <table className="grid usage-table">
          <Head first="agent" />
          <tbody>
            {spenders.map((spender) => (
              <tr key={spenderName(spender)}>
                <th scope="row">
                  <SpenderName spender={spender} />
                </th>
                <Values of={spender} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** An agent links to its page; a client of the gateway has none. */
function SpenderName({ spender }: { spender: Spender }): ReactElement {
  const name = oneLine(spenderName(spender), 80);
  return spender.isClient || spender.name === '' ? (
    <>{name}</>
  ) : (
    <a className="row-link" href={hrefOf({ kind: 'agents', agent: spender.name })}>
      {name}
    </a>
  );
}

const DAY_MS = 86_400_000;

/** Newest day first; days without usage are omitted. */
export function DayTable({ facts }: { facts: UsageFacts }): ReactElement {
  const used = facts.days.filter((day) => day.turns + day.requests + day.tokens > 0).toReversed();
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label={t('usage.byDay')}>
      <table className="grid usage-table">
        <Head first="day" />
        <tbody>
          {used.map((day) => (
            <tr key={day.day}>
              <th scope="row">
                <a
                  className="row-link"
                  href={hrefOf({ kind: 'events', untilMs: day.startMs + DAY_MS })}
                >
                  {dayOf(day.startMs, { dateStyle: 'medium' })}
                </a>
              </th>
              <Values of={day} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
