export { runCli } from './cli';
export { EXIT } from './exit-codes';
export type { ExitCode } from './exit-codes';
export { flushOutput, processIo } from './io';
export type { CliIo, Composer, OpenedData, ResetReport } from './io';
export { isCliInvocation, readStartArguments } from './start-arguments';
export type { StartArguments } from './start-arguments';
export { resetAfterConfirmation } from './verbs/start';
