/** Budgets: a row for each with its amount, its time and what it counts, and one to add. */
import { Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { providerTitle } from '../../shared/provider-title';
import { t } from '../../shared/messages';
import type { BudgetPeriod, BudgetScope } from '../../shared/settings/budgets';
import type { ConfigEntry } from '../../shared/types';
import { agentTitle } from '../agents/agent-titles';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { namesOf, valuesOf } from '../parts/named-values';
import { Inert } from '../parts/texts';
import {
  mayBeCredit,
  mayName,
  numberOf,
  PERIODS,
  percentText,
  SCOPES,
  shareOf,
  withChange,
  type Budget,
} from './budget-rows-view';
import { KeptField } from './kept-field';
import { AddRow, RemoveRow, StructuredSetting } from './structured-setting';
import { useNamedValues } from './use-whole-setting';

export function BudgetRows({ entry }: { entry: ConfigEntry }): ReactElement {
  const { set, isBusy, isFixed, trouble } = useNamedValues(entry);
  const change = (name: string, part: Partial<Budget>): Promise<boolean> =>
    set(name, (known) => (known === undefined ? undefined : withChange(known as Budget, part)));
  const names = namesOf(entry.value);
  return (
    <StructuredSetting
      entry={entry}
      title={t('setting.budgets.caps')}
      about={t('settingAbout.budgets.caps')}
      trouble={trouble}
    >
      {names.length === 0 ? <p className="sm t3">{t('budgetRows.none')}</p> : null}
      <ul>
        {names.map((name) => (
          <BudgetRow
            key={name}
            name={name}
            budget={valuesOf(entry.value)[name] as Budget}
            isDisabled={isFixed}
            onChange={(part) => void change(name, part)}
            onRemove={() => void set(name, () => undefined)}
          />
        ))}
      </ul>
      <AddBudget
        taken={names}
        isDisabled={isFixed}
        isBusy={isBusy}
        onAdd={(name, budget) => set(name, () => budget)}
      />
    </StructuredSetting>
  );
}

function BudgetRow({
  name,
  budget,
  isDisabled,
  onChange,
  onRemove,
}: {
  name: string;
  budget: Budget;
  isDisabled: boolean;
  onChange: (part: Partial<Budget>) => void;
  onRemove: () => void;
}): ReactElement {
  const shown = oneLine(name, 64);
  const nameOf = (what: string): string => t('breakerRows.fieldOf', { what, name: shown });
  const field = (
    label: string,
    value: string,
    onSave: (text: string) => void,
    placeholder?: string,
  ): ReactElement => (
    <KeptField
      label={label}
      name={nameOf(label)}
      value={value}
      isDisabled={isDisabled}
      onSave={onSave}
      placeholder={placeholder}
    />
  );
  return (
    <li className="budget-row">
      <div className="flex">
        <Inert as="strong" className="m5 grow wrap" text={name} />
        <RemoveRow
          label={t('budgetRows.removeOf', { name: shown })}
          isDisabled={isDisabled}
          onRemove={onRemove}
        />
      </div>
      <div className="budget-fields">
        {field(t('budgetRows.usd'), String(budget.usd), (text) =>
          onChange({ usd: numberOf(text) ?? text }),
        )}
        <Select
          size="xs"
          label={t('budgetRows.per')}
          aria-label={nameOf(t('budgetRows.per'))}
          data={(budget.scope === 'turn' ? (['turn'] as const) : PERIODS).map(periodOption)}
          value={budget.per}
          disabled={isDisabled || budget.scope === 'turn'}
          allowDeselect={false}
          onChange={(per) => {
            if (per !== null) onChange({ per: per as BudgetPeriod });
          }}
        />
        <Select
          size="xs"
          label={t('budgetRows.scope')}
          aria-label={nameOf(t('budgetRows.scope'))}
          data={SCOPES.map((scope) => ({ value: scope, label: t(`budgetRows.scope.${scope}`) }))}
          value={budget.scope}
          disabled={isDisabled}
          allowDeselect={false}
          onChange={(scope) => {
            if (scope !== null) onChange({ scope });
          }}
        />
        {mayName(budget.scope) ? (
          <Of
            key={budget.scope}
            scope={budget.scope}
            name={nameOf(t('budgetRows.of'))}
            value={budget.of}
            isDisabled={isDisabled}
            onPick={(of) => onChange({ of })}
          />
        ) : null}
        {field(
          t('budgetRows.warn'),
          percentText(budget.warn_at),
          (text) => onChange({ warn_at: shareOf(text) }),
          '80',
        )}
        {budget.per === 'month'
          ? field(
              t('budgetRows.resets'),
              String(budget.resets_on ?? ''),
              (text) => onChange({ resets_on: numberOf(text) }),
              '1',
            )
          : null}
      </div>
      {mayBeCredit(budget) ? (
        <Switch
          size="xs"
          label={t('budgetRows.credit')}
          aria-label={nameOf(t('budgetRows.credit'))}
          checked={budget.is_credit === true}
          disabled={isDisabled}
          onChange={(event) => onChange({ is_credit: event.currentTarget.checked })}
        />
      ) : null}
    </li>
  );
}

const periodOption = (per: BudgetPeriod): { value: string; label: string } => ({
  value: per,
  label: t(`budgetRows.per.${per}`),
});

/** Which one of all it counts: those there are, and the one that is set. */
function Of({
  scope,
  name,
  value,
  isDisabled,
  onPick,
}: {
  scope: BudgetScope;
  name: string;
  value: string | undefined;
  isDisabled: boolean;
  onPick: (of: string | undefined) => void;
}): ReactElement {
  const agents = useVerb('agents.list', scope === 'agent' ? {} : undefined);
  const providers = useVerb('provider.list', scope === 'provider' ? {} : undefined);
  const accounts = useVerb('budgets.accounts', scope === 'account' ? {} : undefined);
  const tasks = useVerb('tasks.list', scope === 'task' ? {} : undefined);
  const known: readonly { value: string; label: string }[] = [
    ...(agents.data?.agents ?? []).map((one) => ({
      value: one.name,
      label: oneLine(agentTitle(one.name), 64),
    })),
    ...(providers.data?.providers ?? []).map((one) => ({
      value: one.name,
      label: oneLine(providerTitle(one.name), 64),
    })),
    ...(accounts.data?.accounts ?? []).map(({ account }) => ({
      value: account,
      label: oneLine(account, 64),
    })),
    ...(tasks.data?.tasks ?? []).map((task) => ({
      value: String(task.id),
      label: oneLine(`${String(task.id)} · ${task.name}`, 64),
    })),
  ];
  if (scope === 'session')
    return (
      <KeptField
        label={t('budgetRows.of')}
        name={name}
        placeholder={t('budgetRows.ofEach')}
        value={value ?? ''}
        isDisabled={isDisabled}
        onSave={(text) => onPick(text === '' ? undefined : text)}
      />
    );
  return (
    <Select
      size="xs"
      searchable
      clearable
      label={t('budgetRows.of')}
      aria-label={name}
      placeholder={t('budgetRows.ofEach')}
      data={[
        ...known,
        ...(value === undefined || known.some((one) => one.value === value)
          ? []
          : [{ value, label: oneLine(value, 64) }]),
      ]}
      value={value ?? null}
      disabled={isDisabled}
      onChange={(of) => onPick(of ?? undefined)}
    />
  );
}

function AddBudget({
  taken,
  isDisabled,
  isBusy,
  onAdd,
}: {
  taken: readonly string[];
  isDisabled: boolean;
  isBusy: boolean;
  onAdd: (name: string, budget: Budget) => Promise<boolean>;
}): ReactElement {
  const [name, setName] = useState('');
  const [usd, setUsd] = useState('');
  const [per, setPer] = useState<BudgetPeriod>('day');
  const isTaken = taken.includes(name.trim());
  const add = async (): Promise<void> => {
    const amount = numberOf(usd.trim());
    if (amount === undefined) return;
    if (!(await onAdd(name.trim(), { scope: 'all', per, usd: amount }))) return;
    setName('');
    setUsd('');
  };
  return (
    <AddRow
      isBusy={isBusy}
      isDisabled={isDisabled}
      isReady={name.trim() !== '' && usd.trim() !== '' && !isTaken}
      onAdd={add}
    >
      <TextInput
        className="grow"
        aria-label={t('budgetRows.name')}
        placeholder={t('budgetRows.name')}
        maxLength={64}
        value={name}
        disabled={isDisabled}
        error={isTaken ? t('budgetRows.taken') : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        w={110}
        aria-label={t('budgetRows.usd')}
        placeholder={t('budgetRows.usd')}
        inputMode="decimal"
        value={usd}
        disabled={isDisabled}
        onChange={(event) => setUsd(event.currentTarget.value)}
      />
      <Select
        w={110}
        aria-label={t('budgetRows.per')}
        data={PERIODS.map((period) => ({
          value: period,
          label: t(`budgetRows.a.${period}`),
        }))}
        value={per}
        disabled={isDisabled}
        allowDeselect={false}
        onChange={(wanted) => setPer(PERIODS.find((one) => one === wanted) ?? 'day')}
      />
    </AddRow>
  );
}
