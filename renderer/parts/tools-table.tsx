/** Tools with their class, in one layout everywhere; each page picks the columns it needs. */
import { Switch } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { t, type MessageKey } from '../../shared/messages';
import type { ToolView } from '../../shared/types';
import { PurityIcon } from './state-chip';
import { Inert } from './texts';
import { oneLine } from './inert-view';
import { firstSentence, toolName } from './tool-name';

/**
 * A short label for a table; for a tool that knows its harmless calls, the class depends on the
 * command.
 */
export const afterCrashText = ({
  afterCrash,
  afterCrashOfReads,
}: Pick<ToolView, 'afterCrash' | 'afterCrashOfReads'>): string =>
  afterCrashOfReads === undefined
    ? t(`afterCrash.${afterCrash}`)
    : t('afterCrash.both', {
        text: t(`afterCrash.${afterCrash}`),
        what: t(`afterCrash.${afterCrashOfReads}`),
      });

/** A tool of which only the name is known. */
export type ToolRow = ToolView | { readonly name: string; readonly purity?: undefined };

type ToolColumn = 'from' | 'class' | 'about' | 'why' | 'policy' | 'afterCrash' | 'hold';

const HEADS: Readonly<Record<ToolColumn, MessageKey>> = {
  from: 'tools.from',
  class: 'table.class',
  about: 'agents.about',
  why: 'tools.why',
  policy: 'tools.policy',
  afterCrash: 'agents.afterCrash',
  hold: 'tools.hold',
};

const HEAD_CLASS: Partial<Readonly<Record<ToolColumn, string>>> = {
  from: 'tool-from',
  class: 'tool-class',
  policy: 'tool-policy',
  hold: 'right',
};

interface HoldSwitches {
  readonly listed: readonly string[];
  readonly isDisabled: boolean;
  readonly onToggle: (name: string, isOn: boolean) => void;
}

/** Of a listed tool, only the name may be known. */
const isAboutTool = (column: ToolColumn): boolean => column !== 'hold';

const HoldSwitch = ({ name, hold }: { name: string; hold: HoldSwitches }): ReactElement => (
  <Switch
    className="end-switch"
    aria-label={t('tools.holdOne', { tool: name })}
    checked={hold.listed.includes(name)}
    disabled={hold.isDisabled}
    onChange={(event) => hold.onToggle(name, event.currentTarget.checked)}
  />
);

const About = ({ tool }: { tool: ToolView }): ReactElement => (
  <Inert
    className="clamp tool-text"
    title={oneLine(tool.about, 500)}
    text={firstSentence(tool.about)}
  />
);

export function ToolsTable({
  tools,
  columns,
  hold,
  policy,
}: {
  tools: readonly ToolRow[];
  columns: readonly ToolColumn[];
  /** Needed by the column `hold`. */
  hold?: HoldSwitches;
  /** Needed by the column `policy`: what the tool is allowed to do. */
  policy?: (tool: ToolView) => ReactNode;
}): ReactElement {
  const cell = (tool: ToolRow, column: ToolColumn): ReactNode => {
    if (column === 'hold') return hold && <HoldSwitch name={tool.name} hold={hold} />;
    if (tool.purity === undefined) return '';
    switch (column) {
      case 'from':
        return <Inert text={tool.host} />;
      case 'class':
        return <PurityIcon purity={tool.purity} withLabel />;
      case 'about':
        return <About tool={tool} />;
      case 'why':
        return tool.name.endsWith('shell:effects') ? (
          t('tools.shellEffects')
        ) : (
          <About tool={tool} />
        );
      case 'policy':
        return policy?.(tool);
      case 'afterCrash':
        return afterCrashText(tool);
    }
  };
  return (
    <div className="scroll-x">
      <table className="grid tools">
        <thead>
          <tr>
            <th>{t('table.tool')}</th>
            {columns.map((column) => (
              <th key={column} className={HEAD_CLASS[column]}>
                {t(HEADS[column] as 'tools.from')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((tool, index) => (
            <tr key={`${tool.name} ${index}`}>
              <Inert
                as="td"
                className="mono"
                title={
                  tool.purity === undefined
                    ? undefined
                    : oneLine(`${tool.host}: ${tool.name}. ${tool.about}`, 500)
                }
                text={toolName(tool.name)}
              />
              {tool.purity === undefined ? (
                <td colSpan={columns.filter(isAboutTool).length} className="t3">
                  {t('agents.unknownTool')}
                </td>
              ) : null}
              {columns
                .filter((column) => tool.purity !== undefined || !isAboutTool(column))
                .map((column) => (
                  <td key={column} className={`tool-${column}`}>
                    {cell(tool, column)}
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
