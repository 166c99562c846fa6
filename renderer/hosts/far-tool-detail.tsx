/**
 * An opened tool call of a session on another computer: its input and output, as reported there.
 * HO-02
 */
import type { ReactElement } from 'react';
import { quoted } from '../../shared/shell-quoted';
import { t } from '../../shared/messages';
import type { FarStep, HostStep, HostView } from '../../shared/types';
import { answeredBy } from '../decisions/approval-view';
import { oneLine } from '../parts/inert-view';
import { At, CommandLine, Inert, TroubleNote } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { isTextCut, ToolInput, ToolOutput } from '../session/tool-texts';
import { useStatus } from '../status';
import { ExactText } from '../turn/exact-text';
import { asSentence } from './host-notes';
import { useFollowedFarList } from './use-far-list';

interface DetailProps {
  readonly host: string;
  readonly turnId: number;
  readonly step: number;
}

export function FarToolDetail({ host, turnId, step }: DetailProps): ReactElement {
  const there = useStatus().status?.hosts?.find((one) => one.name === host);
  return (
    <div className="tool-detail">
      {there === undefined ? null : <FollowedStep host={there} turnId={turnId} step={step} />}
    </div>
  );
}

/** A finished one is not requested again. */
const isOver = (told: HostStep): boolean =>
  told.kind === 'told' && told.step.endedAtMs !== undefined;

function FollowedStep({
  host,
  turnId,
  step,
}: Omit<DetailProps, 'host'> & { readonly host: HostView }): ReactElement {
  const asked = { host: host.name, turnId, step };
  const { data, trouble } = useFollowedFarList('hosts.step', host, asked, isOver);
  const name = oneLine(host.name, 64);
  const said =
    data?.kind === 'untold'
      ? asSentence(oneLine(data.why, 500))
      : data !== undefined || trouble !== undefined
        ? undefined
        : t(host.kind === 'connected' ? 'tool.far.asking' : 'tool.far.away', { name });
  return (
    <>
      <TroubleNote trouble={trouble} />
      {said === undefined ? null : <Inert as="p" className="sm t3" role="status" text={said} />}
      {data?.kind === 'told' ? <FarStepDetail host={host.name} step={data.step} /> : null}
    </>
  );
}

function FarStepDetail({ host, step }: { host: string; step: FarStep }): ReactElement {
  const isShell = toolName(step.tool) === 'shell';
  const whole = `holdfast turns step ${String(step.turnId)} ${String(step.index)} --full --host ${quoted(host)}`;
  return (
    <>
      {step.args === undefined ? null : <ToolInput view={step} args={step.args} />}
      {step.error === undefined ? null : <Inert as="p" className="sm inert" text={step.error} />}
      {step.output === undefined || step.result !== undefined ? null : (
        <>
          <div className="sm t3">{t('tool.far.soFar')}</div>
          <ExactText text={step.output} label={t('tool.far.soFar')} />
        </>
      )}
      {step.result === undefined ? null : (
        <ToolOutput
          key={step.result}
          view={step}
          result={step.result}
          isShell={isShell}
          whole={<ExactText text={step.result} label={t('tool.output')} />}
        />
      )}
      {isTextCut(step, 'args') || isTextCut(step, 'result') ? (
        <>
          <p className="sm t3">{t('tool.far.longer')}</p>
          <CommandLine command={whole} />
        </>
      ) : null}
      <p className="xs t3 tool-foot">
        {step.approvedBy === undefined ? null : (
          <span>
            {t('approval.approved')} {answeredBy(step.approvedBy)}
          </span>
        )}
        <span>
          {t('table.started')} <At atMs={step.startedAtMs} withSeconds />
        </span>
      </p>
    </>
  );
}
