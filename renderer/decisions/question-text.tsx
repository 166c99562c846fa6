import type { ReactElement } from 'react';
import './question-text.css';

/** A question with its command as code, in place of the backticks in plain text. */
export function QuestionText({ text }: { text: string }): ReactElement {
  const [before, command, ...rest] = text.split('`');
  if (command === undefined || rest.length !== 1) return <>{text}</>;
  return (
    <>
      {before}
      <code className="question-command">{command}</code>
      {rest[0]}
    </>
  );
}
