/**
 * What the answer page shows about a question, one fact per line, for a user who is away. Pure.
 * PH-03
 */
import { callWarnings } from '../../../shared/questions/call-question';
import type { QuestionRules, ShownQuestion } from '../../ports/channel';
import { isRiskyCall } from './decide-remote';
import { headline, inert, inputText, questionMessage, type OpenQuestion } from './question-text';

type Page = Pick<Extract<ShownQuestion, { kind: 'open' }>, 'facts' | 'input' | 'buttons'>;

/**
 * The facts, and the buttons that this channel allows. The folder is always shown, because a page,
 * unlike a message, comes only from this computer. Commands and inputs need `show_input`.
 */
export function questionPage(question: OpenQuestion, rules: QuestionRules): Page {
  const { buttons, text } = questionMessage(question, rules);
  // The page already contains everything that Details would send.
  const answers = buttons
    .map((row) => row.filter(({ data }) => !data.startsWith('q1:i:')))
    .filter((row) => row.length > 0);
  if (question.kind !== 'approval') {
    const [first = '', ...more] = text.split('\n');
    return {
      facts: [
        { label: 'Question', text: first },
        ...more.map((line) => ({ label: '', text: line })),
      ],
      buttons: answers,
    };
  }
  const { view, name } = question;
  const isShown = rules.showsInput;
  return {
    facts: [
      { label: 'Agent', text: inert(question, name, 64) },
      // The headline starts with the agent, which has a separate line here.
      {
        label: 'Question',
        text: headline(question, rules).slice(inert(question, name, 64).length + 2),
      },
      ...(view.folder === undefined
        ? []
        : [{ label: 'Folder', text: inert(question, view.folder, 300) }]),
      ...(view.goesTo === undefined || !isShown
        ? []
        : [{ label: 'To', text: inert(question, view.goesTo.address, 300) }]),
      { label: 'Reason', text: inert(question, view.reason, 300) },
      {
        label: 'Risk',
        text: isRiskyCall(view)
          ? 'It may delete, or reach beyond this computer.'
          : 'It changes files of its folder, or only reads.',
      },
      ...(isShown
        ? callWarnings(view).map((one) => ({ label: 'Warning', text: inert(question, one, 200) }))
        : []),
      ...(isShown
        ? []
        : [{ label: 'Input', text: 'The exact input is only shown on your computer.' }]),
      ...(answers.length === 0 ? [{ label: '', text: 'Decide this on your computer.' }] : []),
    ],
    ...(isShown ? { input: inputText(question, view.args, view.isTruncated) } : {}),
    buttons: answers,
  };
}
