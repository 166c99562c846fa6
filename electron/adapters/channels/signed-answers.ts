import type { QuestionMessage } from '../../ports/channel';

/** One answer that a person can send back. */
interface SignedButton {
  readonly person: string;
  readonly label: string;
  readonly token: string;
}

/** Every button of a question, for each person who may decide it. */
export async function signedAnswers(
  { buttons }: QuestionMessage,
  people: readonly string[],
  sign: (person: string, data: string) => Promise<string>,
): Promise<readonly SignedButton[]> {
  return Promise.all(
    people.flatMap((person) =>
      buttons
        .flat()
        .map(async ({ label, data }) => ({ person, label, token: await sign(person, data) })),
    ),
  );
}

/** The data of a button that shows the question again, derived from any of its buttons. */
export const toLook = (data: string): string => data.replace(/^q1:\w:/, 'q1:b:');
