import { type ActivationKind, ACTIVATION_KINDS } from '../../../../shared/activations';

/** Number of an event in `activation_events`: its position in the list, never changed. */
export const activationCode = (event: ActivationKind): number => ACTIVATION_KINDS.indexOf(event);
