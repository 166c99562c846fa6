/**
 * The exact input of a call: labeled fields if it is a flat object, and its JSON one click away, to
 * read and copy. No markup is interpreted, hidden characters are shown by their code points, and
 * blanks that could be missed are marked.
 */
import { Button, CopyButton } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { ExactText } from '../turn/exact-text';
import { sentenceText } from '../../shared/messages';
import { warningSentences } from '../../shared/questions/call-question';
import { blankPieces, commandPieces, inputShape } from './exact-input-view';
import type { ExactInputText, FieldValue } from './exact-input-view';
import { Mark } from './state-chip';
import { Inert } from './texts';
import './exact-input.css';

interface ExactInputProps extends ExactInputText {
  /** Names the region for assistive technology: the call that this input belongs to. */
  readonly label: string;
}

export function ExactInput({ args, isTruncated, label }: ExactInputProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const shape = inputShape({ args, isTruncated });
  if (shape.kind === 'missing') return <p className="sm t3">{t('input.missing')}</p>;
  if (shape.kind === 'json') {
    return (
      <div className="exact-input">
        <ExactText text={shape.json} label={label} />
        {isTruncated ? (
          <p className="sm t3">{t('common.truncated')}</p>
        ) : (
          <CopyJson json={shape.json} />
        )}
      </div>
    );
  }
  return (
    <div className="exact-input">
      {shape.fields.length === 0 ? (
        <p className="t2">{t('input.empty')}</p>
      ) : (
        <div className="input-fields" role="region" tabIndex={0} aria-label={label}>
          <dl>
            {shape.fields.map((field) => (
              <div
                key={field.key}
                className={isBelow(field.value) ? 'input-field below' : 'input-field'}
              >
                <dt title={field.label === field.key ? undefined : field.key}>
                  <Inert text={field.label} />
                </dt>
                <dd>
                  <Value value={field.value} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      <div className="input-json">
        <Button
          size="xs"
          variant="subtle"
          aria-expanded={isOpen}
          onClick={() => setOpen((open) => !open)}
        >
          {t(isOpen ? 'input.hideJson' : 'input.showJson')}
        </Button>
        {isOpen ? (
          <>
            <CopyJson json={shape.json} />
            <ExactText text={shape.json} label={t('input.json')} />
          </>
        ) : null}
      </div>
    </div>
  );
}

const isBelow = (value: FieldValue): boolean => value.kind === 'command' || value.isLong;

function Value({ value }: { value: FieldValue }): ReactElement {
  if (value.kind === 'command') return <CommandLine text={value.text} />;
  const shown = value.kind === 'json' ? <Inert text={value.text} /> : <Exact text={value.text} />;
  if (!isBelow(value)) return <span className="mono input-value">{shown}</span>;
  return <div className="plain-text-box mono">{shown}</div>;
}

/** A command with the parts that need attention highlighted, and one sentence for each. */
function CommandLine({ text }: { text: string }): ReactElement {
  const sentences = [...new Set(warningSentences(text).map((one) => sentenceText(one)))];
  return (
    <>
      <div className="plain-text-box mono input-command">
        {commandPieces(text).map((piece, index) =>
          piece.isWarning ? (
            <mark key={index} className="command-warning">
              <Exact text={piece.text} />
            </mark>
          ) : (
            <Exact key={index} text={piece.text} />
          ),
        )}
      </div>
      {sentences.length === 0 ? null : (
        <ul className="command-warnings sm" aria-label={t('warning.title')}>
          {sentences.map((sentence) => (
            <li key={sentence}>
              <Mark name="triangle" className="icon small" />
              <Inert as="span" text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A text with visible blanks. Selecting and copying gives the original text. */
const Exact = ({ text }: { text: string }): ReactElement => (
  <>
    {blankPieces(text).map((piece, index) =>
      piece.kind === 'text' ? (
        <Inert key={index} text={piece.text} />
      ) : (
        <span key={index} className="blank" data-marks={piece.marks}>
          {piece.text}
        </span>
      ),
    )}
  </>
);

const CopyJson = ({ json }: { json: string }): ReactElement => (
  <CopyButton value={json}>
    {({ copied, copy }) => (
      <Button size="xs" variant="subtle" onClick={copy}>
        {t(copied ? 'common.copied' : 'input.copyJson')}
      </Button>
    )}
  </CopyButton>
);
