import { sentenceText, type Sentence } from '../../shared/messages';
import type { EventWords } from './event-words';

const MAX_WORDS = 500;
const MAX_DETAIL = 2000;

/**
 * Sentences go on only where they say exactly what the words say: a secret that no value shows alone,
 * but the whole does, stays hidden.
 */
export function withoutSecrets(raw: EventWords, hide: (text: string) => string): EventWords {
  const { sentence, detail, detailSentences, ...rest } = raw;
  const words = hide(raw.words).slice(0, MAX_WORDS);
  const about = detail === undefined ? undefined : hide(detail).slice(0, MAX_DETAIL);
  const said = sentence === undefined ? undefined : hiddenIn(sentence, hide);
  const details = detailSentences?.map((one) => hiddenIn(one, hide));
  return {
    ...rest,
    words,
    ...(said !== undefined && sentenceText(said).slice(0, MAX_WORDS) === words
      ? { sentence: said }
      : {}),
    ...(about === undefined ? {} : { detail: about }),
    ...(details !== undefined && details.map(sentenceText).join(' ') === about
      ? { detailSentences: details }
      : {}),
  };
}

const hiddenIn = ({ key, values }: Sentence, hide: (text: string) => string): Sentence => ({
  key,
  ...(values === undefined
    ? {}
    : {
        values: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            typeof value === 'string'
              ? hide(value)
              : typeof value === 'object'
                ? hiddenIn(value, hide)
                : value,
          ]),
        ),
      }),
});
