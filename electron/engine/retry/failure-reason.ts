import { because, type Reason } from '../../../shared/reason';
import type { ProviderFailure } from '../../ports/provider';

/** What failed, and what to do about it. */
export const failureReason = ({
  message,
  hint,
}: Pick<ProviderFailure, 'message' | 'hint'>): Reason =>
  because('reason.failure', { text: message, what: hint });
