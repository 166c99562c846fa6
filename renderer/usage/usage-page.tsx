/** Usage: the cost by day and agent, what recovery saved, and what is left of each budget. */
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { ChartColumn, Download } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { PRICES_AS_OF } from '../../shared/prices/built-in';
import type { AccountView, BudgetView } from '../../shared/types/budgets';
import type { UsageLine } from '../../shared/types/gateway';
import { usageCsv } from '../../shared/usage-csv';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { usePageRows } from '../keys/page-rows';
import { oneLine } from '../parts/inert-view';
import { EmptyState, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { dateText } from '../parts/time-view';
import { toast } from '../toasts/toasts';
import { UsageChart } from './usage-chart';
import { AgentTable, DayTable } from './usage-tables';
import {
  accountLines,
  accountTitle,
  accountUse,
  budgetShare,
  budgetText,
  budgetTitle,
  USAGE_DAYS,
  usageFacts,
  usageHead,
  usageSub,
  type UsageFacts,
} from './usage-view';
import './usage.css';

export function UsagePage(): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const [days, setDays] = useState<number>(30);
  const nowMs = useNow('minute');
  const usage = useVerb('usage.list', { days, by: ['agent'] });
  const budgets = useVerb('budgets.list', {});
  const accounts = useVerb('budgets.accounts', {});
  const lines = usage.data?.lines;
  const facts = usageFacts(lines ?? [], days, nowMs);
  return (
    <div className="page usage-page" ref={page}>
      <header className="page-top">
        <div className="grow">
          <h1>{lines === undefined ? t('nav.usage') : usageHead(facts, days)}</h1>
          <p className="sub">{lines === undefined ? null : usageSub(facts)}</p>
        </div>
        <SegmentedControl
          aria-label={t('usage.range')}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={USAGE_DAYS.map((count) => ({
            value: String(count),
            label: t('usage.days', { count }),
          }))}
        />
        <SaveAs lines={lines ?? []} days={days} />
      </header>
      <TroubleNote trouble={usage.trouble ?? budgets.trouble ?? accounts.trouble} />
      {lines === undefined ? null : <Picture facts={facts} />}
      <AgentTable spenders={facts.spenders} />
      <Budgets budgets={budgets.data?.budgets} />
      <Accounts accounts={accounts.data?.accounts ?? []} nowMs={nowMs} />
      {facts.measure === 'cost' ? (
        <p className="sm t3">{t('usage.prices', { day: dateText(PRICES_AS_OF) })}</p>
      ) : null}
    </div>
  );
}

function Picture({ facts }: { facts: UsageFacts }): ReactElement {
  const [isTable, setTable] = useState(false);
  const title = t(`usage.chart.${facts.measure}`);
  if (facts.spenders.length === 0)
    return (
      <section className="card">
        <EmptyState mark={<ChartColumn className="icon" />} sentence={t('usage.empty')} />
      </section>
    );
  return (
    <section aria-label={title}>
      <SectionHead title={title}>
        <SegmentedControl
          className="end"
          size="xs"
          aria-label={title}
          value={isTable ? 'table' : 'chart'}
          onChange={(value) => setTable(value === 'table')}
          data={[
            { value: 'chart', label: t('usage.asChart') },
            { value: 'table', label: t('usage.asTable') },
          ]}
        />
      </SectionHead>
      {isTable ? (
        <DayTable facts={facts} />
      ) : (
        <div className="card usage-card">
          <UsageChart facts={facts} />
        </div>
      )}
    </section>
  );
}

/** The same lines that `holdfast usage` prints, as a file. */
function SaveAs({ lines, days }: { lines: readonly UsageLine[]; days: number }): ReactElement {
  const save = useCommand('app.saveText');
  const write = (ending: 'csv' | 'json', text: string): void => {
    void save.run({ name: `holdfast-usage-${days}-days.${ending}`, text }).then((answer) => {
      if (answer.ok && answer.value.path !== undefined)
        toast({
          message: t('usage.savedTo', { file: oneLine(answer.value.path, 300) }),
          tone: 'kept',
        });
    });
  };
  return (
    <>
      <TroubleNote trouble={save.trouble} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button leftSection={<Download className="icon small" />} disabled={lines.length === 0}>
            {t('usage.save')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => write('csv', `${usageCsv(lines, oneLine)}\n`)}>CSV</Menu.Item>
          <Menu.Item onClick={() => write('json', `${JSON.stringify({ lines }, null, 2)}\n`)}>
            JSON
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function Budgets({ budgets }: { budgets: readonly BudgetView[] | undefined }): ReactElement | null {
  const openSettings = useCommand('app.openSettings');
  if (budgets === undefined) return null;
  return (
    <section aria-label={t('usage.budgets')}>
      <SectionHead title={t('usage.budgets')}>
        <Button
          className="end"
          size="xs"
          variant="subtle"
          onClick={() => void openSettings.run({ at: 'agents/budgets.caps' })}
        >
          {t('usage.budgets.set')}
        </Button>
      </SectionHead>
      <TroubleNote trouble={openSettings.trouble} />
      {budgets.length === 0 ? (
        <p className="sm t3">{t('usage.budgets.none')}</p>
      ) : (
        <ul className="card rows">
          {budgets.map((budget) => (
            <Budget key={`${budget.name} ${budget.key}`} budget={budget} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The keys, plans, and credits behind the cost. */
function Accounts({
  accounts,
  nowMs,
}: {
  accounts: readonly AccountView[];
  nowMs: number;
}): ReactElement | null {
  if (accounts.length === 0) return null;
  return (
    <section aria-label={t('usage.accounts')}>
      <SectionHead title={t('usage.accounts')} />
      <ul className="card rows">
        {accounts.map((account) => (
          <li key={account.account} className="usage-account">
            <Inert as="strong" className="m5 ellipsis" text={accountTitle(account)} />
            <span className="sm t2 nw">{t(`usage.account.${account.kind}`)}</span>
            <span className="sm t2">{accountLines(account, nowMs).join(' · ')}</span>
            <Use text={accountUse(account)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const Use = ({ text }: { text: string | undefined }): ReactElement | null =>
  text === undefined ? null : <Inert className="sm t3 ellipsis" text={text} />;

function Budget({ budget }: { budget: BudgetView }): ReactElement {
  const share = budgetShare(budget);
  return (
    <li className="usage-budget">
      <Inert as="strong" className="m5 ellipsis" text={budgetTitle(budget)} />
      <span className="sm t2 nw">{budgetText(budget)}</span>
      <span className={`usage-budget-bar is-${budget.state}`} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {budget.notEnforcedFor === undefined ? null : (
        <p className="note sm ink-attention">
          {t('usage.budget.notEnforced', {
            name: oneLine(budget.notEnforcedFor.join(', ')),
            count: budget.notEnforcedFor.length,
          })}
        </p>
      )}
    </li>
  );
}
