/** The code of questions on channels: loaded where a channel carries any. W4 */
export { createDigests } from '../engine/replies/digests';
export { createPhoneCommands } from '../engine/replies/phone-commands';
export { createQuestionAnswers } from '../engine/replies/question-answers';
export { createQuestionSources } from '../engine/replies/question-sources';
export { createQuestionLanes } from '../engine/replies/questions';
