import { durationMs } from '../../shared/settings';
import type { RecoveryPolicy } from '../engine/recovery/plan-resume';
import type { SettingsPort } from '../ports/settings';

/**
 * Reads the recovery settings at the time of the decision (S0-12). A getter each: a step asks for
 * two of them, and reading a duration costs more than the rest of its bookkeeping.
 */
export function recoveryPolicy(settings: SettingsPort): RecoveryPolicy {
  return {
    get mode() {
      return settings.get('resilience.recovery.mode');
    },
    get sideEffectTools() {
      return settings.get('resilience.recovery.side_effect_tools');
    },
    get gateAllSideEffects() {
      return settings.get('resilience.recovery.gate_all_side_effects');
    },
    get maxAgeMs() {
      return durationMs(settings.get('resilience.recovery.max_age'));
    },
    get maxAttempts() {
      return settings.get('resilience.recovery.max_attempts');
    },
    get resumeDelayMs() {
      return durationMs(settings.get('resilience.recovery.resume_delay'));
    },
    get stepPolicy() {
      return settings.get('skill_resume.default');
    },
    get perSkill() {
      return settings.get('skill_resume.per_skill');
    },
    get worldDrift() {
      return settings.get('resume.world_drift');
    },
  };
}
