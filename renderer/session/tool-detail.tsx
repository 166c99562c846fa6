/** A tool call, opened in the chat: its exact input, its output, and its change to a file. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StepView } from '../../shared/types';
import { useVerb } from '../bridge';
import { answeredBy } from '../decisions/approval-view';
import { DiffView } from '../drafts/diff-view';
import '../drafts/drafts.css';
import { plainJson } from '../parts/exact-input-view';
import { CodeBlock } from '../parts/markdown';
import { At, Inert, TroubleNote } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { useCodeColor } from '../parts/use-code-color';
import { hrefOf } from '../route';
import { TurnText } from '../turn/turn-text';
import { writtenFile } from './tool-row-view';
import { isTextCut, ToolInput, ToolOutput } from './tool-texts';

interface DetailProps {
  readonly turnId: number;
  readonly step: number;
  readonly session: string;
}

export function ToolDetail({ turnId, step, session }: DetailProps): ReactElement {
  const full = useVerb('turns.step', { turnId, step });
  const view = full.data;
  return (
    <div className="tool-detail">
      <TroubleNote trouble={full.trouble} />
      {view === undefined ? (
        full.isLoading ? (
          <p className="sm t3">{t('common.loading')}</p>
        ) : null
      ) : (
        <>
          <Input view={view} tool={toolName(view.tool)} session={session} />
          {view.error === undefined ? null : (
            <Inert as="p" className="sm inert" text={view.error} />
          )}
          {view.result === undefined ? null : (
            // Another result starts collapsed again.
            <ToolOutput
              key={view.result}
              view={view}
              result={view.result}
              isShell={toolName(view.tool) === 'shell'}
              whole={
                <TurnText
                  wanted={{ turnId: view.turnId, step: view.index, part: 'result' }}
                  start={view.result}
                  isTruncated={isTextCut(view, 'result')}
                  label={t('tool.output')}
                />
              }
            />
          )}
          <p className="xs t3 tool-foot">
            {view.approvedBy === undefined ? null : (
              <span>
                {t('approval.approved')} {answeredBy(view.approvedBy)}
              </span>
            )}
            <span>
              {t('table.started')} <At atMs={view.startedAtMs} withSeconds />
            </span>
            <a href={hrefOf({ kind: 'turn', turnId })}>{t('tool.openTurn', { id: turnId })}</a>
          </p>
        </>
      )}
    </div>
  );
}

function Input({
  view,
  tool,
  session,
}: {
  view: StepView;
  tool: string;
  session: string;
}): ReactElement | null {
  if (view.args === undefined) return null;
  const file = isTextCut(view, 'args') ? undefined : writtenFile(tool, plainJson(view.args));
  return file === undefined ? (
    <ToolInput view={view} args={view.args} />
  ) : (
    <WrittenFile path={file.path} content={file.content} turnId={view.turnId} session={session} />
  );
}

/** The lines that a write changes while it is a draft, or else the text as written. */
function WrittenFile({
  path,
  content,
  turnId,
  session,
}: {
  path: string;
  content: string;
  turnId: number;
  session: string;
}): ReactElement {
  const drafts = useVerb('drafts.list', { session });
  // A later turn may have written the same draft again: then these lines are not this call's.
  const draft = drafts.data?.drafts.find((one) => one.path === path && one.turnId === turnId);
  const diff = useVerb('drafts.diff', draft === undefined ? undefined : { draftId: draft.draftId });
  const colour = useCodeColor();
  return (
    <>
      <div className="sm t3">
        {draft === undefined ? t('tool.wrote') : t('tool.changes')}{' '}
        <Inert className="mono" text={path} />
      </div>
      {diff.data !== undefined && diff.data.kind === 'text' ? (
        <div className="tool-diff">
          <DiffView diff={diff.data} isSplit={false} withBase={false} isWrapped />
        </div>
      ) : (
        <CodeBlock text={content} language={colour?.languageOf(path) ?? ''} />
      )}
    </>
  );
}
